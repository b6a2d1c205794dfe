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
  static constexpr unsigned kScratchBytes = 0;
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
  struct State {
    float m, l;
    F o[kVectors];
  };

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
        state[row] = State{-__builtin_inff(), 0.0f, {}};
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

    // Tokens that see the whole chunk go together, others one by one.
    PG_FN void add_chunk(i64 chunk) {
      int t = 0;
      while (t < count) {
        int full = 0;
        while (t + full < count && begin_of(t + full) <= chunk &&
               end_of(t + full) >= chunk + kChunk)
          ++full;
        if (full > 0) {
          int row = t * kGroup, last = (t + full) * kGroup;
          for (; row + kQueriesAtOnce <= last; row += kQueriesAtOnce)
            add_rows<kQueriesAtOnce>(chunk, row, 0, kChunk);
          for (; row < last; ++row)
            add_rows<1>(chunk, row, 0, kChunk);
          t += full;
          continue;
        }
        i64 begin = begin_of(t) - chunk, end = end_of(t) - chunk;
        int low = static_cast<int>(begin > 0 ? begin : 0);
        int high = static_cast<int>(smaller(end, kChunk));
        if (low < high)
          add_token(chunk, t, low, high);
        ++t;
      }
    }

    PG_FN void add_token(i64 chunk, int t, int low, int high) {
      constexpr int kAtOnce = kGroup < kQueriesAtOnce ? kGroup : kQueriesAtOnce;
      int row = t * kGroup, last = row + kGroup;
      for (; row + kAtOnce <= last; row += kAtOnce)
        add_rows<kAtOnce>(chunk, row, low, high);
      for (; row < last; ++row)
        add_rows<1>(chunk, row, low, high);
    }

    // Where keys chunk + j … of a block begin in the pools.
    PG_FN i64 base_of(i64 chunk, int j) const {
      return (i64(table[(chunk + j) / B]) * Config::kKVHeads + kv_head) * D * B;
    }

    PG_FN const float *query(int row) const {
      return argument<const float>(launch, Config::kQuery) +
             ((token + row / kGroup) * Config::kHeads + kv_head * kGroup +
              row % kGroup) *
                 D;
    }

    // Takes R rows through keys [low, high) of a chunk. Only blocks that hold
    // such keys are touched: others may belong to somebody else.
    template <int R>
    void add_rows(i64 chunk, int row, int low, int high) {
      F score[R][kParts];
      int first = low / 16, last = (high + 15) / 16;
      if (first == 0 && last == kParts)
        scores<R, kParts>(chunk, row, 0, score);
      else
        for (int part = first; part < last; ++part)
          scores<R, 1>(chunk, row, part, score);

      float m[R], l[R];
      for (int r = 0; r < R; ++r)
        probabilities(score[r], low, high, m[r], l[r]);

      F o[R][kVectors] = {};
      for (int j = low; j < high; ++j) {
        const Storage *value =
            argument<const Storage>(launch, Config::kValuePool) +
            base_of(chunk, j) + (chunk + j) % B * D;
        F v[kVectors];
        for (int i = 0; i < kVectors; ++i)
          v[i] = load_part(value, i);
        for (int r = 0; r < R; ++r) {
          F p = splat(reinterpret_cast<const float *>(score[r])[j]);
          for (int i = 0; i < kVectors; ++i)
            o[r][i] = fma(p, v[i], o[r][i]);
        }
      }
      for (int r = 0; r < R; ++r)
        merge(state[row + r], m[r], l[r], o[r]);
    }

    // score[r][part …] of N vectors of keys.
    template <int R, int N>
    PG_FN void scores(i64 chunk, int row, int part, F (&score)[R][kParts]) {
      const Storage *keys[N];
      for (int n = 0; n < N; ++n) {
        int j = (part + n) * 16;
        keys[n] = argument<const Storage>(launch, Config::kKeyPool) +
                  base_of(chunk, j) + (chunk + j) % B;
      }
      const float *q[R];
      for (int r = 0; r < R; ++r)
        q[r] = query(row + r);
      F sum[R][N] = {};
#pragma clang loop unroll_count(2)
      for (int d = 0; d < D; ++d)
        for (int n = 0; n < N; ++n) {
          F key = load(keys[n] + d * B, At{0});
          for (int r = 0; r < R; ++r)
            sum[r][n] = fma(splat(q[r][d]), key, sum[r][n]);
        }
      for (int r = 0; r < R; ++r)
        for (int n = 0; n < N; ++n)
          score[r][part + n] = sum[r][n] * Config::kScale;
    }

    // Scores of keys [low, high) become probabilities under their own maximum;
    // all others 0.
    PG_FN static void probabilities(F (&score)[kParts], int low, int high,
                                    float &m, float &l) {
      constexpr I kLane = {0, 1, 2,  3,  4,  5,  6,  7,
                           8, 9, 10, 11, 12, 13, 14, 15};
      F top = splat(-__builtin_inff());
      for (int part = low / 16; part < (high + 15) / 16; ++part) {
        I j = kLane + part * 16;
        score[part] = select((j >= low) & (j < high), score[part],
                             splat(-__builtin_inff()));
        top = max(top, score[part]);
      }
      m = Lanes::max(top);
      F sum{};
      for (int part = low / 16; part < (high + 15) / 16; ++part) {
        score[part] = exp(score[part] - m);
        sum = sum + score[part];
      }
      l = Lanes::sum(sum);
    }

    PG_FN static void merge(State &state, float m, float l,
                            const F (&o)[kVectors]) {
      float top = state.m > m ? state.m : m;
      F weights = exp(F{state.m, m} - splat(top));
      float before = weights[0], now = weights[1];
      state.m = top;
      state.l = fma(state.l, before, l * now);
      for (int v = 0; v < kVectors; ++v)
        state.o[v] = fma(state.o[v], splat(before), o[v] * splat(now));
    }

    PG_FN void finish(int row) {
      const State &s = state[row];
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
    State state[kTokensPerTile * kGroup];
  };
};

} // namespace pagoda

#endif // PAGODA_KERNELS_ATTENTION_PAGED_ATTENTION_H
