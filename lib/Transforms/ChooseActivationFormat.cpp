//===- ChooseActivationFormat.cpp - Where activations are rounded ---------===//
//
// Puts llm.quantize in front of linears whose weights are integer codes
// (before and after: Passes.td). One rounding serves all readers of a value.
//
//===----------------------------------------------------------------------===//

#include "pagoda/Dialect/LLM/LLMOps.h"
#include "pagoda/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace pagoda {
#define GEN_PASS_DEF_CHOOSEACTIVATIONFORMATPASS
#include "pagoda/Transforms/Passes.h.inc"
} // namespace pagoda

using namespace mlir;

#define DEBUG_TYPE "pagoda-choose-activation-format"

namespace pagoda {

namespace {

struct ChooseActivationFormatPass
    : impl::ChooseActivationFormatPassBase<ChooseActivationFormatPass> {
  using ChooseActivationFormatPassBase::ChooseActivationFormatPassBase;

  void runOnOperation() override {
    func::FuncOp entry = getOperation();
    if (!entry->hasAttr(llm::LLMDialect::kEntryAttr) || format == "f32")
      return;
    if (format != "i8") {
      entry.emitError() << "the activation format is f32 or i8, found '"
                        << format << "'";
      return signalPassFailure();
    }
    if (group == 0 || group % 16 != 0 || group > UINT16_MAX) {
      entry.emitError() << "a group holds a multiple of 16 values, found "
                        << group.getValue();
      return signalPassFailure();
    }
    llvm::DenseMap<Value, Value> rounded;
    entry.walk([&](llm::LinearOp linear) {
      if (!takesIntegers(linear))
        return;
      Value &value = rounded[linear.getInput()];
      if (!value)
        value = quantize(linear.getInput());
      linear.getInputMutable().set(value);
      ++numRounded;
    });
  }

  /// Weights of 8 bits or fewer, of a width that groups divide; inputs that
  /// are not rounded yet.
  bool takesIntegers(llm::LinearOp linear) {
    auto weight = cast<RankedTensorType>(linear.getWeight().getType());
    auto input = cast<RankedTensorType>(linear.getInput().getType());
    auto type = dyn_cast<llm::QuantType>(weight.getElementType());
    return type && type.getFormat().bits <= 8 &&
           input.getElementType().isF32() && input.getDimSize(1) % group == 0;
  }

  Value quantize(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    QuantFormat format{8, static_cast<uint16_t>(group.getValue()),
                       ScaleKind::F32, ZeroKind::Signed};
    OpBuilder builder(&getContext());
    builder.setInsertionPointAfterValue(value);
    return llm::QuantizeOp::create(
        builder, value.getLoc(),
        type.clone(llm::QuantType::get(&getContext(), format)), value);
  }
};

} // namespace
} // namespace pagoda
