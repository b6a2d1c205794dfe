//===- KernelFamily.h - The rows of kernels.def -----------------*- C++ -*-===//
//
// What each kernel template computes and what it can take along. For fusion,
// selection and code generation, which look families up here instead of
// knowing any of them.
//
//   const KernelFamily *family = findFamilyByAnchor("llm.rms_norm");
//   family->absorbs(Absorb::GatherBefore); // true
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_KERNELS_KERNELFAMILY_H
#define PAGODA_KERNELS_KERNELFAMILY_H

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace pagoda {

/// What a group may hold beside its anchor.
enum class Absorb : uint32_t {
  Nothing = 0,
  /// Further anchors over the same input.
  Siblings = 1 << 0,
  /// Elementwise ops on the results.
  PointwiseAfter = 1 << 1,
  /// The choice of rows in front.
  GatherBefore = 1 << 2,
  /// Rotary embeddings in front.
  RotationBefore = 1 << 3,
  /// Normalisations of single heads in front.
  HeadNormBefore = 1 << 4,
  /// Rounding in front.
  CastBefore = 1 << 5,
  /// Rounding of the result to 8 bits.
  QuantizeAfter = 1 << 6,
};
constexpr Absorb operator|(Absorb a, Absorb b) {
  return static_cast<Absorb>(static_cast<uint32_t>(a) |
                             static_cast<uint32_t>(b));
}

/// Arrays of the batch that a kernel may read.
enum class BatchField : uint8_t {
  Position,
  Rows,
  QueryStart,
  KVLength,
  BlockTable,
  Slot,
};
/// "position", "rows", "q_start", "kv_length", "block_table", "slot".
std::string_view batchFieldName(BatchField field);

struct KernelFamily {
  std::string_view name;
  std::string_view header;
  std::string_view templateName;
  /// Name of the op that groups form around; empty for elementwise ops.
  std::string_view anchor;
  Absorb absorbed;
  std::vector<BatchField> fields;

  bool absorbs(Absorb what) const {
    return (static_cast<uint32_t>(absorbed) & static_cast<uint32_t>(what)) != 0;
  }
};

std::span<const KernelFamily> kernelFamilies();
/// Null where there is none.
const KernelFamily *findFamily(std::string_view name);
const KernelFamily *findFamilyByAnchor(std::string_view opName);

} // namespace pagoda

#endif // PAGODA_KERNELS_KERNELFAMILY_H
