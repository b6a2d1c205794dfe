//===- Random.h - Numbers that depend on their place alone ------*- C++ -*-===//
//
// Normally distributed numbers as a function of (seed, name, index): any part
// of a random tensor can be made by itself, on any machine, in any order. For
// models without weights at hand; not for sampling.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_BASE_RANDOM_H
#define PAGODA_BASE_RANDOM_H

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

namespace pagoda {

/// The finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
inline uint64_t mix64(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// A stream of its own for each tensor of a seed.
inline uint64_t randomStream(uint64_t seed, std::string_view name) {
  uint64_t stream = mix64(seed);
  for (char c : name)
    stream = mix64(stream ^ static_cast<unsigned char>(c));
  return stream;
}

/// Element `index` of a stream, normal with mean 0 and deviation 1, by the
/// transform of Box and Muller (1958).
inline double randomNormal(uint64_t stream, uint64_t index) {
  uint64_t bits = mix64(stream + 2 * index);
  uint64_t more = mix64(stream + 2 * index + 1);
  double radius = static_cast<double>((bits >> 11) + 1) * 0x1p-53; // (0, 1]
  double turn = static_cast<double>(more >> 11) * 0x1p-53;
  return std::sqrt(-2.0 * std::log(radius)) *
         std::cos(2.0 * std::numbers::pi * turn);
}

} // namespace pagoda

#endif // PAGODA_BASE_RANDOM_H
