// The softmax of attention, chunk by chunk (Milakov and Gimelshein, 2018); the
// order of sums stands in attention/paged_attention.h.

#ifndef PAGODA_KERNELS_ATTENTION_SOFTMAX_H
#define PAGODA_KERNELS_ATTENTION_SOFTMAX_H

#include "core/math.h"

namespace pagoda {

// Keys [low, high) of a chunk.
struct Range {
  int low, high;
};

// Of the chunks so far: the largest score, and the sums of the probabilities
// and of the values that they weigh, both under that maximum.
template <int Vectors>
struct SoftmaxState {
  float m, l;
  F o[Vectors];
};

// Scores of keys that a row does not see become -inf.
template <int R, int Parts>
PG_FN void hide(F (&score)[R][Parts], const Range (&range)[R], int first,
                int last) {
  constexpr I kLane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  for (int r = 0; r < R; ++r)
    for (int part = first; part < last; ++part) {
      I j = kLane + part * 16;
      score[r][part] = select((j >= range[r].low) & (j < range[r].high),
                              score[r][part], splat(-__builtin_inff()));
    }
}

// Scores in vectors [first, last) become probabilities under the maximum of
// their row. Step by step for all rows, because one row is a single long
// chain of operations.
template <int R, int Parts>
PG_FN void probabilities(F (&score)[R][Parts], int first, int last,
                         float (&m)[R], float (&l)[R]) {
  for (int r = 0; r < R; ++r) {
    F top = score[r][first];
    for (int part = first + 1; part < last; ++part)
      top = max(top, score[r][part]);
    m[r] = Lanes::max(top);
  }
  // Rolled up: all rows at once would not fit into registers.
#pragma clang loop unroll(disable)
  for (int r = 0; r < R; ++r)
    for (int part = first; part < last; ++part)
      score[r][part] = exp_nonpositive(score[r][part] - m[r]);
  for (int r = 0; r < R; ++r) {
    F sum{};
    for (int part = first; part < last; ++part)
      sum = sum + score[r][part];
    l[r] = Lanes::sum(sum);
  }
}

// Adds the sums of a chunk to those of the chunks before. All weights of R rows
// fit into one vector.
template <int R, int Vectors>
PG_FN void merge(SoftmaxState<Vectors> *states, const float (&m)[R],
                 const float (&l)[R], const F (&o)[R][Vectors]) {
  static_assert(2 * R <= 16);
  F distance{};
  for (int r = 0; r < R; ++r) {
    float top = states[r].m > m[r] ? states[r].m : m[r];
    distance[2 * r] = states[r].m - top;
    distance[2 * r + 1] = m[r] - top;
    states[r].m = top;
  }
  F weights = exp_nonpositive(distance);
  for (int r = 0; r < R; ++r) {
    SoftmaxState<Vectors> &state = states[r];
    float before = weights[2 * r], now = weights[2 * r + 1];
    state.l = fma(state.l, before, l[r] * now);
    for (int v = 0; v < Vectors; ++v)
      state.o[v] = fma(state.o[v], splat(before), o[r][v] * splat(now));
  }
}

} // namespace pagoda

#endif // PAGODA_KERNELS_ATTENTION_SOFTMAX_H
