#include "pagoda/Reference/Interpreter/WeightFiles.h"

#include "pagoda/Files/Gguf.h"
#include "pagoda/Files/Safetensors.h"

#include <filesystem>
#include <optional>

namespace pagoda::reference {

/// One of the three kinds of files that weights come in.
class WeightFiles::File {
public:
  static StatusOr<std::unique_ptr<File>> open(const std::string &path) {
    auto file = std::make_unique<File>();
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) {
      PAGODA_ASSIGN_OR_RETURN(file->folder, SafetensorsSet::open(path));
    } else if (path.ends_with(".safetensors")) {
      PAGODA_ASSIGN_OR_RETURN(file->single, SafetensorsFile::open(path));
    } else {
      PAGODA_ASSIGN_OR_RETURN(file->gguf, GgufFile::open(path));
    }
    return file;
  }

  StatusOr<RawTensor> tensor(const std::string &name) const {
    if (gguf) {
      PAGODA_ASSIGN_OR_RETURN(const GgufTensor *found, gguf->tensor(name));
      PAGODA_ASSIGN_OR_RETURN(ElementType type, gguf->elementType(*found));
      return RawTensor{
          type, {found->shape().begin(), found->shape().end()}, found->bytes};
    }
    return folder ? tensorOf(*folder, name) : tensorOf(*single, name);
  }

private:
  template <typename Files>
  static StatusOr<RawTensor> tensorOf(const Files &files,
                                      const std::string &name) {
    PAGODA_ASSIGN_OR_RETURN(const SafetensorsTensor *found, files.tensor(name));
    PAGODA_ASSIGN_OR_RETURN(ElementType type, files.elementType(*found));
    return RawTensor{type, found->shape, found->bytes};
  }

  std::optional<GgufFile> gguf;
  std::optional<SafetensorsFile> single;
  std::optional<SafetensorsSet> folder;
};

WeightFiles::WeightFiles(std::string folder) : folder(std::move(folder)) {}
WeightFiles::~WeightFiles() = default;

StatusOr<RawTensor> WeightFiles::tensor(const std::string &path,
                                        const std::string &name) {
  std::unique_ptr<File> &file = files[path];
  if (!file) {
    std::filesystem::path full(path);
    if (full.is_relative())
      full = std::filesystem::path(folder) / full;
    PAGODA_ASSIGN_OR_RETURN(file, File::open(full.lexically_normal()));
  }
  return file->tensor(name);
}

} // namespace pagoda::reference
