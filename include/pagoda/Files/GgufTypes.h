//===- GgufTypes.h - The type ids of GGUF files -----------------*- C++ -*-===//
//
// The two tables of numbers that a GGUF file uses: types of metadata values
// and types of tensors. For the reader, the writer and `pagoda inspect`.
//
//   const GgufTensorType *type = ggufTensorType(14);
//   type->name;          // "Q6_K"
//   type->blockBytes;    // 210
//   type->element;       // ElementType of "q6_k"; empty where Pagoda has none
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_FILES_GGUFTYPES_H
#define PAGODA_FILES_GGUFTYPES_H

#include "pagoda/Base/DType.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace pagoda {

/// Types of metadata values, by GGUF's own numbers.
enum class GgufValueType : uint32_t {
  U8 = 0,
  I8 = 1,
  U16 = 2,
  I16 = 3,
  U32 = 4,
  I32 = 5,
  F32 = 6,
  Bool = 7,
  String = 8,
  Array = 9,
  U64 = 10,
  I64 = 11,
  F64 = 12,
};

inline constexpr uint32_t ggufValueTypes = 13;

/// "u8", "string", …
std::string_view ggufValueTypeName(GgufValueType type);
/// Bytes of one value; 0 for strings and arrays, which say their own length.
unsigned ggufValueBytes(GgufValueType type);

/// One type of tensor data. ggml counts in blocks along the contiguous
/// dimension; scalars are blocks of one element.
struct GgufTensorType {
  uint32_t id;
  std::string_view name;
  unsigned blockElements;
  unsigned blockBytes;
  /// What Pagoda calls it; empty for formats that it does not read yet. Their
  /// sizes are known all the same, so that a file which holds them can be
  /// checked and listed.
  std::optional<ElementType> element;
};

/// All known types, by id.
std::span<const GgufTensorType> ggufTensorTypes();
/// Null for an id that ggml has not given out, or has taken back.
const GgufTensorType *ggufTensorType(uint32_t id);
/// Null where GGUF has no such type (u8, i1, Pagoda's own formats).
const GgufTensorType *ggufTensorType(const ElementType &element);

} // namespace pagoda

#endif // PAGODA_FILES_GGUFTYPES_H
