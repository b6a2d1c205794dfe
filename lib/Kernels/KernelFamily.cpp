#include "pagoda/Kernels/KernelFamily.h"

namespace pagoda {

std::string_view batchFieldName(BatchField field) {
  switch (field) {
  case BatchField::Position:
    return "position";
  case BatchField::Rows:
    return "rows";
  case BatchField::QueryStart:
    return "q_start";
  case BatchField::KVLength:
    return "kv_length";
  case BatchField::BlockTable:
    return "block_table";
  case BatchField::Slot:
    return "slot";
  }
  return "";
}

std::span<const KernelFamily> kernelFamilies() {
  static const std::vector<KernelFamily> families = {
#define KERNEL_FAMILY(name, header, template, anchor, absorbs, ...)            \
  {#name, header, #template, anchor, absorbs, __VA_ARGS__},
#include "kernels/kernels.def"
  };
  return families;
}

const KernelFamily *findFamily(std::string_view name) {
  for (const KernelFamily &family : kernelFamilies())
    if (family.name == name)
      return &family;
  return nullptr;
}

const KernelFamily *findFamilyByAnchor(std::string_view opName) {
  for (const KernelFamily &family : kernelFamilies())
    if (!family.anchor.empty() && family.anchor == opName)
      return &family;
  return nullptr;
}

} // namespace pagoda
