//===- SafetensorsParser.h - From bytes to a checked file -------*- C++ -*-===//
//
// The walk over one safetensors file: 8 bytes of length, a JSON header, data.
// For Safetensors.cpp.
//
//   SafetensorsParser(bytes, file).parse();
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_FILES_SAFETENSORSPARSER_H
#define PAGODA_LIB_FILES_SAFETENSORSPARSER_H

#include "pagoda/Files/Json.h"
#include "pagoda/Files/Safetensors.h"

namespace pagoda {

class SafetensorsParser {
public:
  /// Fills `file`, whose name is set.
  SafetensorsParser(std::span<const std::byte> bytes, SafetensorsFile &file)
      : bytes(bytes), file(file) {}

  Status parse();

private:
  /// A tensor and where the header says that its data lies.
  struct Entry {
    SafetensorsTensor tensor;
    uint64_t begin;
    uint64_t end;
  };

  Status readHeader(std::string_view &header);
  Status readMetadata(const JsonValue &value);
  Status readTensor(std::string_view name, const JsonValue &value);
  Status readOffsets(const JsonValue &value, Entry &entry);
  Status checkSize(const Entry &entry, unsigned bits);
  Status placeTensors();

  template <typename... Parts>
  Status corrupt(const Parts &...parts) {
    return corruptData(file.name, ": ", parts...);
  }

  std::span<const std::byte> bytes;
  std::span<const std::byte> data;
  SafetensorsFile &file;
  std::vector<Entry> entries;
};

} // namespace pagoda

#endif // PAGODA_LIB_FILES_SAFETENSORSPARSER_H
