// Puts this step's keys and values into the paged cache, and on the way does
// what the group absorbed: normalises and rotates heads of queries and keys.
//
// The pools of a layer, for blocks of B tokens, G heads of D elements:
//   keys   [block][G][D][B]   so that 16 keys are 16 lanes
//   values [block][G][B][D]   so that 16 elements are 16 lanes
//
// Config: kKey, kValue, kQuery (-1: none), kQueryOutput, kPositions (-1: no
// rotation), kTable, kKeyPool, kValuePool, kSlots (arguments); kQueryNorm,
// kKeyNorm (weights, or -1), kEpsilon; kHeads, kKVHeads, kD, kR, kTableRows,
// kStyle, kBlock, Storage (f32 or f16).

#ifndef PAGODA_KERNELS_ATTENTION_KV_APPEND_H
#define PAGODA_KERNELS_ATTENTION_KV_APPEND_H

#include "attention/rope.h"
#include "norm/rms_norm.h"

namespace pagoda {

template <class Config>
struct KVAppend {
  using Storage = typename Config::Storage;
  static constexpr int D = Config::kD, B = Config::kBlock;
  static constexpr unsigned kScratchBytes = 0;

  static i64 tiles(const PagodaLaunch &launch) { return launch.rows; }

  static void run(const PagodaLaunch &launch, i64 first, i64 last) {
    for (i64 row = first; row < last; ++row) {
      if constexpr (Config::kQuery >= 0)
        for (int head = 0; head < Config::kHeads; ++head)
          prepare<Config::kQueryNorm>(
              launch, row,
              head_of(launch, Config::kQuery, row, Config::kHeads, head),
              head_of(launch, Config::kQueryOutput, row, Config::kHeads, head));
      append(launch, row);
    }
  }

private:
  PG_FN static float *head_of(const PagodaLaunch &launch, int index, i64 row,
                              int heads, int head) {
    return argument<float>(launch, index) + (row * heads + head) * D;
  }

  // Normalises and rotates one head, as far as the group asks for it.
  template <int Norm>
  PG_FN static void prepare(const PagodaLaunch &launch, i64 row, const float *x,
                            float *out) {
    if constexpr (Norm >= 0) {
      const float *weight = argument<const float>(launch, Norm);
      F inverse = splat(inverse_rms<D>(x, Config::kEpsilon));
      const float *input = x;
      Lanes::each<D>([&](auto at) {
        store(out, at, load(input, at) * inverse * load(weight, at));
      });
      x = out;
    }
    if constexpr (Config::kPositions >= 0) {
      i64 position = argument<const i32>(launch, Config::kPositions)[row];
      position = position >= 0 && position < Config::kTableRows ? position : 0;
      rotate_head<Config::kStyle, D, Config::kR>(
          x,
          argument_row<const float>(launch, Config::kTable, position,
                                    Config::kR),
          out);
    } else if (x != out) {
      Lanes::each<D>([&](auto at) { store(out, at, load(x, at)); });
    }
  }

  PG_FN static void append(const PagodaLaunch &launch, i64 row) {
    i64 slot = argument<const i32>(launch, Config::kSlots)[row];
    if (slot < 0) // a token that no request wants
      return;
    i64 block = slot / B, place = slot % B;
    for (int head = 0; head < Config::kKVHeads; ++head) {
      i64 base = (block * Config::kKVHeads + head) * D * B;
      Lanes::Shared<float, D> rotated;
      prepare<Config::kKeyNorm>(
          launch, row,
          head_of(launch, Config::kKey, row, Config::kKVHeads, head),
          rotated.data);
      rotated.settle();
      Storage *keys =
          argument<Storage>(launch, Config::kKeyPool) + base + place;
      Lanes::each<D>(
          [&](auto at) { scatter(keys, at, B, load(rotated.data, at)); });
      rotated.settle();
      const float *value =
          head_of(launch, Config::kValue, row, Config::kKVHeads, head);
      Storage *values =
          argument<Storage>(launch, Config::kValuePool) + base + place * D;
      Lanes::each<D>([&](auto at) { store(values, at, load(value, at)); });
    }
  }
};

} // namespace pagoda

#endif // PAGODA_KERNELS_ATTENTION_KV_APPEND_H
