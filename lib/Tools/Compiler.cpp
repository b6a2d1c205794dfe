#include "pagoda/Tools/Compiler.h"

#include "IRDump.h"
#include "pagoda/Codegen/ImageBuilder.h"
#include "pagoda/Codegen/Serializer.h"
#include "pagoda/Dialect/LLM/LLMDialect.h"
#include "pagoda/Import/Import.h"
#include "pagoda/Runtime/Tokenizer/LoadTokenizer.h"
#include "pagoda/Tools/RegisterAll.h"
#include "pagoda/Transforms/Pipelines.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

namespace pagoda {

namespace {

Status loadPlugins(const std::vector<std::string> &paths) {
  for (const std::string &path : paths) {
    llvm::Expected<PassPlugin> plugin = PassPlugin::load(path);
    if (!plugin)
      return invalidArgument("cannot load the pass plugin '", path,
                             "': ", llvm::toString(plugin.takeError()));
    plugin->registerPassRegistryCallbacks();
  }
  return {};
}

/// Turns diagnostics into lines of a log and the text of an error.
class DiagnosticSink {
public:
  DiagnosticSink(MLIRContext &context, const CompileOptions &options)
      : handler(&context, [this, &options](Diagnostic &diagnostic) {
          std::string text;
          llvm::raw_string_ostream(text)
              << describe(diagnostic.getLocation()) << diagnostic;
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
            errors += (errors.empty() ? "" : "\n") + text;
            for (Diagnostic &note : diagnostic.getNotes())
              llvm::raw_string_ostream(errors) << "\n  note: " << note;
          } else if (options.log &&
                     (diagnostic.getSeverity() == DiagnosticSeverity::Warning ||
                      options.remarks)) {
            options.log(text);
          }
          return success();
        }) {}

  std::string errors;

private:
  /// "model.layers.0.mlp: " for values named by the importer, file and line
  /// for hand-written IR.
  static std::string describe(Location location) {
    if (auto name = dyn_cast<NameLoc>(location))
      return name.getName().str() + ": ";
    if (isa<UnknownLoc>(location))
      return "";
    std::string text;
    llvm::raw_string_ostream stream(text);
    if (auto file = dyn_cast<FileLineColLoc>(location))
      stream << file.getFilename().getValue() << ":" << file.getLine() << ":"
             << file.getColumn();
    else
      stream << location;
    return text + ": ";
  }

  ScopedDiagnosticHandler handler;
};

void setPrecision(ModuleOp module, const std::string &precision) {
  auto info =
      module->getAttrOfType<DictionaryAttr>(llm::LLMDialect::kModelAttr);
  NamedAttrList list(info ? info : DictionaryAttr::get(module.getContext()));
  list.set("precision", StringAttr::get(module.getContext(), precision));
  module->setAttr(llm::LLMDialect::kModelAttr,
                  list.getDictionary(module.getContext()));
}

Status checkOptions(const CompileOptions &options) {
  if (options.precision != "exact" && options.precision != "fast")
    return invalidArgument("the precision is 'exact' or 'fast', found '",
                           options.precision, "'");
  for (const std::string &target : options.targets)
    if (!llvm::is_contained(cpuTargets(), target))
      return invalidArgument("unknown CPU target '", target, "'; known are ",
                             join(cpuTargets()));
  return {};
}

} // namespace

Status compileModel(const CompileOptions &options) {
  PAGODA_RETURN_IF_ERROR(checkOptions(options));
  PAGODA_RETURN_IF_ERROR(loadPlugins(options.passPlugins));
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
  DiagnosticSink sink(context, options);

  PAGODA_ASSIGN_OR_RETURN(
      ImportedModel model,
      importModel(options.model, context, {options.contextLength}));
  ModuleOp module = *model.module;
  setPrecision(module, options.precision);
  PAGODA_ASSIGN_OR_RETURN(std::optional<rt::Tokenizer> tokenizer,
                          StringRef(options.model).ends_with(".mlir")
                              ? std::optional<rt::Tokenizer>()
                              : rt::loadTokenizer(options.model));

  auto manager = PassManager::on<ModuleOp>(&context);
  CompilePipelineOptions pipeline;
  bool fast = options.precision == "fast";
  pipeline.activations = fast ? "i8" : "f32";
  pipeline.kvDtype = !options.kvDtype.empty() ? options.kvDtype
                     : fast                   ? "f16"
                                              : "f32";
  pipeline.insertAfter = options.insertAfter;
  PAGODA_RETURN_IF_ERROR(buildCompilePipeline(manager, pipeline));
  if (!options.dumpFolder.empty()) {
    PAGODA_ASSIGN_OR_RETURN(std::unique_ptr<PassInstrumentation> dump,
                            createIRDump(options.dumpFolder, module));
    manager.addInstrumentation(std::move(dump));
  }
  if (failed(manager.run(module)))
    return invalidArgument("'", options.model, "' does not compile:\n",
                           sink.errors);
  if (options.output.empty())
    return {};

  SerializeOptions serialization;
  serialization.output = options.output;
  serialization.targets = options.targets;
  if (serialization.targets.empty())
    for (std::string_view target : cpuTargets())
      serialization.targets.emplace_back(target);
  serialization.sourceFolder = model.sourceFolder;
  if (tokenizer)
    serialization.tokenizer.assign(tokenizer->bytes().begin(),
                                   tokenizer->bytes().end());
  serialization.kernelCache = options.kernelCache;
  serialization.keepKernels = options.keepKernels;
  serialization.progress = options.progress;
  return serialize(module, serialization);
}

} // namespace pagoda
