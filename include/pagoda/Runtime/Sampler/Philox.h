//===- Philox.h - Random numbers as a function ------------------*- C++ -*-===//
//
// Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As
// Easy as 1, 2, 3" (SC 2011): a keyed bijection of 128-bit counters. There is
// no state to carry along, so a token's random number does not depend on what
// else was sampled, or on how often its sequence was recomputed; a device can
// make the same numbers.
//
//   double u = uniformAt(seed, position); // in [0, 1)
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_RUNTIME_SAMPLER_PHILOX_H
#define PAGODA_RUNTIME_SAMPLER_PHILOX_H

#include <array>
#include <cstdint>

namespace pagoda::rt {

using PhiloxCounter = std::array<uint32_t, 4>;

/// Ten rounds under the key `key`, low word first.
constexpr PhiloxCounter philox4x32(PhiloxCounter counter, uint64_t key) {
  uint32_t low = static_cast<uint32_t>(key);
  uint32_t high = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    uint64_t first = uint64_t{0xD2511F53} * counter[0];
    uint64_t second = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(second >> 32) ^ counter[1] ^ low,
               static_cast<uint32_t>(second),
               static_cast<uint32_t>(first >> 32) ^ counter[3] ^ high,
               static_cast<uint32_t>(first)};
    low += 0x9E3779B9;
    high += 0xBB67AE85;
  }
  return counter;
}

/// What a counter's last word says about its use, so that uses never meet.
enum PhiloxUse : uint32_t { philoxTokens = 0, philoxChoices = 1 };

/// The random number of the token that is to stand at `position`: 53 bits,
/// uniform in [0, 1).
constexpr double uniformAt(uint64_t seed, int64_t position) {
  PhiloxCounter words = philox4x32(
      {static_cast<uint32_t>(position),
       static_cast<uint32_t>(uint64_t(position) >> 32), 0, philoxTokens},
      seed);
  uint64_t bits = (uint64_t{words[1]} << 32 | words[0]) >> 11;
  return static_cast<double>(bits) * 0x1p-53;
}

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_SAMPLER_PHILOX_H
