#include "BlockLayout.h"
#include "pagoda/Weights/BlockCodec.h"

namespace pagoda {

using namespace blocks;

namespace {

/// Calls `use(layout, block, index of the block)` for the blocks of a row.
template <typename Use>
void forEachBlock(const QuantFormat &format, std::span<const std::byte> row,
                  Use use) {
  auto *first = reinterpret_cast<const uint8_t *>(row.data());
  size_t bytes = format.blockBytes(), count = row.size() / bytes;
  visitLayout(format, [&](auto layout) {
    for (size_t i = 0; i < count; ++i)
      use(layout, first + i * bytes, i);
  });
}

} // namespace

Status blocks::checkRow(const QuantFormat &format, size_t bytes,
                        uint64_t elements) {
  if (!hasBlockCodec(format))
    return unsupported("there is no codec for ", format.name());
  ElementType type = ElementType::quantised(format);
  if (elements % type.blockElements() != 0 || type.rowBytes(elements) != bytes)
    return invalidArgument("a row of ", elements, " elements of ",
                           format.name(), " cannot have ", bytes, " bytes");
  return Status();
}

bool hasBlockCodec(const QuantFormat &format) {
  return isPlain(format) || format == QuantFormat::q4_k() ||
         format == QuantFormat::q6_k();
}

Status decodeRow(const QuantFormat &format, std::span<const std::byte> row,
                 std::span<float> values) {
  PAGODA_RETURN_IF_ERROR(checkRow(format, row.size(), values.size()));
  unsigned elements = format.blockElements();
  forEachBlock(
      format, row,
      [&]<typename Layout>(Layout layout, const uint8_t *block, size_t index) {
        float scales[Layout::groups], minimums[Layout::groups];
        layout.loadScales(block, scales);
        layout.loadMinimums(block, minimums);
        float *out = values.data() + index * elements;
        layout.forEachCode(block, [&](unsigned group, unsigned i, int code) {
          float value =
              scales[group] * static_cast<float>(code - layout.middle);
          // Adding 0 where there is no minimum would lose the sign of -0.
          if constexpr (Layout::hasMinimum)
            value += minimums[group];
          out[i] = value;
        });
      });
  return Status();
}

Status unpackCodes(const QuantFormat &format, std::span<const std::byte> row,
                   std::span<int16_t> codes) {
  PAGODA_RETURN_IF_ERROR(checkRow(format, row.size(), codes.size()));
  unsigned elements = format.blockElements();
  forEachBlock(format, row,
               [&](auto layout, const uint8_t *block, size_t index) {
                 int16_t *out = codes.data() + index * elements;
                 layout.forEachCode(block, [&](unsigned, unsigned i, int code) {
                   out[i] = static_cast<int16_t>(code);
                 });
               });
  return Status();
}

Status unpackScales(const QuantFormat &format, std::span<const std::byte> row,
                    std::span<float> scales) {
  PAGODA_RETURN_IF_ERROR(
      checkRow(format, row.size(), scales.size() * format.group));
  forEachBlock(
      format, row, [&](auto layout, const uint8_t *block, size_t index) {
        layout.loadScales(block, scales.data() + index * layout.groups);
      });
  return Status();
}

Status unpackMinimums(const QuantFormat &format, std::span<const std::byte> row,
                      std::span<float> minimums) {
  PAGODA_RETURN_IF_ERROR(
      checkRow(format, row.size(), minimums.size() * format.group));
  if (!format.hasMinimum())
    return invalidArgument(format.name(), " has no minimums");
  forEachBlock(
      format, row, [&](auto layout, const uint8_t *block, size_t index) {
        layout.loadMinimums(block, minimums.data() + index * layout.groups);
      });
  return Status();
}

} // namespace pagoda
