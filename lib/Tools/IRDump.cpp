#include "IRDump.h"

#include "mlir/Pass/Pass.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

using namespace mlir;

namespace pagoda {

namespace {

namespace fs = std::filesystem;

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return text + "\n";
}

class IRDump final : public PassInstrumentation {
public:
  IRDump(std::string folder, ModuleOp module)
      : folder(std::move(folder)), module(module) {}

  Status write(StringRef step) {
    std::string text = print(module);
    if (text != last || number == 0) {
      char prefix[8];
      std::snprintf(prefix, sizeof prefix, "%02u-", number);
      fs::path path = fs::path(folder) / (prefix + step.str() + ".mlir");
      std::ofstream file(path);
      file << text;
      if (!file.flush())
        return ioError("cannot write '", path.string(), "'");
      last = std::move(text);
    }
    ++number;
    return {};
  }

  void runAfterPass(Pass *pass, Operation *) override {
    // Adaptors only nest other passes.
    if (pass->getArgument().empty())
      return;
    if (Status status = write(pass->getArgument()); !status.ok())
      module->emitWarning() << status.message();
  }

private:
  std::string folder;
  ModuleOp module;
  std::string last;
  unsigned number = 0;
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
  PAGODA_RETURN_IF_ERROR(dump->write("import"));
  return std::unique_ptr<PassInstrumentation>(std::move(dump));
}

} // namespace pagoda
