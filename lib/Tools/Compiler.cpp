#include "pagoda/Tools/Compiler.h"

#include "IRDump.h"
#include "pagoda/Codegen/ImageBuilder.h"
#include "pagoda/Codegen/Serializer.h"
#include "pagoda/Dialect/LLM/LLMDialect.h"
#include "pagoda/Import/Import.h"
#include "pagoda/Runtime/Tokenizer/LoadTokenizer.h"
#include "pagoda/Tools/RegisterAll.h"
#include "pagoda/Transforms/Pipelines.h"
#include "pagoda/Verify/PassVerifier.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

#include <cstdlib>
#include <filesystem>

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

/// A folder that is gone, with what is in it, when this is.
class ScratchFolder {
public:
  static StatusOr<std::unique_ptr<ScratchFolder>> create() {
    std::string path =
        (std::filesystem::temp_directory_path() / "pagoda-XXXXXX").string();
    if (!::mkdtemp(path.data()))
      return ioError("cannot create a folder in '",
                     std::filesystem::temp_directory_path().string(), "'");
    return std::make_unique<ScratchFolder>(std::move(path));
  }
  explicit ScratchFolder(std::string path) : path(std::move(path)) {}
  ~ScratchFolder() {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  }

  const std::string path;
};

/// Serialises and runs what was written. An artifact gets its name once it has
/// passed; without a name it goes.
Status serializeVerified(ModuleOp module, SerializeOptions serialization,
                         PassVerifier &verifier) {
  PAGODA_ASSIGN_OR_RETURN(std::unique_ptr<ScratchFolder> scratch,
                          ScratchFolder::create());
  std::string output = serialization.output;
  serialization.output =
      output.empty() ? scratch->path + "/model.pgd" : output + ".unverified";
  // The search for a faulty kernel builds them again and again.
  if (serialization.kernelCache.empty())
    serialization.kernelCache = scratch->path + "/kernels";
  Status status = serialize(module, serialization);
  if (status.ok())
    status = verifier.checkCompiled(serialization.output, serialization);
  std::error_code error;
  if (!status.ok() || output.empty())
    std::filesystem::remove(serialization.output, error);
  else
    std::filesystem::rename(serialization.output, output, error);
  if (status.ok() && error)
    return ioError("cannot write '", output, "': ", error.message());
  return status;
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
  std::unique_ptr<PassVerifier> verifier;
  if (options.verifyPasses) {
    // Nothing may change the module while it is executed.
    context.disableMultithreading();
    PAGODA_ASSIGN_OR_RETURN(
        verifier,
        PassVerifier::create(module, {model.sourceFolder, options.log}));
    manager.addInstrumentation(verifier->instrument());
  }
  bool passesSucceed = succeeded(manager.run(module));
  if (verifier && !verifier->status().ok())
    return verifier->status();
  if (!passesSucceed)
    return invalidArgument("'", options.model, "' does not compile:\n",
                           sink.errors);
  if (options.output.empty() && !verifier)
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
  return verifier ? serializeVerified(module, serialization, *verifier)
                  : serialize(module, serialization);
}

} // namespace pagoda
