#include "pagoda/Codegen/WeightLowering.h"

#include "pagoda/Dialect/LLM/LLMOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

#include <filesystem>

using namespace mlir;

namespace pagoda {

namespace {

WeightShape shapeOf(Value value) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  return {shape.begin(), shape.end()};
}

ElementType typeOf(Value value) {
  return *llm::getElementType(
      cast<RankedTensorType>(value.getType()).getElementType());
}

std::string describe(const WeightShape &shape, const ElementType &type) {
  std::string text;
  for (int64_t extent : shape)
    text += concat(extent, "x");
  return text + type.name();
}

} // namespace

/// Lowers one body; values are expressions.
class DefinitionLowering {
public:
  explicit DefinitionLowering(const WeightLowering &context)
      : context(context) {}

  StatusOr<LoweredWeight> run(llm::DefineOp define) {
    LoweredWeight result;
    for (Operation &op : define.getBody().front().without_terminator()) {
      if (auto pack = dyn_cast<llm::WeightPackOp>(op)) {
        PAGODA_ASSIGN_OR_RETURN(result.packed,
                                PackedWeight::create(get(pack.getInput())));
        continue;
      }
      if (result.packed)
        return unsupported("packed bytes are not computed with");
      PAGODA_ASSIGN_OR_RETURN(values[op.getResult(0)], lower(&op));
    }
    if (!result.packed)
      result.plain =
          get(define.getBody().front().getTerminator()->getOperand(0));
    return result;
  }

private:
  Weight get(Value value) { return values.lookup(value); }

  StatusOr<Weight> lower(Operation *op) {
    using Result = StatusOr<Weight>;
    return llvm::TypeSwitch<Operation *, Result>(op)
        .Case([&](llm::NamedWeightOp weight) { return lowerNamed(weight); })
        .Case([&](llm::WeightSliceOp slice) {
          return sliceWeight(get(slice.getInput()), slice.getAxis(),
                             slice.getOffset(),
                             shapeOf(slice.getResult())[slice.getAxis()]);
        })
        .Case([&](llm::WeightConcatOp joined) {
          std::vector<Weight> inputs;
          for (Value input : joined.getInputs())
            inputs.push_back(get(input));
          return concatWeights(std::move(inputs), joined.getAxis());
        })
        .Case([&](llm::WeightTransposeOp transposed) {
          ArrayRef<int64_t> permutation = transposed.getPermutation();
          return transposeWeight(get(transposed.getInput()),
                                 {permutation.begin(), permutation.end()});
        })
        .Case([&](llm::WeightReshapeOp reshaped) {
          return reshapeWeight(get(reshaped.getInput()),
                               shapeOf(reshaped.getResult()));
        })
        .Case([&](llm::WeightRopeTableOp table) -> Result {
          ArrayRef<float> frequencies = table.getFrequencies();
          return ropeTableWeight(shapeOf(table.getResult())[0],
                                 {frequencies.begin(), frequencies.end()},
                                 table.getMagnitude().convertToFloat());
        })
        .Case([&](llm::WeightCodesOp part) {
          return codesOfWeight(get(part.getInput()));
        })
        .Case([&](llm::WeightScalesOp part) {
          return scalesOfWeight(get(part.getInput()));
        })
        .Case([&](llm::WeightZerosOp part) {
          return zerosOfWeight(get(part.getInput()));
        })
        .Case([&](llm::WeightComposeOp composed) {
          return composeWeight(
              typeOf(composed.getResult()).format(), get(composed.getCodes()),
              get(composed.getScales()),
              composed.getZeros() ? get(composed.getZeros()) : nullptr);
        })
        .Case([&](llm::DequantizeOp op) {
          return dequantizeWeight(get(op.getInput()));
        })
        .Case([&](arith::ExtFOp widened) {
          return widenWeight(get(widened.getIn()));
        })
        .Case<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp>(
            [&](auto arithmetic) { return lowerArithmetic(arithmetic); })
        .Case(
            [&](arith::ConstantOp constant) { return lowerConstant(constant); })
        .Default([](Operation *other) -> Result {
          return unsupported("'", other->getName().getStringRef().str(),
                             "' is not computed on weights yet");
        });
  }

  StatusOr<Weight> lowerNamed(llm::NamedWeightOp weight) {
    const WeightLowering::Source &source =
        context.sources.at(weight.getSource().str());
    std::string name = weight.getName().str();
    WeightShape shape = shapeOf(weight.getResult());
    ElementType type = typeOf(weight.getResult());
    if (!source.file) {
      if (!(type == ElementType(DType::F32)))
        return unsupported("random tensors are of f32, '", name, "' is ",
                           type.name());
      return randomWeight(shape, source.seed, name, source.deviation);
    }
    PAGODA_ASSIGN_OR_RETURN(SourceTensor tensor, source.file->tensor(name));
    if (tensor.shape != shape || !(tensor.type == type))
      return invalidArgument(
          "tensor '", name, "' is ", describe(tensor.shape, tensor.type),
          " in the file and ", describe(shape, type), " in the module");
    return sourceWeight(shape, type, tensor.bytes);
  }

  StatusOr<Weight> lowerArithmetic(Operation *op) {
    WeightArithmetic operation =
        isa<arith::AddFOp>(op)   ? WeightArithmetic::Add
        : isa<arith::SubFOp>(op) ? WeightArithmetic::Subtract
        : isa<arith::MulFOp>(op) ? WeightArithmetic::Multiply
                                 : WeightArithmetic::Divide;
    return combineWeights(operation, get(op->getOperand(0)),
                          get(op->getOperand(1)));
  }

  StatusOr<Weight> lowerConstant(arith::ConstantOp op) {
    auto dense = dyn_cast<DenseFPElementsAttr>(op.getValue());
    if (!dense || !dense.getElementType().isF32())
      return unsupported("constants among weights are tensors of f32");
    std::vector<float> numbers;
    for (const APFloat &value : dense.getValues<APFloat>())
      numbers.push_back(value.convertToFloat());
    return constantWeight(shapeOf(op.getResult()), std::move(numbers));
  }

  const WeightLowering &context;
  llvm::DenseMap<Value, Weight> values;
};

StatusOr<WeightLowering> WeightLowering::create(ModuleOp module,
                                                const std::string &folder) {
  WeightLowering lowering;
  for (auto op : module.getOps<llm::SourceOp>()) {
    Source source;
    if (op.getPath()) {
      std::filesystem::path path(op.getPath()->str());
      if (path.is_relative())
        path = std::filesystem::path(folder) / path;
      PAGODA_ASSIGN_OR_RETURN(source.file,
                              TensorSource::open(path.lexically_normal()));
    } else {
      source.seed = *op.getSeed();
      source.deviation = op.getDeviation()->convertToDouble();
    }
    lowering.sources.emplace(op.getSymName().str(), std::move(source));
  }
  return lowering;
}

StatusOr<LoweredWeight> WeightLowering::lower(llm::DefineOp define) const {
  return DefinitionLowering(*this).run(define).withContext(
      concat("weight '", define.getSymName().str(), "'"));
}

const TensorSource *WeightLowering::source(const std::string &symbol) const {
  auto found = sources.find(symbol);
  return found == sources.end() ? nullptr : found->second.file.get();
}

} // namespace pagoda
