#include "Decoder.h"

#include "pagoda/Dialect/LLM/LLMOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

#include <cmath>
#include <set>

using namespace mlir;

namespace pagoda {

namespace {

class DecoderBuilder {
public:
  DecoderBuilder(const DecoderDescription &description,
                 const TensorNaming &naming, const TensorSource &source,
                 const std::string &sourcePath, MLIRContext &context)
      : model(description), naming(naming), source(source), builder(&context),
        module(ModuleOp::create(location("model"))) {
    builder.setInsertionPointToStart(module->getBody());
    llm::SourceOp::create(builder, location("model"), "model",
                          builder.getStringAttr(sourcePath), IntegerAttr(),
                          FloatAttr());
    setModelAttributes();
  }

  StatusOr<OwningOpRef<ModuleOp>>
  run(const std::function<bool(std::string_view)> &mayIgnore) {
    PAGODA_RETURN_IF_ERROR(buildStep());
    for (const std::string &name : source.names())
      if (!used.count(name) && !mayIgnore(name))
        return unsupported("tensor '", name, "' has no place in architecture '",
                           model.architecture, "' as its settings describe it");
    return std::move(module);
  }

private:
  Location location(const std::string &name) {
    return NameLoc::get(builder.getStringAttr(name));
  }

  void setModelAttributes() {
    NamedAttrList info;
    info.set("name", builder.getStringAttr(model.name));
    info.set("architecture", builder.getStringAttr(model.architecture));
    info.set("context_length", builder.getI64IntegerAttr(model.contextLength));
    info.set("bos", builder.getI64IntegerAttr(model.bos));
    info.set("stop_tokens", builder.getDenseI32ArrayAttr(model.stopTokens));
    (*module)->setAttr(llm::LLMDialect::kModelAttr,
                       info.getDictionary(builder.getContext()));
  }

  RankedTensorType floats(std::initializer_list<int64_t> shape) {
    return RankedTensorType::get(shape, builder.getF32Type());
  }
  static constexpr int64_t kUnknown = ShapedType::kDynamic;

  Status buildStep() {
    auto ids = RankedTensorType::get({kUnknown}, builder.getI32Type());
    auto batchType = llm::BatchType::get(builder.getContext());
    auto cacheType = llm::CacheType::get(builder.getContext());
    auto logits = floats({kUnknown, model.vocabulary});
    auto greedy = RankedTensorType::get({kUnknown}, builder.getI32Type());
    auto step = func::FuncOp::create(
        builder, location("step"), "step",
        builder.getFunctionType({ids, batchType, cacheType},
                                {logits, greedy, cacheType}));
    step->setAttr(llm::LLMDialect::kEntryAttr, builder.getStringAttr("step"));
    const char *roles[] = {"ids", "batch", "cache"};
    for (unsigned index = 0; index < 3; ++index)
      step.setArgAttr(index, llm::LLMDialect::kRoleAttr,
                      builder.getStringAttr(roles[index]));
    Block *body = step.addEntryBlock();
    builder.setInsertionPointToStart(body);
    batch = body->getArgument(1);
    cache = body->getArgument(2);
    Location at = location("step");
    tokens = llm::DimOp::create(builder, at, builder.getIndexType(), batch,
                                llm::BatchDim::Tokens);
    positions = llm::PositionsOp::create(builder, at, ids, batch);
    ropeTable = llm::WeightRopeTableOp::create(
        builder, location("rope_table"),
        floats({model.contextLength,
                static_cast<int64_t>(model.rope.frequencies.size()), 2}),
        builder.getDenseF32ArrayAttr(model.rope.frequencies),
        builder.getF32FloatAttr(model.rope.magnitude));

    PAGODA_ASSIGN_OR_RETURN(
        Value table,
        matrix(DecoderTensor::Embedding, -1, model.vocabulary, model.hidden));
    Value x = llm::EmbeddingOp::create(builder, location("embedding"),
                                       floats({kUnknown, model.hidden}),
                                       body->getArgument(0), table);
    for (int64_t layer = 0; layer < model.layers; ++layer) {
      PAGODA_ASSIGN_OR_RETURN(x, buildLayer(layer, x));
    }

    Location end = location("head");
    Value rows = llm::RowsOp::create(builder, end, ids, batch);
    Value last = llm::GatherRowsOp::create(
        builder, end, floats({kUnknown, model.hidden}), x, rows);
    PAGODA_ASSIGN_OR_RETURN(
        Value normed, norm(DecoderTensor::FinalNorm, -1, last, model.hidden));
    if (model.tiedHead) {
      // Some files carry the shared matrix twice.
      used.insert(naming(DecoderTensor::Head, -1) + ".weight");
    } else {
      PAGODA_ASSIGN_OR_RETURN(table, matrix(DecoderTensor::Head, -1,
                                            model.vocabulary, model.hidden));
    }
    Value result =
        llm::LinearOp::create(builder, end, logits, normed, table, Value());
    Value best =
        llm::ArgmaxOp::create(builder, location("greedy"), greedy, result);
    func::ReturnOp::create(builder, at, ValueRange{result, best, cache});
    return {};
  }

  StatusOr<Value> buildLayer(int64_t layer, Value x) {
    int64_t queryWidth = model.heads * model.headDim;
    int64_t keyWidth = model.kvHeads * model.headDim;
    PAGODA_ASSIGN_OR_RETURN(Value normed, norm(DecoderTensor::AttentionNorm,
                                               layer, x, model.hidden));
    PAGODA_ASSIGN_OR_RETURN(
        Value query,
        linear(DecoderTensor::Query, layer, normed, queryWidth, model.qkvBias));
    PAGODA_ASSIGN_OR_RETURN(Value key, linear(DecoderTensor::Key, layer, normed,
                                              keyWidth, model.qkvBias));
    PAGODA_ASSIGN_OR_RETURN(
        Value value,
        linear(DecoderTensor::Value, layer, normed, keyWidth, model.qkvBias));
    query = toHeads(query, layer, model.heads);
    key = toHeads(key, layer, model.kvHeads);
    value = toHeads(value, layer, model.kvHeads);
    if (model.headNorms) {
      PAGODA_ASSIGN_OR_RETURN(
          query, norm(DecoderTensor::QueryNorm, layer, query, model.headDim));
      PAGODA_ASSIGN_OR_RETURN(
          key, norm(DecoderTensor::KeyNorm, layer, key, model.headDim));
    }
    query = rotate(query, layer);
    key = rotate(key, layer);

    std::optional<int64_t> window = model.windows[layer];
    auto attention = llm::AttentionOp::create(
        builder, location(concat("layer.", layer, ".attention")),
        query.getType(), cache.getType(), query, key, value, batch, cache,
        builder.getI64IntegerAttr(layer),
        builder.getF64FloatAttr(1.0 / std::sqrt(double(model.headDim))),
        window ? builder.getI64IntegerAttr(*window) : IntegerAttr());
    cache = attention.getUpdated();
    Value flat = tensor::CollapseShapeOp::create(
        builder, attention.getLoc(), floats({kUnknown, queryWidth}),
        attention.getOutput(), kHeadGroups);
    PAGODA_ASSIGN_OR_RETURN(Value attended,
                            linear(DecoderTensor::Output, layer, flat,
                                   model.hidden, model.outputBias));
    x = add(x, attended, layer, "attention");

    PAGODA_ASSIGN_OR_RETURN(
        normed, norm(DecoderTensor::MlpNorm, layer, x, model.hidden));
    PAGODA_ASSIGN_OR_RETURN(
        Value gate,
        linear(DecoderTensor::Gate, layer, normed, model.mlp, model.mlpBias));
    PAGODA_ASSIGN_OR_RETURN(Value up, linear(DecoderTensor::Up, layer, normed,
                                             model.mlp, model.mlpBias));
    Value gated = llm::GatedOp::create(
        builder, location(concat("layer.", layer, ".gated")), gate.getType(),
        model.activation, gate, up);
    PAGODA_ASSIGN_OR_RETURN(
        Value down,
        linear(DecoderTensor::Down, layer, gated, model.hidden, model.mlpBias));
    return add(x, down, layer, "mlp");
  }

  /// [[0], [1, 2]]: a row of heads and its elements.
  const SmallVector<ReassociationIndices> kHeadGroups = {{0}, {1, 2}};

  Value toHeads(Value flat, int64_t layer, int64_t heads) {
    SmallVector<OpFoldResult> sizes = {tokens, builder.getIndexAttr(heads),
                                       builder.getIndexAttr(model.headDim)};
    return tensor::ExpandShapeOp::create(
        builder, location(concat("layer.", layer, ".heads")),
        floats({kUnknown, heads, model.headDim}), flat, kHeadGroups, sizes);
  }

  Value rotate(Value heads, int64_t layer) {
    return llm::RopeOp::create(
        builder, location(concat("layer.", layer, ".rope")), heads.getType(),
        model.rope.style, heads, positions, ropeTable);
  }

  Value add(Value a, Value b, int64_t layer, const char *what) {
    return arith::AddFOp::create(
        builder, location(concat("layer.", layer, ".", what, "_residual")), a,
        b);
  }

  StatusOr<Value> norm(DecoderTensor which, int64_t layer, Value x,
                       int64_t size) {
    std::string name = naming(which, layer);
    PAGODA_ASSIGN_OR_RETURN(Value weight, vector(name + ".weight", size));
    return Value(
        llm::RMSNormOp::create(builder, location(name), x.getType(), x, weight,
                               builder.getF64FloatAttr(model.epsilon)));
  }

  StatusOr<Value> linear(DecoderTensor which, int64_t layer, Value x,
                         int64_t outputs, bool hasBias) {
    std::string name = naming(which, layer);
    int64_t inputs = cast<RankedTensorType>(x.getType()).getDimSize(1);
    PAGODA_ASSIGN_OR_RETURN(Value weight,
                            matrix(which, layer, outputs, inputs));
    Value bias;
    if (hasBias) {
      PAGODA_ASSIGN_OR_RETURN(bias, vector(name + ".bias", outputs));
    }
    return Value(llm::LinearOp::create(
        builder, location(name), floats({kUnknown, outputs}), x, weight, bias));
  }

  StatusOr<Value> matrix(DecoderTensor which, int64_t layer, int64_t rows,
                         int64_t columns) {
    return weight(naming(which, layer) + ".weight", {rows, columns});
  }

  /// A vector of f32, whatever float the file has: norms and biases are small,
  /// and kernels read them as floats.
  StatusOr<Value> vector(const std::string &name, int64_t size) {
    PAGODA_ASSIGN_OR_RETURN(Value value, weight(name, {size}));
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getElementType().isF32())
      return value;
    if (!isa<FloatType>(type.getElementType()))
      return unsupported("tensor '", name,
                         "' is quantised, where floats are "
                         "expected");
    return Value(
        arith::ExtFOp::create(builder, location(name), floats({size}), value));
  }

  StatusOr<Value> weight(const std::string &name, WeightShape shape) {
    PAGODA_ASSIGN_OR_RETURN(SourceTensor tensor, source.tensor(name));
    if (tensor.shape != shape)
      return invalidArgument("tensor '", name, "' has shape [",
                             join(tensor.shape), "], the settings ask for [",
                             join(shape), "]");
    used.insert(name);
    Type element = llm::getMLIRType(builder.getContext(), tensor.type);
    return Value(llm::NamedWeightOp::create(
        builder, location(name), RankedTensorType::get(shape, element), "model",
        name));
  }

  const DecoderDescription &model;
  const TensorNaming &naming;
  const TensorSource &source;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
  std::set<std::string> used;
  Value batch, cache, tokens, positions, ropeTable;
};

} // namespace

StatusOr<OwningOpRef<ModuleOp>>
buildDecoder(const DecoderDescription &description, const TensorNaming &naming,
             const TensorSource &source, const std::string &sourcePath,
             MLIRContext &context,
             const std::function<bool(std::string_view)> &mayIgnore) {
  return DecoderBuilder(description, naming, source, sourcePath, context)
      .run(mayIgnore);
}

} // namespace pagoda
