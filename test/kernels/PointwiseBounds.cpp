#include "PointwiseBounds.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pagoda::test {

namespace {

using Operands = PointwiseRule::Operands;

/// -2 y of gelu_tanh.
double tanhArgument(double x) {
  return -2 * std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
}

} // namespace

double exact::silu(double x) { return x / (1 + std::exp(-x)); }
double exact::gelu(double x) {
  return x * 0.5 * std::erfc(-x / std::numbers::sqrt2);
}
double exact::geluTanh(double x) { return x / (1 + std::exp(tanhArgument(x))); }

double stated::exp(double x) { return x > 88.37 ? 14 : 1.5; }
double stated::tanh(double) { return 4; }
double stated::erfc(double x) { return 10 + x * x; }
double stated::silu(double x) { return x < -88.37 ? 16 : 4; }
double stated::gelu(double x) { return 12 + 2 * x * x; }
double stated::geluTanh(double x) { return 4 + 5 * std::abs(tanhArgument(x)); }

namespace {

/// What math.h lets come out as 0.
constexpr double kFlushed = 1.2e-38;

double none(const Operands &) { return 0; }
double once(const Operands &) { return 1; }
double twice(const Operands &) { return 2; }

constexpr PointwiseRule kRules[] = {
    {"arith.addf", 2, [](const Operands &x) { return x[0] + x[1]; }, once},
    {"arith.subf", 2, [](const Operands &x) { return x[0] - x[1]; }, once},
    {"arith.mulf", 2, [](const Operands &x) { return x[0] * x[1]; }, once},
    {"arith.divf", 2, [](const Operands &x) { return x[0] / x[1]; }, once},
    {"arith.negf", 1, [](const Operands &x) { return -x[0]; }, none, 0},
    {"arith.maximumf", 2,
     [](const Operands &x) {
       // NaN if either is, which std::max does not promise.
       return std::isnan(x[0] + x[1]) ? x[0] + x[1] : std::max(x[0], x[1]);
     },
     none, 0},
    {"arith.minimumf", 2,
     [](const Operands &x) {
       return std::isnan(x[0] + x[1]) ? x[0] + x[1] : std::min(x[0], x[1]);
     },
     none, 0},
    {"math.absf", 1, [](const Operands &x) { return std::abs(x[0]); }, none, 0},
    {"math.exp", 1, [](const Operands &x) { return std::exp(x[0]); },
     [](const Operands &x) { return stated::exp(x[0]); }, kFlushed},
    {"math.fma", 3,
     [](const Operands &x) { return std::fma(x[0], x[1], x[2]); }, once},
    {"math.rsqrt", 1, [](const Operands &x) { return 1 / std::sqrt(x[0]); },
     twice},
    {"math.sqrt", 1, [](const Operands &x) { return std::sqrt(x[0]); }, once},
    {"math.tanh", 1, [](const Operands &x) { return std::tanh(x[0]); },
     [](const Operands &x) { return stated::tanh(x[0]); }},
    // The product rounds once more.
    {"llm.gated silu", 2,
     [](const Operands &x) { return exact::silu(x[0]) * x[1]; },
     [](const Operands &x) { return stated::silu(x[0]) + 1; }, kFlushed},
    {"llm.gated gelu", 2,
     [](const Operands &x) { return exact::gelu(x[0]) * x[1]; },
     [](const Operands &x) { return stated::gelu(x[0]) + 1; }, kFlushed},
    {"llm.gated gelu_tanh", 2,
     [](const Operands &x) { return exact::geluTanh(x[0]) * x[1]; },
     [](const Operands &x) { return stated::geluTanh(x[0]) + 1; }, kFlushed},
    {"llm.gated relu", 2,
     [](const Operands &x) { return std::max(x[0], 0.0) * x[1]; }, once},
};

} // namespace

const PointwiseRule *findPointwiseRule(std::string_view op) {
  for (const PointwiseRule &rule : kRules)
    if (rule.op == op)
      return &rule;
  return nullptr;
}

} // namespace pagoda::test
