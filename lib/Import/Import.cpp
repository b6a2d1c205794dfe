#include "pagoda/Import/Import.h"

#include "EntryContract.h"
#include "GGUF/GGUF.h"
#include "HuggingFace/HuggingFace.h"
#include "pagoda/Base/MappedFile.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

#include <filesystem>
#include <fstream>

namespace pagoda {

namespace {

StatusOr<ImportedModel> importMLIR(const std::string &path,
                                   mlir::MLIRContext &context) {
  std::string errors;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        llvm::raw_string_ostream stream(errors);
        stream << (errors.empty() ? "" : "\n");
        mlir::Location location = diagnostic.getLocation();
        if (auto file = llvm::dyn_cast<mlir::FileLineColLoc>(location))
          stream << file.getFilename().getValue() << ":" << file.getLine()
                 << ":" << file.getColumn();
        else
          stream << location;
        stream << ": " << diagnostic;
        return mlir::success();
      });
  PAGODA_ASSIGN_OR_RETURN(MappedFile text, MappedFile::open(path));
  PAGODA_RETURN_IF_ERROR(
      checkNesting({reinterpret_cast<const char *>(text.bytes().data()),
                    text.bytes().size()})
          .withPath(path));
  ImportedModel imported;
  imported.module = mlir::parseSourceFile<mlir::ModuleOp>(path, &context);
  if (!imported.module)
    return invalidArgument("'", path, "' is not valid IR:\n", errors);
  PAGODA_RETURN_IF_ERROR(checkEntryContract(*imported.module).withPath(path));
  imported.sourceFolder =
      std::filesystem::absolute(path).parent_path().string();
  Status sources = checkSources(*imported.module, imported.sourceFolder);
  if (!errors.empty())
    return invalidArgument("'", path, "' is not valid IR:\n", errors);
  if (!sources.ok())
    return std::move(sources).withPath(path);
  return imported;
}

bool startsWith(const std::string &path, std::string_view magic) {
  std::ifstream file(path, std::ios::binary);
  std::string start(magic.size(), '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  return file && start == magic;
}

} // namespace

StatusOr<ImportedModel> importModel(const std::string &path,
                                    mlir::MLIRContext &context,
                                    const ImportOptions &options) {
  std::error_code error;
  auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status))
    return notFound("no such file or folder: '", path, "'");
  if (std::filesystem::is_directory(status))
    return importHuggingFace(path, context, options);
  if (path.ends_with(".mlir"))
    return importMLIR(path, context);
  if (path.ends_with(".gguf") || startsWith(path, "GGUF"))
    return importGguf(path, context, options);
  return unsupported("'", path,
                     "' is not a model that Pagoda imports; give a Hugging "
                     "Face folder, a .gguf or an .mlir file");
}

} // namespace pagoda
