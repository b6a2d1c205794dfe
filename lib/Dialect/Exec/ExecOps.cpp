#include "pagoda/Dialect/Exec/ExecOps.h"

#include "pagoda/Dialect/LLM/LLMOps.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace pagoda::exec {

namespace {

/// The type that a contract sees for a launch's operand.
Type contractType(Type type) {
  if (auto buffer = dyn_cast<BufferType>(type))
    return buffer.getTensorType();
  return type;
}

} // namespace

LogicalResult KernelOp::verify() {
  if (!isa<YieldOp>(getContract().front().getTerminator()))
    return emitOpError("expects a contract that ends in 'exec.yield'"); // C1
  // It becomes the name of a namespace and of functions.
  StringRef name = getSymName();
  if (name.empty() || llvm::isDigit(name.front()) ||
      !llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; }))
    return emitOpError("expects letters, digits and '_' in its name"); // C2
  return success();
}

LogicalResult EntryOp::verify() {
  llvm::StringSet<> names;
  for (Attribute name : getDims())
    names.insert(cast<StringAttr>(name).getValue());
  auto checkType = [&](Operation *op, Type type) -> LogicalResult {
    auto buffer = dyn_cast<BufferType>(type);
    if (!buffer)
      return success();
    for (Attribute extent : buffer.getExtents())
      if (auto name = dyn_cast<StringAttr>(extent);
          name && !names.contains(name.getValue()))
        return op->emitOpError() << "uses dim '" << name.getValue()
                                 << "', which the entry does not have"; // C1
    return success();
  };
  for (Type type : getBody().getArgumentTypes())
    if (failed(checkType(*this, type)))
      return failure();
  int64_t slots = getSlots() ? static_cast<int64_t>(getSlots()->size()) : 0;
  for (Operation &op : getBody().front()) {
    for (Type type : op.getResultTypes())
      if (failed(checkType(&op, type)))
        return failure();
    if (auto buffer = dyn_cast<BufferOp>(op))
      if (auto slot = buffer.getSlot();
          slot && static_cast<int64_t>(*slot) >= slots)
        return op.emitOpError()
               << "lies in slot " << *slot << " of " << slots; // C2
  }
  if (!isa<ReturnOp>(getBody().front().getTerminator()))
    return emitOpError("expects a body that ends in 'exec.return'"); // C3
  return success();
}

void WeightOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), getName());
}

LogicalResult WeightOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto define =
      symbols.lookupNearestSymbolFrom<llm::DefineOp>(*this, getNameAttr());
  if (!define)
    return emitOpError("names no definition: ") << getNameAttr(); // C1
  if (define.getType() != getResult().getType())
    return emitOpError("has type ")
           << getResult().getType() << ", but the definition has "
           << define.getType(); // C2
  return success();
}

LogicalResult ViewOp::verify() {
  BufferType source = getSource().getType(), result = getResult().getType();
  if (source.getElementType() != result.getElementType() ||
      source.getSize() != result.getSize())
    return emitOpError("cannot see ") << source << " as " << result; // C1
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel =
      symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel)
    return emitOpError("names no 'exec.kernel': ") << getKernelAttr(); // C1
  auto fail = [&](StringRef what, unsigned index, Type found, Type expected) {
    InFlightDiagnostic diagnostic =
        emitOpError("has ") << what << ' ' << index << " of type " << found
                            << ", the contract has " << expected;
    diagnostic.attachNote(kernel.getLoc()) << "the kernel is here";
    return diagnostic;
  };
  TypeRange expectedInputs = kernel.getContract().getArgumentTypes();
  if (expectedInputs.size() != getInputs().size())
    return emitOpError("has ") << getInputs().size() << " inputs, the contract "
                               << expectedInputs.size(); // C2
  for (auto [index, input] : llvm::enumerate(getInputs()))
    if (contractType(input.getType()) != expectedInputs[index])
      return fail("input", index, input.getType(), expectedInputs[index]); // C2
  SmallVector<Type> expectedOutputs;
  for (Value value :
       kernel.getContract().front().getTerminator()->getOperands())
    if (!isa<llm::CacheType>(value.getType()))
      expectedOutputs.push_back(value.getType());
  if (expectedOutputs.size() != getOutputs().size())
    return emitOpError("has ")
           << getOutputs().size() << " outputs, the contract "
           << expectedOutputs.size(); // C2
  for (auto [index, output] : llvm::enumerate(getOutputs()))
    if (contractType(output.getType()) != expectedOutputs[index])
      return fail("output", index, output.getType(),
                  expectedOutputs[index]); // C2
  return success();
}

} // namespace pagoda::exec
