#include "Commands.h"
#include "CompilerLibrary.h"
#include "Options.h"
#include "Progress.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>

namespace pagoda::cli {

namespace {

struct CompileArguments {
  ModelOptions model;
  std::string output;
  std::vector<std::string> targets, plugins, insertAfter;
  std::string dumpFolder, keepKernels, kernelCache;
  bool verify = false, remarks = false, noCache = false;
};

std::vector<const char *> pointers(const std::vector<std::string> &texts) {
  std::vector<const char *> list;
  for (const std::string &text : texts)
    list.push_back(text.c_str());
  list.push_back(nullptr);
  return list;
}

const char *orNull(const std::string &text) {
  return text.empty() ? nullptr : text.c_str();
}

Status compile(CompileArguments &arguments) {
  namespace fs = std::filesystem;
  const std::string &model = arguments.model.path;
  if (model.ends_with(".pgd"))
    return invalidArgument("'", model, "' is an artifact already");
  if (arguments.output.empty() && !arguments.verify) {
    fs::path path = fs::path(model).lexically_normal();
    if (!path.has_filename())
      path = path.parent_path();
    arguments.output = path.stem().string() + ".pgd";
  }
  if (!arguments.noCache && arguments.kernelCache.empty() &&
      !cacheFolder().empty())
    arguments.kernelCache = cacheFolder() + "/kernels";

  PAGODA_ASSIGN_OR_RETURN(CompilerLibrary compiler, CompilerLibrary::open());
  auto targets = pointers(arguments.targets);
  auto plugins = pointers(arguments.plugins);
  auto insertAfter = pointers(arguments.insertAfter);
  Progress progress("compiling");
  PagodaCompileOptions options = {};
  options.structSize = sizeof options;
  options.model = model.c_str();
  options.output = orNull(arguments.output);
  options.precision = orNull(arguments.model.precision);
  options.kvDtype = orNull(arguments.model.kvDtype);
  options.contextLength = arguments.model.contextLength;
  options.targets = targets.data();
  options.passPlugins = plugins.data();
  options.insertAfter = insertAfter.data();
  options.dumpFolder = orNull(arguments.dumpFolder);
  options.kernelCache = orNull(arguments.kernelCache);
  options.keepKernels = orNull(arguments.keepKernels);
  options.verifyPasses = arguments.verify;
  options.remarks = arguments.remarks;
  options.user = &progress;
  options.progress = [](void *user, const char *phase, double fraction) {
    static_cast<Progress *>(user)->show(phase, fraction);
  };
  options.log = [](void *, const char *line) {
    std::fprintf(stderr, "%s\n", line);
  };
  auto start = std::chrono::steady_clock::now();
  PAGODA_RETURN_IF_ERROR(compiler.compile(options));
  if (arguments.output.empty())
    return {};
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  std::error_code error;
  std::printf("%s: %.1f MB in %.2f s\n", arguments.output.c_str(),
              static_cast<double>(fs::file_size(arguments.output, error)) / 1e6,
              seconds.count());
  return {};
}

} // namespace

void addCompile(CLI::App &app, const Choose &choose) {
  auto arguments = std::make_shared<CompileArguments>();
  CLI::App *command = app.add_subcommand(
      "compile", "Compile a model into an artifact that runs by itself");
  addModelOptions(*command, arguments->model);
  command
      ->add_option("--kv-dtype", arguments->model.kvDtype,
                   "storage of keys and values (default: f16, or f32 with "
                   "--precision exact)")
      ->check(CLI::IsMember({"f32", "f16"}))
      ->group("Model");

  constexpr const char *kOutput = "Output";
  command
      ->add_option("-o,--output", arguments->output,
                   "the artifact to write (default: NAME.pgd here)")
      ->group(kOutput);
  command
      ->add_option("--target", arguments->targets,
                   "CPU level to compile kernels for; may be repeated "
                   "(default: x86-64-v3 and avx512-vnni)")
      ->group(kOutput);

  constexpr const char *kPasses = "Watching and proving the passes";
  command
      ->add_option("--dump-ir", arguments->dumpFolder,
                   "write the IR after every pass that changed it here, and "
                   "an index.html to look at")
      ->type_name("FOLDER")
      ->group(kPasses);
  command
      ->add_flag("--verify-passes", arguments->verify,
                 "execute the IR before and after every pass, and the "
                 "compiled program, and name the first that differs")
      ->group(kPasses);
  command
      ->add_option("--verify-insert-after", arguments->insertAfter,
                   "PASS:OTHER, run the registered pass OTHER after PASS: "
                   "plants a fault for --verify-passes to find")
      ->group(kPasses);
  command
      ->add_option("--load-pass-plugin", arguments->plugins,
                   "a shared library with further passes")
      ->group(kPasses);
  command
      ->add_flag("--remarks", arguments->remarks,
                 "say what passes could not do and why")
      ->group(kPasses);

  constexpr const char *kKernels = "Kernels";
  command
      ->add_option("--keep-kernels", arguments->keepKernels,
                   "keep sources and ELF files of the kernels here")
      ->type_name("FOLDER")
      ->group(kKernels);
  command
      ->add_option("--kernel-cache", arguments->kernelCache,
                   "where compiled kernels are kept between compiles "
                   "(default: ~/.cache/pagoda/kernels)")
      ->type_name("FOLDER")
      ->group(kKernels);
  command
      ->add_flag("--no-kernel-cache", arguments->noCache,
                 "compile every kernel anew")
      ->group(kKernels);
  addExamples(*command, {"pagoda compile model.gguf -o model.pgd",
                         "pagoda compile models/llama --precision exact",
                         "pagoda compile model.gguf --dump-ir=ir   (then open "
                         "ir/index.html)",
                         "pagoda compile model.gguf --verify-passes"});
  command->callback([=] { choose([=] { return compile(*arguments); }); });
}

} // namespace pagoda::cli
