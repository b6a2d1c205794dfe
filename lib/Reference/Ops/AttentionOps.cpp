#include "pagoda/Reference/Ops/AttentionOps.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pagoda::reference {

StatusOr<Tensor> rope(RopeStyle style, const Tensor &input,
                      const Tensor &positions, const Tensor &table) {
  int64_t tokens = input.shape[0], heads = input.shape[1],
          elements = input.shape[2], pairs = table.shape[1];
  Tensor result = input;
  for (int64_t t = 0; t < tokens; ++t) {
    double position = positions.numbers[t];
    if (!(position >= 0 && position < static_cast<double>(table.shape[0])))
      return invalidArgument("position ", position, " is not in a table of ",
                             table.shape[0], " positions");
    const double *turns =
        table.numbers.data() + static_cast<int64_t>(position) * pairs * 2;
    for (int64_t h = 0; h < heads; ++h) {
      double *head = result.numbers.data() + (t * heads + h) * elements;
      for (int64_t i = 0; i < pairs; ++i) {
        double &a = style == RopeStyle::Half ? head[i] : head[2 * i];
        double &b =
            style == RopeStyle::Half ? head[i + pairs] : head[2 * i + 1];
        double cosine = turns[2 * i], sine = turns[2 * i + 1];
        double turned = a * cosine - b * sine;
        b = a * sine + b * cosine;
        a = turned;
      }
    }
  }
  return result;
}

int64_t firstKeySeen(int64_t index, std::optional<int64_t> window) {
  return window ? std::max<int64_t>(0, index - *window + 1) : 0;
}

std::vector<double> attend(const AttentionShape &shape,
                           std::span<const double> query,
                           std::span<const HeadRow> keys,
                           std::span<const HeadRow> values, double scale) {
  std::vector<double> output(shape.heads * shape.elements);
  std::vector<double> weights(keys.size());
  for (int64_t h = 0; h < shape.heads; ++h) {
    int64_t kvHead = h / (shape.heads / shape.kvHeads);
    const double *q = query.data() + h * shape.elements;
    double largest = -std::numeric_limits<double>::infinity();
    for (size_t j = 0; j < keys.size(); ++j) {
      double product = 0;
      for (int64_t d = 0; d < shape.elements; ++d)
        product += q[d] * keys[j][kvHead * shape.elements + d];
      weights[j] = scale * product;
      largest = std::max(largest, weights[j]);
    }
    double sum = 0;
    for (double &weight : weights) {
      weight = std::exp(weight - largest);
      sum += weight;
    }
    for (int64_t d = 0; d < shape.elements; ++d) {
      double mixed = 0;
      for (size_t j = 0; j < values.size(); ++j)
        mixed += weights[j] * values[j][kvHead * shape.elements + d];
      output[h * shape.elements + d] = mixed / sum;
    }
  }
  return output;
}

} // namespace pagoda::reference
