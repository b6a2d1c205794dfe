#include "Plants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"

using namespace mlir;

namespace pagoda::plants {

namespace {

class PlantPass : public PassWrapper<PlantPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlantPass)

  explicit PlantPass(const Plant &plant) : plant(&plant) {}

  StringRef getArgument() const override { return plant->name; }
  StringRef getDescription() const override { return plant->what; }

  void runOnOperation() override {
    if (plant->spoil(getOperation()))
      return;
    getOperation().emitError()
        << plant->name << " found nothing here that it could spoil";
    signalPassFailure();
  }

private:
  const Plant *plant;
};

void registerPlants() {
  for (ArrayRef<Plant> plants : {attentionPlants(), cachePlants(), execPlants(),
                                 linearPlants(), normPlants(), weightPlants()})
    for (const Plant &plant : plants)
      registerPass([&plant] { return std::make_unique<PlantPass>(plant); });
}

} // namespace

Value splat(OpBuilder &builder, Location location, ArrayRef<int64_t> shape,
            float number) {
  auto type = RankedTensorType::get(shape, builder.getF32Type());
  return arith::ConstantOp::create(builder, location,
                                   DenseElementsAttr::get(type, {number}));
}

Value linear(OpBuilder &builder, Location location, Value input, Value weight,
             Value bias) {
  auto in = cast<RankedTensorType>(input.getType());
  auto matrix = cast<RankedTensorType>(weight.getType());
  auto type = RankedTensorType::get({in.getDimSize(0), matrix.getDimSize(0)},
                                    builder.getF32Type());
  return llm::LinearOp::create(builder, location, type, input, weight, bias);
}

} // namespace pagoda::plants

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT ::mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "pagoda-plants", LLVM_VERSION_STRING,
          pagoda::plants::registerPlants};
}
