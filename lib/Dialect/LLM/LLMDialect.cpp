#include "pagoda/Dialect/LLM/LLMDialect.h"
#include "pagoda/Dialect/LLM/LLMOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/InliningUtils.h"

#include <cstdio>

using namespace mlir;

namespace pagoda::llm {

namespace {

constexpr llvm::StringLiteral kKnownRoles[] = {"ids", "batch", "cache",
                                               "logits"};

/// The only attribute of ours on arguments and results of functions.
LogicalResult verifyRole(Operation *op, StringRef what, unsigned index,
                         NamedAttribute attribute) {
  if (attribute.getName() != LLMDialect::kRoleAttr)
    return op->emitOpError()
           << "has an unknown attribute '" << attribute.getName().getValue()
           << "' on " << what << " " << index;
  auto role = dyn_cast<StringAttr>(attribute.getValue());
  if (!role || !llvm::is_contained(kKnownRoles, role.getValue()))
    return op->emitOpError() << "gives " << what << " " << index
                             << " the unknown role " << attribute.getValue();
  return success();
}

/// Contracts and definitions may be inlined anywhere.
struct LLMInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
};

} // namespace

void LLMDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "pagoda/Dialect/LLM/LLMOps.cpp.inc"
      >();
  addInterfaces<LLMInlinerInterface>();
}

LogicalResult LLMDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kEntryAttr) {
    auto kind = dyn_cast<StringAttr>(attribute.getValue());
    if (!isa<SymbolOpInterface>(op) || !kind || kind.getValue() != "step")
      return op->emitOpError() << "expects '" << kEntryAttr
                               << "' to be \"step\" on a function, found "
                               << attribute.getValue();
    if (op->getNumRegions() != 1 || op->getRegion(0).empty())
      return op->emitOpError()
             << "is an entry (" << attribute.getValue() << ") without a body";
    return success();
  }
  if (name == kKVPolicyAttr) {
    if (!isa<KVPolicyAttr>(attribute.getValue()))
      return op->emitOpError()
             << "expects '" << kKVPolicyAttr << "' to be a #llm.kv_policy";
    return success();
  }
  if (name == kModelAttr) {
    if (!isa<DictionaryAttr>(attribute.getValue()) || !isa<ModuleOp>(op))
      return op->emitOpError()
             << "expects '" << kModelAttr << "' to be a dictionary on a module";
    return success();
  }
  return op->emitOpError() << "has an unknown attribute '" << name << "'";
}

LogicalResult LLMDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                   unsigned index,
                                                   NamedAttribute attribute) {
  return verifyRole(op, "argument", index, attribute);
}

LogicalResult
LLMDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned index,
                                        NamedAttribute attribute) {
  return verifyRole(op, "result", index, attribute);
}

/// `[1.000000e+00, 3.16227764e-01]`: as MLIR prints floats, but with as many
/// digits as it takes for the same float32 to be read back.
static void printFloats(OpAsmPrinter &printer, Operation *,
                        DenseF32ArrayAttr attribute) {
  printer << '[';
  llvm::interleaveComma(attribute.asArrayRef(), printer, [&](float value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6e", value);
    if (std::strtof(text, nullptr) != value)
      std::snprintf(text, sizeof text, "%.8e", value);
    printer << text;
  });
  printer << ']';
}

static ParseResult parseFloats(OpAsmParser &parser,
                               DenseF32ArrayAttr &attribute) {
  SmallVector<float> values;
  auto parseOne = [&]() -> ParseResult {
    double value;
    if (parser.parseFloat(value))
      return failure();
    values.push_back(static_cast<float>(value));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  attribute = parser.getBuilder().getDenseF32ArrayAttr(values);
  return success();
}

} // namespace pagoda::llm

#include "pagoda/Dialect/LLM/LLMEnums.cpp.inc"

#include "pagoda/Dialect/LLM/LLMDialect.cpp.inc"

#include "pagoda/Dialect/LLM/LLMInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "pagoda/Dialect/LLM/LLMOps.cpp.inc"
