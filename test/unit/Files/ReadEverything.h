//===- ReadEverything.h - All that a caller could ask -----------*- C++ -*-===//
//
// Calls every getter with every name and touches every byte of data, so that
// a file which was wrongly accepted shows under a sanitizer. For the mutation
// tests and the fuzzers. The results depend on all that was read, which keeps
// the optimiser from leaving it out.
//
//   auto file = GgufFile::fromBytes(bytes, "damaged");
//   if (file.ok())
//     readEverything(*file);
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TEST_UNIT_FILES_READEVERYTHING_H
#define PAGODA_TEST_UNIT_FILES_READEVERYTHING_H

#include "pagoda/Files/Gguf.h"
#include "pagoda/Files/Safetensors.h"

namespace pagoda {

/// A file in which a name does not lead back to its tensor is a fault too.
template <typename File>
size_t readTensors(const File &file) {
  size_t sum = 0;
  for (const auto &tensor : file.tensors()) {
    if (file.findTensor(tensor.name) != &tensor)
      std::abort();
    sum += file.elementType(tensor).ok();
    for (std::byte b : tensor.bytes)
      sum += static_cast<size_t>(b);
  }
  return sum;
}

inline size_t readEverything(const GgufFile &file) {
  size_t sum = readTensors(file);
  for (const GgufValue &value : file.values()) {
    if (file.findValue(value.key) != &value)
      std::abort();
    sum += file.getU32(value.key).ok() + file.getI32(value.key).ok() +
           file.getU64(value.key).ok() + file.getI64(value.key).ok() +
           file.getF32(value.key).ok() + file.getF64(value.key).ok() +
           file.getBool(value.key).ok() + file.getString(value.key).ok() +
           file.getBools(value.key).ok() + file.getI32s(value.key).ok() +
           file.getI64s(value.key).ok() + file.getF32s(value.key).ok() +
           file.getF64s(value.key).ok();
    if (auto list = file.getStrings(value.key); list.ok())
      for (std::string_view text : *list)
        sum += text.empty() ? 0 : static_cast<uint8_t>(text.back());
  }
  return sum;
}

inline size_t readEverything(const SafetensorsFile &file) {
  size_t sum = readTensors(file);
  for (const auto &[key, text] : file.metadata())
    sum += key.size() + text.size();
  return sum;
}

} // namespace pagoda

#endif // PAGODA_TEST_UNIT_FILES_READEVERYTHING_H
