//===- BlockCodec.h - Quantised rows to numbers and back --------*- C++ -*-===//
//
// Decodes rows of quantised tensors, takes them apart, and encodes them, as
// they lie in row-major files. For the evaluation of weight expressions, for
// references and for tests that need a quantised model. Plain C++ that gives
// the same bits on every machine.
//
//   std::vector<float> row(576);
//   PAGODA_RETURN_IF_ERROR(
//       decodeRow(QuantFormat::q4_1(), bytes.first(360), row));
//
// The layout of a block: GGUF's own for q4_k and q6_k. For formats of 4 or 8
// bits with f16 or f32 scales it is GGUF's idea with the group as parameter,
// which makes q4_0, q4_1 and q8_0 cases of it: the scale, the minimum if there
// is one, the codes. Codes of 8 bits lie in order; of two codes of 4 bits in a
// byte, the low one belongs to the first half of the group and the high one to
// the second. Signed codes are two's complement.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_WEIGHTS_BLOCKCODEC_H
#define PAGODA_WEIGHTS_BLOCKCODEC_H

#include "pagoda/Base/DType.h"
#include "pagoda/Base/Status.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace pagoda {

/// Whether `format` is one that the functions below can treat. Where it is
/// not they return Unsupported, and InvalidArgument where `row` does not have
/// the bytes of as many elements as the other span says.
bool hasBlockCodec(const QuantFormat &format);

/// The numbers that the row stands for, each rounded once.
Status decodeRow(const QuantFormat &format, std::span<const std::byte> row,
                 std::span<float> values);

/// The parts of QuantFormat's formula, such that in exact arithmetic
///   value = scale * (code - middle) + minimum
/// with middle = 2^(bits-1) for ZeroKind::Middle, else 0. One code an element;
/// one scale and one minimum a group. They are exact too: a super scale times
/// its f16 fits a float. Formats without a minimum have no unpackMinimums.
Status unpackCodes(const QuantFormat &format, std::span<const std::byte> row,
                   std::span<int16_t> codes);
Status unpackScales(const QuantFormat &format, std::span<const std::byte> row,
                    std::span<float> scales);
Status unpackMinimums(const QuantFormat &format, std::span<const std::byte> row,
                      std::span<float> minimums);

/// Quantises by the extremes of each group: for q4_0, q4_1 and q8_0 the same
/// bytes as ggml's reference encoders, for q4_k and q6_k simpler than ggml's
/// search, with a somewhat larger error. InvalidArgument where a value is not
/// finite or a scale too large for its type.
Status encodeRow(const QuantFormat &format, std::span<const float> values,
                 std::span<std::byte> row);

} // namespace pagoda

#endif // PAGODA_WEIGHTS_BLOCKCODEC_H
