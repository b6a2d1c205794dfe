//===- Storage.h - Tensors and their bytes ----------------------*- C++ -*-===//
//
// Reads tensors from memory and writes them back, in the two layouts that
// Pagoda has: row-major, as files hold them, and `tile32`, as kernels stream
// matrices (docs/packing.md). Both are written as formulas from an element to
// the place of its bits, one element at a time. For the interpreter, which
// reads weights by it, and as the second opinion on lib/Weights.
//
//   Tensor w = loadRows(ElementType(DType::BF16), {64, 64}, bytes);
//   std::vector<std::byte> packed = packTile32(w);
//   Tensor rows = unpackTile32(w.type, 64, packed, /*firstRow=*/7, /*rows=*/1);
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_REFERENCE_OPS_STORAGE_H
#define PAGODA_REFERENCE_OPS_STORAGE_H

#include "pagoda/Base/Status.h"
#include "pagoda/Reference/Ops/Tensor.h"

#include <cstddef>
#include <span>

namespace pagoda::reference {

/// Scalars, formats of 4 or 8 bits with f16 or f32 scales, q4_k and q6_k.
bool isStorable(const ElementType &type);

/// The tensor that row-major bytes hold. Errors: Unsupported for element types
/// that are not storable, InvalidArgument for too many or too few bytes.
StatusOr<Tensor> loadRows(const ElementType &type, Shape shape,
                          std::span<const std::byte> bytes);
/// The inverse. Numbers are rounded to the element type.
StatusOr<std::vector<std::byte>> storeRows(const Tensor &tensor);

/// Bytes of one tile of 32 rows; Unsupported for types without such a layout.
StatusOr<int64_t> tile32Bytes(const ElementType &type, int64_t columns);
/// A matrix as tiles of 32 rows; rows that fill up the last one are zero bytes.
StatusOr<std::vector<std::byte>> packTile32(const Tensor &matrix);
/// Rows [firstRow, firstRow + rows) of the matrix whose tiles, from the first
/// one on, are `bytes`.
StatusOr<Tensor> unpackTile32(const ElementType &type, int64_t columns,
                              std::span<const std::byte> bytes,
                              int64_t firstRow, int64_t rows);

} // namespace pagoda::reference

#endif // PAGODA_REFERENCE_OPS_STORAGE_H
