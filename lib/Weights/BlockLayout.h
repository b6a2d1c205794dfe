//===- BlockLayout.h - Where the parts of a block lie -----------*- C++ -*-===//
//
// A class for each layout of quantised blocks, all with the same members, so
// that each function of the codec is written once:
//
//   visitLayout(format, [&](auto layout) {
//     layout.forEachCode(block, [&](unsigned group, unsigned i, int code) {
//       values[i] = scales[group] * (code - layout.middle);
//     });
//   });
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_WEIGHTS_BLOCKLAYOUT_H
#define PAGODA_LIB_WEIGHTS_BLOCKLAYOUT_H

#include "pagoda/Base/DType.h"
#include "pagoda/Base/Float16.h"
#include "pagoda/Base/Status.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace pagoda::blocks {

inline float loadHalf(const uint8_t *at) {
  uint16_t bits;
  std::memcpy(&bits, at, sizeof bits);
  return halfToFloat(bits);
}
/// Returns what a reader will see.
inline float storeHalf(uint8_t *at, float value) {
  uint16_t bits = floatToHalf(value);
  std::memcpy(at, &bits, sizeof bits);
  return halfToFloat(bits);
}

/// One group a block. `fixedGroup` is 0 where the group is not known at
/// compile time; a constant lets the loops over it be unrolled.
template <unsigned bits, ScaleKind scaleKind, ZeroKind zeroKind,
          unsigned fixedGroup>
struct PlainLayout {
  static constexpr bool hasMinimum = zeroKind == ZeroKind::Minimum;
  static constexpr bool isSigned = zeroKind == ZeroKind::Signed;
  static constexpr int middle =
      zeroKind == ZeroKind::Middle ? 1 << (bits - 1) : 0;
  static constexpr int maxCode = (1 << (isSigned ? bits - 1 : bits)) - 1;
  static constexpr unsigned groups = 1;
  static constexpr unsigned scaleBytes = scaleKind == ScaleKind::F16 ? 2 : 4;
  static constexpr unsigned codesAt = scaleBytes * (hasMinimum ? 2 : 1);

  unsigned runtimeGroup;
  unsigned group() const { return fixedGroup ? fixedGroup : runtimeGroup; }

  /// One number a group; minimums as they are added.
  static void loadScales(const uint8_t *block, float *scales) {
    *scales = loadNumber(block);
  }
  static void loadMinimums(const uint8_t *block, float *minimums) {
    *minimums = hasMinimum ? loadNumber(block + scaleBytes) : 0.0f;
  }
  static void storeNumber(uint8_t *at, float value) {
    if constexpr (scaleKind == ScaleKind::F16)
      storeHalf(at, value);
    else
      std::memcpy(at, &value, sizeof value);
  }

  /// Calls `use(group, position in the block, code)`.
  template <typename Use>
  void forEachCode(const uint8_t *block, Use use) const {
    const uint8_t *codes = block + codesAt;
    if constexpr (bits == 8) {
      for (unsigned i = 0; i < group(); ++i)
        use(0u, i, toSigned(codes[i]));
    } else {
      // Two loops: each writes consecutive elements.
      unsigned half = group() / 2;
      for (unsigned i = 0; i < half; ++i)
        use(0u, i, toSigned(codes[i] & 15));
      for (unsigned i = 0; i < half; ++i)
        use(0u, i + half, toSigned(codes[i] >> 4));
    }
  }
  /// Stores `code(position)` for each position.
  template <typename Code>
  void storeCodes(uint8_t *block, Code code) const {
    uint8_t *codes = block + codesAt;
    unsigned half = group() / 2;
    if constexpr (bits == 8)
      for (unsigned i = 0; i < group(); ++i)
        codes[i] = static_cast<uint8_t>(code(i));
    else
      for (unsigned i = 0; i < half; ++i)
        codes[i] =
            static_cast<uint8_t>((code(i) & 15) | (code(i + half) & 15) << 4);
  }

private:
  static float loadNumber(const uint8_t *at) {
    if constexpr (scaleKind == ScaleKind::F16)
      return loadHalf(at);
    float value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  static int toSigned(int code) {
    constexpr int sign = 1 << (bits - 1);
    return isSigned ? (code ^ sign) - sign : code;
  }
};

/// q4_k: 8 groups of 32, each with a 6-bit scale and minimum.
struct Q4KLayout {
  static constexpr bool hasMinimum = true;
  static constexpr int middle = 0;
  static constexpr unsigned groups = 8, groupSize = 32;
  static constexpr unsigned scaleAt = 0, minimumAt = 2, sixBitsAt = 4,
                            codesAt = 16;

  struct SixBits {
    uint8_t scale[groups];
    uint8_t minimum[groups];
  };
  /// The first four pairs fill the low six bits of eight bytes; the other four
  /// have nibbles in the last four bytes and their top bits above the first.
  static SixBits loadSixBits(const uint8_t *block) {
    const uint8_t *s = block + sixBitsAt;
    SixBits pairs;
    for (unsigned j = 0; j < 4; ++j) {
      pairs.scale[j] = s[j] & 63;
      pairs.minimum[j] = s[j + 4] & 63;
      pairs.scale[j + 4] = (s[j + 8] & 15) | (s[j] >> 6 << 4);
      pairs.minimum[j + 4] = (s[j + 8] >> 4) | (s[j + 4] >> 6 << 4);
    }
    return pairs;
  }
  static void storeSixBits(uint8_t *block, const SixBits &pairs) {
    uint8_t *s = block + sixBitsAt;
    for (unsigned j = 0; j < 4; ++j) {
      unsigned scale = pairs.scale[j + 4], minimum = pairs.minimum[j + 4];
      s[j] = static_cast<uint8_t>(pairs.scale[j] | scale >> 4 << 6);
      s[j + 4] = static_cast<uint8_t>(pairs.minimum[j] | minimum >> 4 << 6);
      s[j + 8] = static_cast<uint8_t>((scale & 15) | (minimum & 15) << 4);
    }
  }

  static void loadScales(const uint8_t *block, float *scales) {
    float super = loadHalf(block + scaleAt);
    SixBits pairs = loadSixBits(block);
    for (unsigned g = 0; g < groups; ++g)
      scales[g] = super * static_cast<float>(pairs.scale[g]);
  }
  static void loadMinimums(const uint8_t *block, float *minimums) {
    float super = loadHalf(block + minimumAt);
    SixBits pairs = loadSixBits(block);
    for (unsigned g = 0; g < groups; ++g)
      minimums[g] = -(super * static_cast<float>(pairs.minimum[g]));
  }

  /// Groups 2i and 2i+1 share 32 bytes: low and high nibbles.
  template <typename Use>
  static void forEachCode(const uint8_t *block, Use use) {
    for (unsigned g = 0; g < groups; ++g)
      for (unsigned i = 0; i < groupSize; ++i)
        use(g, groupSize * g + i,
            int(block[codesAt + 32 * (g / 2) + i] >> (g % 2 * 4) & 15));
  }
  /// Into a block whose codes are zero.
  static void addCode(uint8_t *block, unsigned position, unsigned code) {
    unsigned g = position / 32;
    block[codesAt + 32 * (g / 2) + position % 32] |= code << (g % 2 * 4);
  }
};

/// q6_k: 16 groups of 16, each with a signed 8-bit scale. Codes lie in two
/// halves of 128, each of four runs of 32 elements.
struct Q6KLayout {
  static constexpr bool hasMinimum = false;
  static constexpr int middle = 32;
  static constexpr unsigned groups = 16, groupSize = 16;
  static constexpr unsigned lowAt = 0, highAt = 128, scalesAt = 192,
                            scaleAt = 208;

  static void loadScales(const uint8_t *block, float *scales) {
    float super = loadHalf(block + scaleAt);
    for (unsigned g = 0; g < groups; ++g)
      scales[g] =
          super * static_cast<float>(static_cast<int8_t>(block[scalesAt + g]));
  }
  static void loadMinimums(const uint8_t *, float *) {}

  template <typename Use>
  static void forEachCode(const uint8_t *block, Use use) {
    for (unsigned g = 0; g < groups; ++g) {
      unsigned half = g / 8, run = g / 2 % 4, first = g % 2 * groupSize;
      const uint8_t *low = block + lowAt + 64 * half + 32 * (run & 1) + first;
      const uint8_t *high = block + highAt + 32 * half + first;
      for (unsigned i = 0; i < groupSize; ++i)
        use(g, groupSize * g + i,
            int((low[i] >> (run / 2 * 4) & 15) | (high[i] >> (2 * run) & 3)
                                                     << 4));
    }
  }
  static void addCode(uint8_t *block, unsigned position, unsigned code) {
    unsigned half = position / 128, run = position / 32 % 4, i = position % 32;
    block[lowAt + 64 * half + 32 * (run & 1) + i] |= (code & 15)
                                                     << (run / 2 * 4);
    block[highAt + 32 * half + i] |= code >> 4 << (2 * run);
  }
};

inline bool isPlain(const QuantFormat &format) {
  return !format.hasSuperScale() && (format.bits == 4 || format.bits == 8) &&
         format.group != 0 && format.group % 2 == 0;
}

/// Calls `use` with the PlainLayout of `format`.
template <typename Use>
void visitPlain(const QuantFormat &format, Use use) {
  auto withZero = [&]<unsigned bits, ScaleKind scale, ZeroKind zero>() {
    if (format.group == 32)
      use(PlainLayout<bits, scale, zero, 32>{32});
    else
      use(PlainLayout<bits, scale, zero, 0>{format.group});
  };
  auto withScale = [&]<unsigned bits, ScaleKind scale>() {
    if (format.zero == ZeroKind::Signed)
      withZero.template operator()<bits, scale, ZeroKind::Signed>();
    else if (format.zero == ZeroKind::Middle)
      withZero.template operator()<bits, scale, ZeroKind::Middle>();
    else
      withZero.template operator()<bits, scale, ZeroKind::Minimum>();
  };
  auto withBits = [&]<unsigned bits>() {
    if (format.scale == ScaleKind::F16)
      withScale.template operator()<bits, ScaleKind::F16>();
    else
      withScale.template operator()<bits, ScaleKind::F32>();
  };
  if (format.bits == 4)
    withBits.template operator()<4>();
  else
    withBits.template operator()<8>();
}

/// Calls `use` with the layout of `format`, one that checkRow lets pass.
template <typename Use>
void visitLayout(const QuantFormat &format, Use use) {
  if (format == QuantFormat::q4_k())
    use(Q4KLayout());
  else if (format == QuantFormat::q6_k())
    use(Q6KLayout());
  else
    visitPlain(format, use);
}

/// Whether there is a layout, and a row of `elements` has `bytes` bytes.
Status checkRow(const QuantFormat &format, size_t bytes, uint64_t elements);

} // namespace pagoda::blocks

#endif // PAGODA_LIB_WEIGHTS_BLOCKLAYOUT_H
