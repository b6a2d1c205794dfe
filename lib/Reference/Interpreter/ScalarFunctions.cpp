#include "ScalarFunctions.h"

#include "pagoda/Reference/Ops/Rounding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace pagoda::reference {

namespace {

using Numbers = ArrayRef<double>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// NaN if either is; -0 below +0.
double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return kNaN;
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}

int64_t integer(double value) { return static_cast<int64_t>(value); }

double floorDivide(double a, double b) { return std::floor(a / b); }

/// Ops that are one expression. Floats are computed in float64 and integers
/// exactly; where a result has few bits the caller wraps it around.
const llvm::StringMap<double (*)(Numbers)> &plainFunctions() {
  static const llvm::StringMap<double (*)(Numbers)> table = {
      {"arith.addf", [](Numbers x) { return x[0] + x[1]; }},
      {"arith.subf", [](Numbers x) { return x[0] - x[1]; }},
      {"arith.mulf", [](Numbers x) { return x[0] * x[1]; }},
      {"arith.divf", [](Numbers x) { return x[0] / x[1]; }},
      {"arith.remf", [](Numbers x) { return std::fmod(x[0], x[1]); }},
      {"arith.negf", [](Numbers x) { return -x[0]; }},
      {"arith.maximumf", [](Numbers x) { return maximum(x[0], x[1]); }},
      {"arith.minimumf", [](Numbers x) { return -maximum(-x[0], -x[1]); }},
      {"arith.maxnumf", [](Numbers x) { return std::fmax(x[0], x[1]); }},
      {"arith.minnumf", [](Numbers x) { return std::fmin(x[0], x[1]); }},
      {"arith.extf", [](Numbers x) { return x[0]; }},
      {"arith.select", [](Numbers x) { return x[0] != 0 ? x[1] : x[2]; }},

      {"arith.addi", [](Numbers x) { return x[0] + x[1]; }},
      {"arith.subi", [](Numbers x) { return x[0] - x[1]; }},
      {"arith.muli", [](Numbers x) { return x[0] * x[1]; }},
      {"arith.divsi", [](Numbers x) { return std::trunc(x[0] / x[1]); }},
      {"arith.floordivsi", [](Numbers x) { return floorDivide(x[0], x[1]); }},
      {"arith.ceildivsi", [](Numbers x) { return std::ceil(x[0] / x[1]); }},
      {"arith.remsi", [](Numbers x) { return std::fmod(x[0], x[1]); }},
      {"arith.maxsi", [](Numbers x) { return std::fmax(x[0], x[1]); }},
      {"arith.minsi", [](Numbers x) { return std::fmin(x[0], x[1]); }},
      {"arith.andi",
       [](Numbers x) { return double(integer(x[0]) & integer(x[1])); }},
      {"arith.ori",
       [](Numbers x) { return double(integer(x[0]) | integer(x[1])); }},
      {"arith.xori",
       [](Numbers x) { return double(integer(x[0]) ^ integer(x[1])); }},
      {"arith.extsi", [](Numbers x) { return x[0]; }},
      {"arith.trunci", [](Numbers x) { return x[0]; }},
      {"arith.index_cast", [](Numbers x) { return x[0]; }},
      {"arith.sitofp", [](Numbers x) { return x[0]; }},
      {"arith.fptosi", [](Numbers x) { return std::trunc(x[0]); }},

      {"math.absf", [](Numbers x) { return std::abs(x[0]); }},
      {"math.ceil", [](Numbers x) { return std::ceil(x[0]); }},
      {"math.copysign", [](Numbers x) { return std::copysign(x[0], x[1]); }},
      {"math.cos", [](Numbers x) { return std::cos(x[0]); }},
      {"math.erf", [](Numbers x) { return std::erf(x[0]); }},
      {"math.erfc", [](Numbers x) { return std::erfc(x[0]); }},
      {"math.exp", [](Numbers x) { return std::exp(x[0]); }},
      {"math.exp2", [](Numbers x) { return std::exp2(x[0]); }},
      {"math.expm1", [](Numbers x) { return std::expm1(x[0]); }},
      {"math.floor", [](Numbers x) { return std::floor(x[0]); }},
      {"math.fma", [](Numbers x) { return x[0] * x[1] + x[2]; }},
      {"math.log", [](Numbers x) { return std::log(x[0]); }},
      {"math.log1p", [](Numbers x) { return std::log1p(x[0]); }},
      {"math.log2", [](Numbers x) { return std::log2(x[0]); }},
      {"math.powf", [](Numbers x) { return std::pow(x[0], x[1]); }},
      {"math.round", [](Numbers x) { return std::round(x[0]); }},
      {"math.roundeven", [](Numbers x) { return std::nearbyint(x[0]); }},
      {"math.rsqrt", [](Numbers x) { return 1 / std::sqrt(x[0]); }},
      {"math.sin", [](Numbers x) { return std::sin(x[0]); }},
      {"math.sqrt", [](Numbers x) { return std::sqrt(x[0]); }},
      {"math.tanh", [](Numbers x) { return std::tanh(x[0]); }},
      {"math.trunc", [](Numbers x) { return std::trunc(x[0]); }},
  };
  return table;
}

ScalarFunction compareFloats(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  return [predicate](Numbers x) -> double {
    double a = x[0], b = x[1];
    bool unordered = std::isnan(a) || std::isnan(b);
    switch (predicate) {
    case P::AlwaysFalse:
      return 0;
    case P::AlwaysTrue:
      return 1;
    case P::ORD:
      return !unordered;
    case P::UNO:
      return unordered;
    case P::OEQ:
      return a == b;
    case P::OGT:
      return a > b;
    case P::OGE:
      return a >= b;
    case P::OLT:
      return a < b;
    case P::OLE:
      return a <= b;
    case P::ONE:
      return !unordered && a != b;
    case P::UEQ:
      return unordered || a == b;
    case P::UGT:
      return unordered || a > b;
    case P::UGE:
      return unordered || a >= b;
    case P::ULT:
      return unordered || a < b;
    case P::ULE:
      return unordered || a <= b;
    case P::UNE:
      return unordered || a != b;
    }
    return 0;
  };
}

/// Null for comparisons of integers as unsigned ones: numbers keep their sign
/// here.
ScalarFunction compareIntegers(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return [](Numbers x) { return double(x[0] == x[1]); };
  case arith::CmpIPredicate::ne:
    return [](Numbers x) { return double(x[0] != x[1]); };
  case arith::CmpIPredicate::slt:
    return [](Numbers x) { return double(x[0] < x[1]); };
  case arith::CmpIPredicate::sle:
    return [](Numbers x) { return double(x[0] <= x[1]); };
  case arith::CmpIPredicate::sgt:
    return [](Numbers x) { return double(x[0] > x[1]); };
  case arith::CmpIPredicate::sge:
    return [](Numbers x) { return double(x[0] >= x[1]); };
  default:
    return nullptr;
  }
}

std::optional<DType> narrowFloat(Type type) {
  if (type.isF32())
    return DType::F32;
  if (type.isF16())
    return DType::F16;
  if (type.isBF16())
    return DType::BF16;
  return std::nullopt;
}

/// The integer of `bits` bits that a result keeps.
double wrap(double value, unsigned bits) {
  if (bits == 1)
    return std::fmod(std::abs(value), 2);
  double range = std::ldexp(1.0, static_cast<int>(bits));
  return value - range * std::floor(value / range + 0.5);
}

} // namespace

ScalarFunction scalarFunction(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return compareFloats(compare.getPredicate());
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return compareIntegers(compare.getPredicate());
  if (op->getNumResults() != 1)
    return nullptr;
  Type result = getElementTypeOrSelf(op->getResult(0).getType());
  if (isa<arith::TruncFOp>(op)) {
    std::optional<DType> type = narrowFloat(result);
    if (!type)
      return nullptr;
    return [type = *type](Numbers x) { return roundTo(type, x[0]); };
  }
  auto found = plainFunctions().find(op->getName().getStringRef());
  if (found == plainFunctions().end())
    return nullptr;
  double (*function)(Numbers) = found->second;
  if (result.isInteger() && result.getIntOrFloatBitWidth() <= 32)
    return [function, bits = result.getIntOrFloatBitWidth()](Numbers x) {
      return wrap(function(x), bits);
    };
  return function;
}

} // namespace pagoda::reference
