#include "BatchBuilder.h"

#include <algorithm>

namespace pagoda::rt {

namespace {

void appendPart(const BatchPart &part, StepBatch &batch) {
  const ScheduledChunk &chunk = part.chunk;
  int32_t end = chunk.first + chunk.count;
  for (int32_t position = chunk.first; position < end; ++position) {
    if (position >= end - chunk.logits)
      batch.rows.push_back(batch.tokens());
    batch.ids.push_back(part.tokens[position]);
    batch.position.push_back(position);
    batch.slot.push_back(part.table->slot(position));
  }
  batch.qStart.push_back(batch.tokens());
  batch.kvLength.push_back(end);
  std::span<const int32_t> blocks = part.table->blocks();
  batch.blockTable.insert(batch.blockTable.end(), blocks.begin(), blocks.end());
  batch.blockTable.resize(size_t(batch.sequences()) * batch.tableWidth, -1);
}

} // namespace

void buildBatch(std::span<const BatchPart> parts,
                std::span<const BlockCopy> copies, StepBatch &batch) {
  batch.clear();
  for (const BatchPart &part : parts)
    batch.tableWidth =
        std::max(batch.tableWidth, int32_t(part.table->blocks().size()));
  batch.qStart.push_back(0);
  for (const BatchPart &part : parts)
    appendPart(part, batch);
  for (const BlockCopy &copy : copies) {
    batch.copySource.push_back(copy.source);
    batch.copyDestination.push_back(copy.destination);
  }
}

} // namespace pagoda::rt
