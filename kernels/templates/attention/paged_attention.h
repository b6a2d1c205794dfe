// Causal attention over a paged cache (pools as in kv_append.h).
//
// Order of sums, the same whatever else is in the batch: keys are taken in
// chunks of kChunk counted from position 0. In a chunk, a score is the sum of
// q[d] * key[d] by fma over d in order, times the scale; m the largest score,
// p = exp(score - m), 0 for keys that the query does not see; l the sum of p,
// lane i of 16 adding keys i, i + 16, … in order, the lanes as a tree; o[d] the
// sum of p * value[d] by fma over the visible keys in order. Chunks are merged
// in order (Milakov and Gimelshein, 2018): with M = max(m, m'), w = exp(m - M),
// w' = exp(m' - M), the state becomes (M, l w + l' w', o w + o' w'). A chunk
// without a visible key is left out.
//
// A tile of work is a block of tokens of one sequence with the query heads of
// one key head; in it, several queries go through a chunk together.
//
// Config: kQuery, kOutput, kKeyPool, kValuePool, kQueryStart, kKVLength,
// kBlockTable (arguments); kQuantized (the output is in 8 bits), kHeads,
// kKVHeads, kD, kBlock, kChunk, kScale, kWindow (0: none), Storage. The rows of
// the launch are the tokens.

#ifndef PAGODA_KERNELS_ATTENTION_PAGED_ATTENTION_H
#define PAGODA_KERNELS_ATTENTION_PAGED_ATTENTION_H

#include "attention/chunk.h"
#include "attention/softmax.h"
#include "core/quantized_row.h"

namespace pagoda {

// Queries that go through a chunk together: bounded by vector registers.
#if defined(__AVX512F__)
inline constexpr int kQueriesAtOnce = 6;
#else
inline constexpr int kQueriesAtOnce = 2;
#endif
// Tokens of a tile.
inline constexpr int kTokensPerTile = 16;

template <class Config>
struct PagedAttention {
  using Storage = typename Config::Storage;
  static constexpr int D = Config::kD, B = Config::kBlock;
  static constexpr int kChunk = Config::kChunk;
  static constexpr int kGroup = Config::kHeads / Config::kKVHeads;
  static constexpr int kVectors = (D + 15) / 16;
  static constexpr int kParts = kChunk / 16; // vectors of keys in a chunk
  // A wide copy of a chunk, where the cache is narrower than f32.
  static constexpr bool kUnpacks = sizeof(Storage) < sizeof(float);
  static constexpr unsigned kScratchBytes =
      kUnpacks ? 2 * kChunk * D * sizeof(float) : 0;
  static_assert(kChunk % B == 0, "a chunk is a whole number of blocks");
  static_assert(B % 16 == 0, "a block is a whole number of vectors");

  static i64 tiles(const PagodaLaunch &launch) {
    const i32 *start = argument<const i32>(launch, Config::kQueryStart);
    i64 blocks = 0;
    for (i64 s = 0; s < launch.dims[PagodaSequences]; ++s)
      blocks += ceil_div(start[s + 1] - start[s], kTokensPerTile);
    return blocks * Config::kKVHeads;
  }

  static void run(const PagodaLaunch &launch, i64 first, i64 last) {
    const i32 *start = argument<const i32>(launch, Config::kQueryStart);
    i64 sequence = 0, before = 0; // blocks of the sequences before
    for (i64 tile = first; tile < last; ++tile) {
      i64 block = tile / Config::kKVHeads;
      for (;;) {
        i64 own =
            ceil_div(start[sequence + 1] - start[sequence], kTokensPerTile);
        if (block < before + own)
          break;
        before += own;
        ++sequence;
      }
      i64 token = start[sequence] + (block - before) * kTokensPerTile;
      Tile(launch, sequence, static_cast<int>(tile % Config::kKVHeads), token,
           smaller(token + kTokensPerTile, start[sequence + 1]))
          .run();
    }
  }

private:
  // One of the kVectors parts of a row of D elements.
  template <class T>
  PG_FN static F load_part(const T *row, int v) {
    if constexpr (D % 16 != 0)
      if (v == kVectors - 1)
        return load(row, AtTail{v * 16, D % 16});
    return load(row, At{v * 16});
  }

  class Tile {
  public:
    PG_FN Tile(const PagodaLaunch &launch, i64 sequence, int kv_head, i64 token,
               i64 last)
        : launch(launch), kv_head(kv_head), token(token),
          count(static_cast<int>(last - token)),
          table(argument_row<const i32>(launch, Config::kBlockTable, sequence,
                                        launch.dims[PagodaTableWidth])) {
      const i32 *start = argument<const i32>(launch, Config::kQueryStart);
      i64 length = argument<const i32>(launch, Config::kKVLength)[sequence];
      firstEnd = length - (start[sequence + 1] - token) + 1;
    }

    PG_FN void run() {
      for (int row = 0; row < count * kGroup; ++row)
        state[row] = SoftmaxState<kVectors>{-__builtin_inff(), 0.0f, {}};
      i64 end = firstEnd + count - 1;
      for (i64 chunk = begin_of(0) / kChunk * kChunk; chunk < end;
           chunk += kChunk)
        add_chunk(chunk);
      for (int row = 0; row < count * kGroup; ++row)
        finish(row);
    }

  private:
    // Keys [begin_of(t), end_of(t)) are visible to token t of the tile.
    PG_FN i64 end_of(int t) const { return firstEnd + t; }
    PG_FN i64 begin_of(int t) const {
      i64 end = end_of(t);
      return Config::kWindow > 0 && end > Config::kWindow
                 ? end - Config::kWindow
                 : 0;
    }

    // The keys of a chunk that token t sees.
    PG_FN Range range_of(i64 chunk, int t) const {
      i64 begin = begin_of(t) - chunk, end = end_of(t) - chunk;
      return {static_cast<int>(begin > 0 ? begin : 0),
              static_cast<int>(smaller(end, kChunk))};
    }

    // Later tokens see later keys: those that see some of a chunk stand
    // together.
    PG_FN void add_chunk(i64 chunk) {
      int first = 0, last = count;
      while (first < last && end_of(first) <= chunk)
        ++first;
      while (last > first && begin_of(last - 1) >= chunk + kChunk)
        --last;
      int row = first * kGroup, end = last * kGroup;
      PooledChunk<Config> pools{
          argument<const Storage>(launch, Config::kKeyPool),
          argument<const Storage>(launch, Config::kValuePool), table, kv_head,
          chunk};
      if constexpr (kUnpacks)
        if (end - row >= 2 * kQueriesAtOnce) {
          WideChunk<Config> wide{static_cast<float *>(launch.scratch)};
          wide.fill(pools, range_of(chunk, first).low,
                    range_of(chunk, last - 1).high);
          for (; row + kQueriesAtOnce <= end; row += kQueriesAtOnce)
            add_rows<kQueriesAtOnce>(wide, chunk, row);
        }
      for (; row + kQueriesAtOnce <= end; row += kQueriesAtOnce)
        add_rows<kQueriesAtOnce>(pools, chunk, row);
      if constexpr (kGroup > 1 && kGroup < kQueriesAtOnce)
        for (; row + kGroup <= end; row += kGroup)
          add_rows<kGroup>(pools, chunk, row);
      for (; row < end; ++row)
        add_rows<1>(pools, chunk, row);
    }

    PG_FN const float *query(int row) const {
      return argument<const float>(launch, Config::kQuery) +
             ((token + row / kGroup) * Config::kHeads + kv_head * kGroup +
              row % kGroup) *
                 D;
    }

    // Takes R rows through the keys of a chunk that they see. Only blocks that
    // hold such keys are touched: others may belong to somebody else.
    template <int R, class Source>
    void add_rows(const Source &source, i64 chunk, int row) {
      Range range[R], all = {0, kChunk}, any = {kChunk, 0};
      for (int r = 0; r < R; ++r) {
        range[r] = range_of(chunk, (row + r) / kGroup);
        all = {range[r].low > all.low ? range[r].low : all.low,
               range[r].high < all.high ? range[r].high : all.high};
        any = {range[r].low < any.low ? range[r].low : any.low,
               range[r].high > any.high ? range[r].high : any.high};
      }
      F score[R][kParts];
      float m[R], l[R];
      int first = any.low / 16, last = (any.high + 15) / 16;
      bool isWhole = first == 0 && last == kParts;
      if (isWhole)
        scores<R, kParts>(source, row, 0, score);
      else
        for (int part = first; part < last; ++part)
          scores<R, 1>(source, row, part, score);
      if (all.low > 0 || all.high < kChunk)
        hide<R>(score, range, first, last);
      if (isWhole)
        probabilities<R>(score, 0, kParts, m, l);
      else
        probabilities<R>(score, first, last, m, l);

      // What all rows see is read once for all.
      F o[R][kVectors] = {};
#pragma clang loop unroll(disable)
      for (int r = 0; r < R; ++r)
        add_values<1>(source, range[r].low,
                      all.low < range[r].high ? all.low : range[r].high,
                      score + r, o + r);
      add_values<R>(source, all.low, all.high, score, o);
      int after = all.low > all.high ? all.low : all.high;
#pragma clang loop unroll(disable)
      for (int r = 0; r < R; ++r)
        add_values<1>(source, after > range[r].low ? after : range[r].low,
                      range[r].high, score + r, o + r);
      merge<R>(state + row, m, l, o);
    }

    // o[r] += the sum of p[r][j] * value[j] over keys [low, high) of a chunk.
    template <int R, class Source>
    PG_FN static void add_values(const Source &source, int low, int high,
                                 const F (*p)[kParts], F (*o)[kVectors]) {
      F sum[R][kVectors];
      for (int r = 0; r < R; ++r)
        for (int i = 0; i < kVectors; ++i)
          sum[r][i] = o[r][i];
      for (int j = low; j < high;) {
        const typename Source::Element *value = source.values(j);
        int end = Source::values_end(j);
        for (end = end < high ? end : high; j < end; ++j, value += D) {
          F v[kVectors];
          for (int i = 0; i < kVectors; ++i)
            v[i] = load_part(value, i);
          for (int r = 0; r < R; ++r) {
            F weight = splat(reinterpret_cast<const float *>(p[r])[j]);
            for (int i = 0; i < kVectors; ++i)
              sum[r][i] = fma(weight, v[i], sum[r][i]);
          }
        }
      }
      for (int r = 0; r < R; ++r)
        for (int i = 0; i < kVectors; ++i)
          o[r][i] = sum[r][i];
    }

    // score[r][part …] of N vectors of keys.
    template <int R, int N, class Source>
    PG_FN void scores(const Source &source, int row, int part,
                      F (&score)[R][kParts]) {
      const typename Source::Element *keys[N];
      for (int n = 0; n < N; ++n)
        keys[n] = source.keys(part + n);
      const float *q[R];
      for (int r = 0; r < R; ++r)
        q[r] = query(row + r);
      F sum[R][N] = {};
#pragma clang loop unroll_count(2)
      for (int d = 0; d < D; ++d) {
        F key[N];
        for (int n = 0; n < N; ++n)
          key[n] = load(keys[n] + d * Source::kKeyStride, At{0});
        for (int r = 0; r < R; ++r)
          for (int n = 0; n < N; ++n)
            sum[r][n] = fma(splat(q[r][d]), key[n], sum[r][n]);
      }
      for (int r = 0; r < R; ++r)
        for (int n = 0; n < N; ++n)
          score[r][part + n] = sum[r][n] * Config::kScale;
    }

    PG_FN void finish(int row) {
      const SoftmaxState<kVectors> &s = state[row];
      F inverse = splat(1.0f / s.l);
      i64 at = token + row / kGroup;
      int head = kv_head * kGroup + row % kGroup;
      if constexpr (Config::kQuantized) {
        using Row = QuantizedRow<Config::kHeads * D>;
        u8 *codes = argument_row<u8>(launch, Config::kOutput, at, Row::kBytes);
        for (int i = 0; i < D / kActivationGroup; ++i)
          Row::store(codes, head * D / kActivationGroup + i, [&](At at) {
            return s.o[2 * i + at.index / 16 % 2] * inverse;
          });
      } else {
        float *out = argument<float>(launch, Config::kOutput) +
                     (at * Config::kHeads + head) * D;
        int v = 0;
        Lanes::each<D>([&](auto at) { store(out, at, s.o[v++] * inverse); });
      }
    }

    const PagodaLaunch &launch;
    int kv_head;
    i64 token;
    int count;
    const i32 *table;
    i64 firstEnd;
    SoftmaxState<kVectors> state[kTokensPerTile * kGroup];
  };
};

} // namespace pagoda

#endif // PAGODA_KERNELS_ATTENTION_PAGED_ATTENTION_H
