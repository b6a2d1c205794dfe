// Integer dot products: 16 lanes of four unsigned bytes (codes of a weight)
// times four signed bytes (an activation, the same for all lanes).
//
//   acc = dot<Bits>(acc, codes, four)
//
// adds (codes[4 l + j] - kDotBias<Bits>) * four[j] for j = 0 … 3 to lane l,
// exactly: no level may saturate. Codes use the lowest `Bits` bits of a byte;
// activations lie in [-127, 127].

#ifndef PAGODA_KERNELS_CORE_DOT_H
#define PAGODA_KERNELS_CORE_DOT_H

#include "core/target_cpu.h"

namespace pagoda {

typedef u8 u8x64 __attribute__((vector_size(64)));
typedef i8 i8x64 __attribute__((vector_size(64)));

// Four activation bytes as a word.
PG_FN u32 load_four(const i8 *p) {
  typedef u32 u32_any __attribute__((aligned(1), may_alias));
  return *reinterpret_cast<const u32_any *>(p);
}

#if defined(__AVX512VNNI__)

template <int Bits>
inline constexpr int kDotBias = 0;

template <int Bits>
PG_FN i32x16 dot(i32x16 acc, u32x16 codes, u32 four) {
  u32x16 all = four - u32x16{};
  return (i32x16)__builtin_ia32_vpdpbusd512((i32x16)acc, (u8x64)codes,
                                            (i8x64)all);
}

#else

typedef i16 i16x16 __attribute__((vector_size(32)));
typedef i32 i32x8 __attribute__((vector_size(32)));
typedef char c8x32 __attribute__((vector_size(32)));

// Multiplying bytes adds pairs in 16 bits, where two products of 8-bit codes
// could saturate: 2 * 255 * 127 > 32767. So codes of 8 bits are taken as
// signed, code - 128, and their signs moved to the activations: 2 * 128 * 127
// fits.
template <int Bits>
inline constexpr int kDotBias = Bits <= 7 ? 0 : 128;

template <int Bits>
PG_FN i32x8 dot_half(i32x8 acc, i32x8 codes, i32x8 all) {
  const i16x16 ones = (i16)1 - i16x16{};
  c8x32 left = (c8x32)codes, right = (c8x32)all;
  if constexpr (Bits > 7) {
    c8x32 code = left ^ ((char)-128 - c8x32{}); // code - 128
    left = __builtin_ia32_psignb256(code, code);
    right = __builtin_ia32_psignb256(right, code);
  }
  auto pairs = (i16x16)__builtin_ia32_pmaddubsw256(left, right);
  return acc + (i32x8)__builtin_ia32_pmaddwd256(pairs, ones);
}

template <int Bits>
PG_FN i32x16 dot(i32x16 acc, u32x16 codes, u32 four) {
  union Halves {
    i32x16 whole;
    i32x8 half[2];
  };
  Halves a{acc}, c{(i32x16)codes};
  i32x8 all = (i32)four - i32x8{};
  a.half[0] = dot_half<Bits>(a.half[0], c.half[0], all);
  a.half[1] = dot_half<Bits>(a.half[1], c.half[1], all);
  return a.whole;
}

#endif

} // namespace pagoda

#endif // PAGODA_KERNELS_CORE_DOT_H
