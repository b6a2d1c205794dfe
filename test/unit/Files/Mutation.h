//===- Mutation.h - Damaged variants of a file ------------------*- C++ -*-===//
//
// Makes variants of a valid file, reproducible by their number: flipped bits,
// counts replaced by the numbers that overflow, pieces moved, the end cut off.
//
//   for (unsigned i = 0; i < 10000; ++i) {
//     ExactBytes variant(mutate(original, /*within=*/400, i));
//     parse(variant.bytes());
//   }
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TEST_UNIT_FILES_MUTATION_H
#define PAGODA_TEST_UNIT_FILES_MUTATION_H

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>

namespace pagoda {

/// A copy in memory of exactly its size, so that AddressSanitizer sees the
/// first byte that is read past it.
class ExactBytes {
public:
  explicit ExactBytes(std::string_view text)
      : data(new std::byte[text.size()]), size(text.size()) {
    std::memcpy(data.get(), text.data(), size);
  }
  std::span<const std::byte> bytes() const { return {data.get(), size}; }

private:
  std::unique_ptr<std::byte[]> data;
  size_t size;
};

/// Variant `number` of `text`, changed in its first `within` bytes.
/// `snippets` are pieces of the format to strew in.
inline std::string mutate(std::string text, size_t within, unsigned number,
                          std::span<const std::string_view> snippets = {}) {
  std::mt19937_64 random(number);
  auto below = [&](size_t limit) { return limit ? random() % limit : 0; };
  constexpr uint64_t odd[] = {
      0,          1,          2,          3,          31,
      32,         64,         255,        65535,      1u << 31,
      ~0u,        1ull << 32, 1ull << 40, 1ull << 48, 1ull << 62,
      1ull << 63, ~0ull,      ~0ull - 31, 1ull << 61, (1ull << 63) - 1};
  for (size_t edits = 1 + below(3); edits > 0; --edits) {
    within = std::min(within, text.size());
    size_t at = below(within);
    uint64_t value = odd[below(std::size(odd))];
    switch (below(snippets.empty() ? 6 : 8)) {
    case 0:
      if (!text.empty())
        text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
      break;
    case 1:
      if (!text.empty())
        text[at] = static_cast<char>(random());
      break;
    case 2: // a field of 4 bytes
      std::memcpy(text.data() + at, &value,
                  std::min<size_t>(4, text.size() - at));
      break;
    case 3: // a field of 8 bytes
      std::memcpy(text.data() + at, &value,
                  std::min<size_t>(8, text.size() - at));
      break;
    case 4:
      text.insert(at, text.substr(below(within), below(64)));
      break;
    case 5:
      text.erase(at, below(4) ? below(16) : std::string::npos);
      break;
    case 6:
      text.insert(at, snippets[below(snippets.size())]);
      break;
    case 7: {
      std::string_view snippet = snippets[below(snippets.size())];
      text.replace(at, snippet.size(), snippet);
      break;
    }
    }
  }
  return text;
}

} // namespace pagoda

#endif // PAGODA_TEST_UNIT_FILES_MUTATION_H
