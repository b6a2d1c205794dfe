//===- Cache.h - Keys and values as the interpreter keeps them --*- C++ -*-===//
//
// The two meanings that `!llm.cache` has: before the program is paged, lists
// that grow by sequence and layer; afterwards, a pool of slots that are NaN
// until something is stored, found by block tables. For whoever drives the
// interpreter: a cache lives as long as its sequences.
//
//   PagedCache cache(/*block=*/16, /*blocks=*/8);
//   interpreter.run(entry, firstStep, cache);
//   interpreter.run(entry, secondStep, cache);
//
// The cache is a value in the program. Here it is an object with a count of
// appends, its version: what reads an earlier version does not see what was
// appended later.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_REFERENCE_INTERPRETER_CACHE_H
#define PAGODA_REFERENCE_INTERPRETER_CACHE_H

#include "pagoda/Base/Status.h"
#include "pagoda/Reference/Interpreter/Batch.h"
#include "pagoda/Reference/Ops/Tensor.h"

#include <map>
#include <span>

namespace pagoda::reference {

/// Numbers of all heads; NaN where nothing is stored.
struct KeyAndValue {
  std::span<const double> key, value;
};

class Cache {
public:
  virtual ~Cache() = default;

  virtual bool isPaged() const = 0;
  /// Blocks of the pool; 0 where there is none.
  virtual int64_t blocks() const { return 0; }
  uint64_t version() const { return appends; }

  /// Stores the key and value, [T, G, D], of each token of the batch.
  Status append(const Batch &batch, int64_t layer, const Tensor &key,
                const Tensor &value);
  /// Key `index` of sequence `s` of the batch as `version` has it, `width`
  /// numbers each.
  KeyAndValue read(const Batch &batch, int64_t s, int64_t index, int64_t layer,
                   uint64_t version, int64_t width) const;

protected:
  /// One token's rows, and the version that has them first.
  struct Entry {
    std::vector<double> key, value;
    uint64_t version = 0;
  };
  /// Where token t of the batch is to be stored.
  virtual StatusOr<Entry *> place(const Batch &batch, int64_t t,
                                  int64_t layer) = 0;
  /// Null where nothing was ever stored.
  virtual const Entry *find(const Batch &batch, int64_t s, int64_t index,
                            int64_t layer) const = 0;

private:
  uint64_t appends = 0;
  mutable std::vector<double> nothing;
};

class AbstractCache final : public Cache {
public:
  bool isPaged() const override { return false; }

protected:
  StatusOr<Entry *> place(const Batch &batch, int64_t t,
                          int64_t layer) override;
  const Entry *find(const Batch &batch, int64_t s, int64_t index,
                    int64_t layer) const override;

private:
  std::map<std::pair<int32_t, int64_t>, std::vector<Entry>> lists;
};

class PagedCache final : public Cache {
public:
  PagedCache(int64_t block, int64_t blocks)
      : blockSize(block), blockCount(blocks) {}

  bool isPaged() const override { return true; }
  int64_t blocks() const override { return blockCount; }

protected:
  StatusOr<Entry *> place(const Batch &batch, int64_t t,
                          int64_t layer) override;
  const Entry *find(const Batch &batch, int64_t s, int64_t index,
                    int64_t layer) const override;

private:
  int64_t blockSize, blockCount;
  std::map<std::pair<int64_t, int64_t>, Entry> slots; // by layer and slot
};

} // namespace pagoda::reference

#endif // PAGODA_REFERENCE_INTERPRETER_CACHE_H
