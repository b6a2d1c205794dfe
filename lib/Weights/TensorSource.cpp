#include "pagoda/Weights/TensorSource.h"

#include "pagoda/Files/Gguf.h"
#include "pagoda/Files/Safetensors.h"

#include <filesystem>

namespace pagoda {

namespace {

class GgufSource final : public TensorSource {
public:
  explicit GgufSource(GgufFile file) : file(std::move(file)) {}

  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const GgufTensor &tensor : file.tensors())
      names.emplace_back(tensor.name);
    return names;
  }
  bool has(std::string_view name) const override {
    return file.findTensor(name) != nullptr;
  }
  StatusOr<SourceTensor> tensor(std::string_view name) const override {
    PAGODA_ASSIGN_OR_RETURN(const GgufTensor *tensor, file.tensor(name));
    PAGODA_ASSIGN_OR_RETURN(ElementType type, file.elementType(*tensor));
    return SourceTensor{
        {tensor->shape().begin(), tensor->shape().end()}, type, tensor->bytes};
  }

private:
  GgufFile file;
};

/// A file or a folder: both have the same interface.
template <typename Files>
class SafetensorsSource final : public TensorSource {
public:
  explicit SafetensorsSource(Files files) : files(std::move(files)) {}

  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto &tensor : files.tensors())
      names.push_back(nameOf(tensor));
    return names;
  }
  bool has(std::string_view name) const override {
    return files.findTensor(name) != nullptr;
  }
  StatusOr<SourceTensor> tensor(std::string_view name) const override {
    PAGODA_ASSIGN_OR_RETURN(const SafetensorsTensor *tensor,
                            files.tensor(name));
    PAGODA_ASSIGN_OR_RETURN(ElementType type, files.elementType(*tensor));
    return SourceTensor{tensor->shape, type, tensor->bytes};
  }

private:
  static const std::string &nameOf(const SafetensorsTensor &tensor) {
    return tensor.name;
  }
  static const std::string &nameOf(const SafetensorsTensor *tensor) {
    return tensor->name;
  }

  Files files;
};

} // namespace

StatusOr<std::unique_ptr<TensorSource>>
TensorSource::open(const std::string &path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    PAGODA_ASSIGN_OR_RETURN(SafetensorsSet set, SafetensorsSet::open(path));
    return std::unique_ptr<TensorSource>(
        std::make_unique<SafetensorsSource<SafetensorsSet>>(std::move(set)));
  }
  if (path.ends_with(".safetensors")) {
    PAGODA_ASSIGN_OR_RETURN(SafetensorsFile file, SafetensorsFile::open(path));
    return std::unique_ptr<TensorSource>(
        std::make_unique<SafetensorsSource<SafetensorsFile>>(std::move(file)));
  }
  PAGODA_ASSIGN_OR_RETURN(GgufFile file, GgufFile::open(path));
  return std::unique_ptr<TensorSource>(
      std::make_unique<GgufSource>(std::move(file)));
}

} // namespace pagoda
