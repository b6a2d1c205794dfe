#include "pagoda/Transforms/Passes.h"

#include "llvm/ADT/StringSwitch.h"

namespace pagoda {

std::optional<Rounding> getRounding(llvm::StringRef flag) {
  return llvm::StringSwitch<std::optional<Rounding>>(flag)
#define PAGODA_PASS_ROUNDING(flag, rounding) .Case(flag, Rounding::rounding)
#include "pagoda/Transforms/PassRounding.inc"
#undef PAGODA_PASS_ROUNDING
      .Default(std::nullopt);
}

} // namespace pagoda
