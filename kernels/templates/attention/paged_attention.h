// Causal attention over a paged cache (pools as in kv_append.h).
//
// Order of sums, the same whatever else is in the batch: keys are taken in
// chunks of kChunk counted from position 0. In a chunk, a score is the sum of
// q[d] * key[d] by fma over d in order, times the scale; m the largest score,
// p = exp(score - m), l and o[d] the sums of p and p * value[d] over the
// chunk's keys in order. Chunks are merged in order (Milakov and Gimelshein,
// 2018): with M = max(m, m'), w = exp(m - M), w' = exp(m' - M), the state
// becomes (M, l w + l' w', o w + o' w'). A chunk without a visible key is left
// out.
//
// Config: kQuery, kOutput, kKeyPool, kValuePool, kQueryStart, kKVLength,
// kBlockTable (arguments); kQuantized (the output is in 8 bits), kHeads, kKVHeads, kD, kBlock, kChunk, kScale, kWindow (0:
// none), Storage. The rows of the launch are the tokens.

#ifndef PAGODA_KERNELS_ATTENTION_PAGED_ATTENTION_H
#define PAGODA_KERNELS_ATTENTION_PAGED_ATTENTION_H

#include "core/quantized_row.h"

namespace pagoda {


template <class Config>
struct PagedAttention {
  using Storage = typename Config::Storage;
  static constexpr int D = Config::kD, B = Config::kBlock;
  static constexpr int kChunk = Config::kChunk;
  static constexpr int kGroup = Config::kHeads / Config::kKVHeads;
  static constexpr int kVectors = (D + 15) / 16;
  static constexpr unsigned kScratchBytes = 0;
  static_assert(kChunk % B == 0, "a chunk is a whole number of blocks");

  // A tile is one token with the query heads of one key head.
  static i64 tiles(const PagodaLaunch &launch) {
    return launch.rows * Config::kKVHeads;
  }

  static void run(const PagodaLaunch &launch, i64 first, i64 last) {
    const i32 *start = argument<const i32>(launch, Config::kQueryStart);
    i64 sequences = launch.dims[PagodaSequences], sequence = 0;
    for (i64 tile = first; tile < last; ++tile) {
      i64 token = tile / Config::kKVHeads;
      while (sequence + 1 < sequences && start[sequence + 1] <= token)
        ++sequence;
      attend(launch, token, sequence,
             static_cast<int>(tile % Config::kKVHeads));
    }
  }

private:
  struct State {
    float m, l;
    F o[kVectors];
  };

  static void attend(const PagodaLaunch &launch, i64 token, i64 sequence,
                     int kv_head) {
    const i32 *start = argument<const i32>(launch, Config::kQueryStart);
    const i32 *table = argument_row<const i32>(
        launch, Config::kBlockTable, sequence,
        launch.dims[PagodaTableWidth]);
    i64 length = argument<const i32>(launch, Config::kKVLength)[sequence];
    // Keys [begin, end) are visible to this token.
    i64 end = length - (start[sequence + 1] - token) + 1;
    i64 begin = 0;
    if (Config::kWindow > 0 && end > Config::kWindow)
      begin = end - Config::kWindow;

    State state[kGroup];
    for (State &s : state)
      s = State{-__builtin_inff(), 0.0f, {}};
    for (i64 chunk = begin / kChunk * kChunk; chunk < end; chunk += kChunk)
      for (int g = 0; g < kGroup; ++g)
        add_chunk(launch, table, kv_head,
                  argument<const float>(launch, Config::kQuery) +
                      (token * Config::kHeads + kv_head * kGroup + g) * D,
                  chunk, begin, smaller(end, chunk + kChunk), state[g]);

    for (int g = 0; g < kGroup; ++g) {
      float *out = argument<float>(launch, Config::kOutput) +
                   (token * Config::kHeads + kv_head * kGroup + g) * D;
      F inverse = splat(1.0f / state[g].l);
      if constexpr (Config::kQuantized) {
        using Row = QuantizedRow<Config::kHeads * D>;
        u8 *codes = argument_row<u8>(launch, Config::kOutput, token,
                                     Row::kBytes);
        int first = (kv_head * kGroup + g) * D / kActivationGroup;
        for (int i = 0; i < D / kActivationGroup; ++i)
          Row::store(codes, first + i, state[g].o[2 * i] * inverse,
                     state[g].o[2 * i + 1] * inverse);
      } else {
        int v = 0;
        Lanes::each<D>(
            [&](auto at) { store(out, at, state[g].o[v++] * inverse); });
      }
    }
  }

  // Keys [max(chunk, begin), end) of one chunk, for one query head.
  PG_FN static void add_chunk(const PagodaLaunch &launch, const i32 *table,
                              int kv_head, const float *query, i64 chunk,
                              i64 begin, i64 end, State &state) {
    const Storage *keys = argument<const Storage>(launch, Config::kKeyPool);
    const Storage *values = argument<const Storage>(launch, Config::kValuePool);
    float score[kChunk];
    // Blocks before the first visible key may have been given away.
    int low = static_cast<int>(begin > chunk ? begin - chunk : 0);
    int high = static_cast<int>(end - chunk);
    for (int j = low / B * B; j < high; j += B) {
      i64 base = (i64(table[(chunk + j) / B]) * Config::kKVHeads + kv_head) *
                 D * B;
      for (int lane = 0; lane < B; lane += 16) {
        F sum{};
        for (int d = 0; d < D; ++d)
          sum = fma(splat(query[d]), load(keys + base + d * B, At{lane}), sum);
        store(score + j + lane, At{0}, sum * Config::kScale);
      }
    }

    float m = -__builtin_inff();
    for (int j = low; j < high; ++j)
      m = score[j] > m ? score[j] : m;
    for (int j = low / 16 * 16; j < high; j += 16) {
      F p = exp(load(score, At{j}) - m);
      store(score, At{j}, p);
    }

    float l = 0.0f;
    F o[kVectors] = {};
    for (int j = low; j < high; ++j) {
      i64 base = (i64(table[(chunk + j) / B]) * Config::kKVHeads + kv_head) *
                     D * B +
                 (chunk + j) % B * D;
      l += score[j];
      int v = 0;
      Lanes::each<D>([&](auto at) {
        o[v] = fma(splat(score[j]), load(values + base, at), o[v]);
        ++v;
      });
    }

    float top = state.m > m ? state.m : m;
    F weights = exp(F{state.m, m} - splat(top));
    float before = weights[0], now = weights[1];
    state.m = top;
    state.l = fma(state.l, before, l * now);
    for (int v = 0; v < kVectors; ++v)
      state.o[v] = fma(state.o[v], splat(before), o[v] * splat(now));
  }
};

} // namespace pagoda

#endif // PAGODA_KERNELS_ATTENTION_PAGED_ATTENTION_H
