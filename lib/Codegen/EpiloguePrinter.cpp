#include "EpiloguePrinter.h"

#include "pagoda/Base/Concat.h"
#include "pagoda/Dialect/LLM/NamedDims.h"
#include "pagoda/Kernels/Pointwise.h"

using namespace mlir;

namespace pagoda {

/// Elements of a row as the template counts rows.
int64_t EpiloguePrinter::rowWidth(Value value) const {
  int64_t width = 1;
  for (int64_t extent :
       cast<RankedTensorType>(value.getType()).getShape().drop_front())
    width *= extent;
  return width / parts;
}

void EpiloguePrinter::define(Value value, std::string name) {
  names[value] = std::move(name);
}

std::string EpiloguePrinter::use(Value value) {
  std::string &name = names[value];
  if (name.empty()) {
    // A row argument of the kernel: load it where it is first needed.
    name = concat("v", next++);
    text += concat(indent, "F ", names[value],
                   " = load(argument_row<const float>(launch, ",
                   argumentOf(value), ", row, ", rowWidth(value), "), at);\n");
  }
  return names[value];
}

void EpiloguePrinter::store(Value value) {
  if (!llvm::is_contained(contract.getTerminator()->getOperands(), value))
    return;
  text +=
      concat(indent, "store(argument_row<float>(launch, ", argumentOf(value),
             ", row, ", rowWidth(value), "), at, ", use(value), ");\n");
}

std::string EpiloguePrinter::print(ArrayRef<Operation *> ops,
                                   ArrayRef<Value> values, Value returned) {
  for (Operation *op : ops) {
    std::string expression(*findPointwise(llm::pointwiseKey(op)));
    for (unsigned i = 0; i < op->getNumOperands(); ++i) {
      std::string name = use(op->getOperand(i)), place = concat("$", i);
      for (size_t at; (at = expression.find(place)) != std::string::npos;)
        expression.replace(at, place.size(), name);
    }
    std::string name = concat("v", next++);
    text += concat(indent, "F ", name, " = ", expression, ";\n");
    names[op->getResult(0)] = name;
  }
  for (Value value : values)
    store(value);
  for (Operation *op : ops)
    store(op->getResult(0));
  text += concat(indent, "return ", returned ? use(returned) : "F{}", ";\n");
  return std::move(text);
}

} // namespace pagoda
