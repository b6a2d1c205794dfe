#include "pagoda/Kernels/Pointwise.h"

#include <utility>

namespace pagoda {

std::optional<std::string_view> findPointwise(std::string_view op) {
  static constexpr std::pair<std::string_view, std::string_view> rows[] = {
#define POINTWISE(op, expression) {op, expression},
#include "kernels/pointwise.def"
  };
  for (const auto &[name, expression] : rows)
    if (name == op)
      return expression;
  return std::nullopt;
}

} // namespace pagoda
