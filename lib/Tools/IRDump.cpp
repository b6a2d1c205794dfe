#include "IRDump.h"

#include "DumpPage.h"
#include "StepGraph.h"
#include "pagoda/Dialect/LLM/LLMDialect.h"

#include "mlir/Pass/Pass.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

using namespace mlir;

namespace pagoda {

namespace {

namespace fs = std::filesystem;

std::string modelName(ModuleOp module) {
  auto info =
      module->getAttrOfType<DictionaryAttr>(llm::LLMDialect::kModelAttr);
  auto name = info ? info.getAs<StringAttr>("name") : StringAttr();
  return name ? name.getValue().str() : "model";
}

class IRDump final : public PassInstrumentation {
public:
  IRDump(std::string folder, ModuleOp module)
      : folder(std::move(folder)), module(module),
        page("Compile of " + modelName(module)) {}

  ~IRDump() override {
    warn(page.write((fs::path(folder) / "index.html").string()));
  }

  Status write(StringRef step, StringRef summary, bool always = false) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    AsmState::LocationMap lines;
    AsmState state(module, OpPrintingFlags(), &lines);
    module->print(stream, state);
    text += "\n";
    if (text == last && !always) {
      page.addIdle(number++, step.str());
      return {};
    }
    char prefix[16];
    std::snprintf(prefix, sizeof prefix, "%02u-", number);
    fs::path path = fs::path(folder) / (prefix + step.str() + ".mlir");
    std::ofstream file(path);
    file << text;
    if (!file.flush())
      return ioError("cannot write '", path.string(), "'");
    page.addStep(number++, step.str(), summary.str(), text,
                 describeGraphs(module, state, lines));
    last = std::move(text);
    return {};
  }

  void runAfterPass(Pass *pass, Operation *) override {
    // Adaptors only nest other passes.
    if (!pass->getArgument().empty())
      warn(write(pass->getArgument(), pass->getDescription()));
  }

  void runAfterPassFailed(Pass *pass, Operation *) override {
    if (!pass->getArgument().empty())
      warn(write((pass->getArgument() + "-failed").str(),
                 "The IR as the pass left it when it failed",
                 /*always=*/true));
  }

private:
  void warn(const Status &status) {
    if (!status.ok())
      module->emitWarning() << status.message();
  }

  std::string folder;
  ModuleOp module;
  std::string last;
  unsigned number = 0;
  DumpPage page;
};

} // namespace

StatusOr<std::unique_ptr<PassInstrumentation>>
createIRDump(const std::string &folder, ModuleOp module) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    return ioError("cannot create '", folder, "': ", error.message());
  // Files of an earlier run would stand between those of this one.
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".mlir")
      fs::remove(entry.path(), error);
  auto dump = std::make_unique<IRDump>(folder, module);
  PAGODA_RETURN_IF_ERROR(dump->write("import",
                                     "What the front end made of the model",
                                     /*always=*/true));
  return std::unique_ptr<PassInstrumentation>(std::move(dump));
}

} // namespace pagoda
