// Where attention reads the keys and values of a chunk of positions: in the
// pools of the cache, or in a copy.

#ifndef PAGODA_KERNELS_ATTENTION_CHUNK_H
#define PAGODA_KERNELS_ATTENTION_CHUNK_H

#include "core/launch.h"

namespace pagoda {

// The keys and values of a chunk where they lie. Keys come as vectors of
// 16, `kKeyStride` elements from one d to the next.
template <class Config>
struct PooledChunk {
  using Element = typename Config::Storage;
  static constexpr int D = Config::kD, B = Config::kBlock;
  static constexpr int kKeyStride = B;
  const Element *keyPool, *valuePool;
  const i32 *table; // blocks of the sequence
  int kv_head;
  i64 chunk; // its first position

  PG_FN const Element *keys(int part) const {
    return keyPool + base_of(part * 16) + (chunk + part * 16) % B;
  }
  // Value j and those behind it, up to value values_end(j).
  PG_FN const Element *values(int j) const {
    return valuePool + base_of(j) + (chunk + j) % B * D;
  }
  PG_FN static int values_end(int j) { return (j / B + 1) * B; }

private:
  PG_FN i64 base_of(int j) const {
    return (i64(table[(chunk + j) / B]) * Config::kKVHeads + kv_head) * D * B;
  }
};

// The same, widened once for all rows of a tile.
template <class Config>
struct WideChunk {
  using Element = float;
  static constexpr int D = Config::kD, B = Config::kBlock;
  static constexpr int kChunk = Config::kChunk;
  static constexpr int kKeyStride = kChunk;
  float *scratch; // [D][kChunk] keys, then [kChunk][D] values

  PG_FN const Element *keys(int part) const { return scratch + part * 16; }
  PG_FN const Element *values(int j) const {
    return scratch + (kChunk + j) * D;
  }
  PG_FN static int values_end(int) { return kChunk; }

  // Keys [low, high) of a chunk, in whole vectors.
  PG_FN void fill(const PooledChunk<Config> &pools, int low, int high) {
    for (int part = low / 16; part < (high + 15) / 16; ++part) {
      const typename Config::Storage *from = pools.keys(part);
      float *to = scratch + part * 16;
      for (int d = 0; d < D; ++d)
        store(to + d * kChunk, At{0}, load(from + d * B, At{0}));
    }
    for (int j = low; j < high;) {
      const typename Config::Storage *from = pools.values(j);
      int end = PooledChunk<Config>::values_end(j);
      for (end = end < high ? end : high; j < end; ++j, from += D) {
        float *to = scratch + (kChunk + j) * D;
        Lanes::each<D>([&](auto at) { store(to, at, load(from, at)); });
      }
    }
  }
};

} // namespace pagoda

#endif // PAGODA_KERNELS_ATTENTION_CHUNK_H
