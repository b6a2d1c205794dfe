//===- Packing.h - The layout that kernels stream ---------------*- C++ -*-===//
//
// Packs matrices into the layout `tile32` (docs/packing.md; the kernels' side
// is kernels/templates/core/formats.h). For the artifact writer. A matrix
// [N, K] becomes tiles of 32 rows, the last one filled up with zeros; a tile
// is one linear stream over K.
//
//   PAGODA_ASSIGN_OR_RETURN(PackedWeight packed, PackedWeight::create(w));
//   std::vector<std::byte> tile(packed.tileBytes());
//   PAGODA_RETURN_IF_ERROR(packed.readTiles(0, 1, tile.data()));
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_WEIGHTS_PACKING_H
#define PAGODA_WEIGHTS_PACKING_H

#include "pagoda/Weights/Expression.h"

namespace pagoda {

inline constexpr int64_t kTileRows = 32;

/// Bytes of a tile of 32 rows of `elements`; Unsupported for element types
/// that the layout does not know.
StatusOr<uint64_t> packedTileBytes(const ElementType &type, int64_t elements);

class PackedWeight {
public:
  /// Errors: InvalidArgument for what is not a matrix, Unsupported as above.
  static StatusOr<PackedWeight> create(Weight matrix);

  uint64_t tiles() const;
  uint64_t tileBytes() const { return bytesOfTile; }
  /// Writes tiles [first, first + count) to `out`.
  Status readTiles(uint64_t first, uint64_t count, std::byte *out) const;

private:
  PackedWeight(Weight matrix, uint64_t tileBytes)
      : matrix(std::move(matrix)), bytesOfTile(tileBytes) {}

  Weight matrix;
  uint64_t bytesOfTile;
};

} // namespace pagoda

#endif // PAGODA_WEIGHTS_PACKING_H
