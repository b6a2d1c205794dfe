// write-gguf-sample FILE: a GGUF file with one of everything, for
// gguf_interop.py to read with another implementation. For each format it
// holds random blocks with their decoded values, and random values with their
// encoded blocks.

#include "pagoda/Files/GgufWriter.h"
#include "pagoda/Weights/BlockCodec.h"

#include <cstdio>
#include <deque>
#include <random>

using namespace pagoda;

namespace {

constexpr int64_t rows = 8, columns = 1024;

class Sample {
public:
  Status addMetadata();
  Status addFormat(const QuantFormat &format);
  Status write(const std::string &path) { return writer.write(path); }

private:
  Status add(const std::string &name, ElementType type,
             std::span<const std::byte> bytes) {
    return writer.addTensor(name, {rows, columns}, type, bytes);
  }

  GgufWriter writer{64};
  std::mt19937 random{7};
  // The writer refers to the bytes; a deque does not move them.
  std::deque<std::vector<std::byte>> blocks;
  std::deque<std::vector<float>> numbers;
};

Status Sample::addMetadata() {
  writer.addString("general.architecture", "sample");
  writer.addBool("test.bool", true);
  writer.addU32("test.u32", 4000000000);
  writer.addI32("test.i32", -7);
  writer.addU64("test.u64", uint64_t(1) << 40);
  writer.addI64("test.i64", -(int64_t(1) << 40));
  writer.addF32("test.f32", 0.5f);
  writer.addF64("test.f64", 1e300);
  writer.addString("test.string", "größe");
  writer.addBools("test.bools", {true, false, true});
  writer.addU32s("test.u32s", std::vector<uint32_t>{1, 4000000000});
  writer.addI32s("test.i32s", std::vector<int32_t>{-1, 2});
  writer.addF32s("test.f32s", std::vector<float>{0.25f, -2});
  writer.addStrings("test.strings", std::vector<std::string>{"a", "", "bc"});
  return Status();
}

Status Sample::addFormat(const QuantFormat &format) {
  ElementType type = ElementType::quantised(format);
  std::string name = format.name();

  auto &raw = blocks.emplace_back(rows * type.rowBytes(columns));
  for (std::byte &b : raw)
    b = std::byte(random());
  auto &decoded = numbers.emplace_back(rows * columns);
  PAGODA_RETURN_IF_ERROR(decodeRow(format, raw, decoded));
  PAGODA_RETURN_IF_ERROR(add(name + ".raw", type, raw));
  PAGODA_RETURN_IF_ERROR(add(name + ".raw.decoded", DType::F32,
                             std::as_bytes(std::span(decoded))));

  auto &values = numbers.emplace_back(rows * columns);
  std::normal_distribution<float> normal(0.2f, 1.0f);
  for (float &value : values)
    value = normal(random);
  auto &encoded = blocks.emplace_back(raw.size());
  PAGODA_RETURN_IF_ERROR(encodeRow(format, values, encoded));
  PAGODA_RETURN_IF_ERROR(
      add(name + ".values", DType::F32, std::as_bytes(std::span(values))));
  return add(name + ".values.encoded", type, encoded);
}

Status run(const std::string &path) {
  Sample sample;
  PAGODA_RETURN_IF_ERROR(sample.addMetadata());
  for (const QuantFormat &format :
       {QuantFormat::q4_0(), QuantFormat::q4_1(), QuantFormat::q8_0(),
        QuantFormat::q4_k(), QuantFormat::q6_k()})
    PAGODA_RETURN_IF_ERROR(sample.addFormat(format));
  return sample.write(path);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write-gguf-sample FILE\n");
    return 2;
  }
  Status status = run(argv[1]);
  if (status.ok())
    return 0;
  std::fprintf(stderr, "%s\n", status.message().c_str());
  return 1;
}
