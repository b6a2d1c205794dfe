#include "ProgramBuilder.h"

#include "KernelCost.h"
#include "core/abi.h"
#include "pagoda/Base/Concat.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;

namespace pagoda {

namespace {

namespace fb = flatbuffers;

std::string print(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  flags.useLocalScope();
  op->print(stream, flags);
  return text;
}

/// Where an op comes from: the name that the importer gave it, or file and line
/// of hand-written IR.
std::string placeOf(Location location) {
  std::string place;
  location->walk([&](Location inner) {
    if (auto named = dyn_cast<NameLoc>(inner))
      place = named.getName().str();
    else if (auto file = dyn_cast<FileLineColLoc>(inner))
      place = concat(llvm::sys::path::filename(file.getFilename()).str(), ":",
                     file.getLine(), ":", file.getColumn());
    return place.empty() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return place;
}

/// What the cache keeps for each token of a layer.
struct LayerShape {
  unsigned kvHeads = 0, elements = 0, window = 0;
};

class ProgramBuilder {
public:
  ProgramBuilder(ModuleOp module, const ProgramParts &parts)
      : module(module), parts(parts) {}

  StatusOr<fb::DetachedBuffer> run() {
    for (unsigned index = 0; index < parts.kernels.size(); ++index) {
      exec::KernelOp kernel = parts.kernels[index];
      kernelNumbers[kernel.getSymName()] = index;
    }
    for (unsigned index = 0; index < parts.weights.size(); ++index) {
      llm::DefineOp define = parts.weights[index];
      weightNumbers[define.getSymName()] = index;
    }

    std::vector<fb::Offset<artifact::Entry>> entries;
    for (auto entry : module.getOps<exec::EntryOp>()) {
      PAGODA_ASSIGN_OR_RETURN(fb::Offset<artifact::Entry> built,
                              buildEntry(entry));
      entries.push_back(built);
    }
    auto model = buildModel();
    auto kernels = buildKernels();
    auto images = buildImages();
    auto weights = buildWeights();
    auto cache = buildCache();
    std::vector<fb::Offset<artifact::SourceFile>> templates;
    for (const TemplateFile &file : kernelTemplates())
      templates.push_back(artifact::CreateSourceFileDirect(
          builder, file.path.c_str(), file.text.c_str()));
    builder.Finish(artifact::CreateProgramDirect(
        builder, "pagoda " PAGODA_VERSION, PAGODA_KERNEL_ABI, model, &entries,
        &kernels, &images, &templates, &weights, cache));
    return builder.Release();
  }

private:
  StatusOr<fb::Offset<artifact::Entry>> buildEntry(exec::EntryOp entry) {
    inputs.clear();
    llvm::StringMap<unsigned> dims;
    std::vector<fb::Offset<fb::String>> dimNames;
    for (Attribute attribute : entry.getDims()) {
      StringRef dim = cast<StringAttr>(attribute).getValue();
      dims[dim] = dimNames.size();
      dimNames.push_back(builder.CreateString(dim.str()));
    }
    if (!entry.getSlots())
      return internalError("entry '", entry.getSymName().str(),
                           "' has no memory plan; run pagoda-plan-memory");
    std::vector<fb::Offset<artifact::Size>> slots;
    ArrayAttr slotSizes = *entry.getSlots();
    for (Attribute slot : slotSizes)
      slots.push_back(buildSize(cast<exec::SizeAttr>(slot).getValue(), dims));

    Block &body = entry.getBody().front();
    std::vector<fb::Offset<artifact::Launch>> launches;
    for (auto launch : body.getOps<exec::LaunchOp>()) {
      unsigned kernel = kernelNumbers.lookup(launch.getKernel());
      std::vector<artifact::Argument> arguments;
      for (const KernelArgument &argument : parts.units[kernel].arguments)
        arguments.push_back(resolve(launch, argument, entry));
      noteCacheLayer(launch, parts.kernels[kernel]);
      launches.push_back(artifact::CreateLaunchDirect(
          builder, kernel, dims.lookup(rowsDim(launch)), &arguments,
          placeOf(launch.getLoc()).c_str()));
    }

    std::vector<fb::Offset<artifact::Output>> outputs;
    for (Value value : body.getTerminator()->getOperands()) {
      auto type = cast<exec::BufferType>(value.getType());
      bool isLogits = type.getElementType().isF32();
      outputs.push_back(artifact::CreateOutputDirect(
          builder, isLogits ? "logits" : "greedy", slotOf(value),
          dims.lookup(namedExtent(type)),
          type.getStaticExtent(type.getRank() - 1).value_or(1),
          isLogits ? artifact::OutputType::F32 : artifact::OutputType::I32));
    }
    std::vector<fb::Offset<fb::String>> inputNames(inputs.size());
    for (const auto &[name, number] : inputs)
      inputNames[number] = builder.CreateString(name);
    auto kind = entry->getAttrOfType<StringAttr>(llm::LLMDialect::kEntryAttr);
    std::string name = entry.getSymName().str();
    std::string kindText = kind ? kind.getValue().str() : "";
    return artifact::CreateEntryDirect(builder, name.c_str(), kindText.c_str(),
                                       &dimNames, &inputNames, &slots,
                                       &launches, &outputs);
  }

  fb::Offset<artifact::Size> buildSize(const exec::AffineSize &size,
                                       const llvm::StringMap<unsigned> &dims) {
    std::vector<fb::Offset<artifact::Term>> terms;
    for (const auto &[dim, factor] : size.factors)
      terms.push_back(artifact::CreateTerm(builder, dims.lookup(dim), factor));
    return artifact::CreateSizeDirect(builder, size.constant, &terms);
  }

  static StringRef namedExtent(exec::BufferType type) {
    for (Attribute extent : type.getExtents())
      if (auto name = dyn_cast<StringAttr>(extent))
        return name.getValue();
    return {};
  }

  /// The dim that counts a launch's rows: of its first output, or, where it
  /// only changes the cache, of its first input.
  static StringRef rowsDim(exec::LaunchOp launch) {
    for (ValueRange values :
         {ValueRange(launch.getOutputs()), ValueRange(launch.getInputs())})
      for (Value value : values)
        if (auto type = dyn_cast<exec::BufferType>(value.getType()))
          return namedExtent(type);
    return {};
  }

  static unsigned slotOf(Value value) {
    while (auto view = value.getDefiningOp<exec::ViewOp>())
      value = view.getSource();
    return *value.getDefiningOp<exec::BufferOp>().getSlot();
  }

  artifact::Argument input(const std::string &name) {
    unsigned number =
        inputs.try_emplace(name, static_cast<unsigned>(inputs.size()))
            .first->second;
    return {artifact::ArgumentKind::Input, number};
  }

  artifact::Argument resolve(exec::LaunchOp launch,
                             const KernelArgument &argument,
                             exec::EntryOp entry) {
    using Kind = KernelArgument::Kind;
    switch (argument.kind) {
    case Kind::Field:
      return input(std::string(batchFieldName(argument.field)));
    case Kind::KeyPool:
    case Kind::ValuePool: {
      auto layer =
          launch.getInputs()[argument.index].getDefiningOp<exec::LayerOp>();
      return {argument.kind == Kind::KeyPool
                  ? artifact::ArgumentKind::KeyPool
                  : artifact::ArgumentKind::ValuePool,
              static_cast<unsigned>(layer.getIndex())};
    }
    case Kind::Input:
    case Kind::Output:
      break;
    }
    Value value = argument.kind == Kind::Input
                      ? launch.getInputs()[argument.index]
                      : launch.getOutputs()[argument.index];
    if (auto weight = value.getDefiningOp<exec::WeightOp>())
      return {artifact::ArgumentKind::Weight,
              weightNumbers.lookup(weight.getName())};
    while (auto view = value.getDefiningOp<exec::ViewOp>())
      value = view.getSource();
    if (auto field = value.getDefiningOp<exec::FieldOp>())
      return input(field.getName().str());
    if (isa<BlockArgument>(value))
      return input("ids");
    return {artifact::ArgumentKind::Slot, slotOf(value)};
  }

  /// Remembers the shape of a layer's cache from the contracts that use it.
  void noteCacheLayer(exec::LaunchOp launch, exec::KernelOp kernel) {
    std::optional<unsigned> layer;
    for (Value value : launch.getInputs())
      if (auto op = value.getDefiningOp<exec::LayerOp>())
        layer = op.getIndex();
    if (!layer)
      return;
    LayerShape &shape = layers[*layer];
    kernel.walk([&](Operation *op) {
      if (auto append = dyn_cast<llm::KVAppendOp>(op)) {
        auto key = cast<RankedTensorType>(append.getKey().getType());
        shape.kvHeads = key.getDimSize(1);
        shape.elements = key.getDimSize(2);
      } else if (auto attention = dyn_cast<llm::PagedAttentionOp>(op)) {
        shape.window = attention.getWindow().value_or(0);
      }
    });
  }

  fb::Offset<artifact::Cache> buildCache() {
    llm::KVPolicyAttr policy;
    for (auto entry : module.getOps<exec::EntryOp>())
      if (auto attribute = entry->getAttrOfType<llm::KVPolicyAttr>(
              llm::LLMDialect::kKVPolicyAttr))
        policy = attribute;
    if (!policy)
      return {};
    std::vector<artifact::CacheLayer> built;
    for (const auto &[index, layer] : layers)
      built.emplace_back(layer.kvHeads, layer.elements, layer.elements,
                         layer.window);
    return artifact::CreateCacheDirect(builder,
                                       policy.getDtype().isF16()
                                           ? artifact::CacheType::F16
                                           : artifact::CacheType::F32,
                                       policy.getBlock(), &built);
  }

  std::vector<fb::Offset<artifact::Kernel>> buildKernels() {
    std::vector<fb::Offset<artifact::Kernel>> built;
    for (auto [kernel, unit] : llvm::zip(parts.kernels, parts.units)) {
      exec::KernelOp op = kernel;
      KernelCost cost = costOf(op);
      built.push_back(artifact::CreateKernelDirect(
          builder, unit.name.c_str(), op.getFamily().str().c_str(),
          print(op).c_str(), unitText(unit).c_str(), cost.rowOperations,
          cost.keyOperations));
    }
    return built;
  }

  std::vector<fb::Offset<artifact::Image>> buildImages() {
    std::vector<fb::Offset<artifact::Image>> built;
    for (auto [image, region] : llvm::zip(parts.images, parts.imageRegions)) {
      std::vector<artifact::EntryPoint> points;
      for (const KernelEntryPoint &point : image.entryPoints)
        points.emplace_back(point.tiles, point.run, point.scratchBytes);
      built.push_back(artifact::CreateImageDirect(builder, image.target.c_str(),
                                                  region.offset, region.bytes,
                                                  region.hash, &points));
    }
    return built;
  }

  std::vector<fb::Offset<artifact::Weight>> buildWeights() {
    std::vector<fb::Offset<artifact::Weight>> built;
    for (unsigned i = 0; i < parts.weights.size(); ++i) {
      llm::DefineOp define = parts.weights[i];
      const FileRegion &region = parts.weightRegions[i];
      built.push_back(artifact::CreateWeightDirect(
          builder, define.getSymName().str().c_str(),
          llvm::to_string(define.getType()).c_str(), print(define).c_str(),
          region.offset, region.bytes, region.hash));
    }
    return built;
  }

  fb::Offset<artifact::Model> buildModel() {
    auto info =
        module->getAttrOfType<DictionaryAttr>(llm::LLMDialect::kModelAttr);
    auto text = [&](StringRef name, const char *otherwise) {
      auto value = info ? info.getAs<StringAttr>(name) : StringAttr();
      return value ? value.getValue().str() : std::string(otherwise);
    };
    auto number = [&](StringRef name, int64_t otherwise) {
      auto value = info ? info.getAs<IntegerAttr>(name) : IntegerAttr();
      return value ? value.getInt() : otherwise;
    };
    std::vector<int32_t> stopTokens;
    if (auto stops = info ? info.getAs<DenseI32ArrayAttr>("stop_tokens")
                          : DenseI32ArrayAttr())
      stopTokens.assign(stops.asArrayRef().begin(), stops.asArrayRef().end());
    int64_t vocabulary = 0;
    for (auto entry : module.getOps<exec::EntryOp>())
      for (Value value : entry.getBody().front().getTerminator()->getOperands())
        if (auto type = cast<exec::BufferType>(value.getType());
            type.getElementType().isF32())
          vocabulary = type.getStaticExtent(type.getRank() - 1).value_or(0);
    return artifact::CreateModelDirect(
        builder, text("name", "model").c_str(),
        text("architecture", "custom").c_str(), vocabulary,
        number("context_length", 2048), text("precision", "exact").c_str(),
        number("bos", -1), &stopTokens);
  }

  ModuleOp module;
  const ProgramParts &parts;
  fb::FlatBufferBuilder builder;
  llvm::StringMap<unsigned> kernelNumbers, weightNumbers;
  std::map<std::string, unsigned> inputs;
  std::map<unsigned, LayerShape> layers;
};

} // namespace

StatusOr<fb::DetachedBuffer> buildProgram(ModuleOp module,
                                          const ProgramParts &parts) {
  return ProgramBuilder(module, parts).run();
}

} // namespace pagoda
