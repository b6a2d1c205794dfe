#include "pagoda/Dialect/Exec/ExecDialect.h"
#include "pagoda/Dialect/LLM/LLMDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#define GET_TYPEDEF_CLASSES
#include "pagoda/Dialect/Exec/ExecTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "pagoda/Dialect/Exec/ExecAttributes.cpp.inc"

namespace pagoda::exec {

void ExecDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "pagoda/Dialect/Exec/ExecTypes.cpp.inc"
      >();
}

void ExecDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "pagoda/Dialect/Exec/ExecAttributes.cpp.inc"
      >();
}

std::optional<int64_t> BufferType::getStaticExtent(unsigned index) const {
  if (auto number = dyn_cast<IntegerAttr>(getExtents()[index]))
    return number.getInt();
  return std::nullopt;
}

RankedTensorType BufferType::getTensorType() const {
  SmallVector<int64_t> shape;
  for (unsigned index = 0; index < getRank(); ++index)
    shape.push_back(getStaticExtent(index).value_or(ShapedType::kDynamic));
  return RankedTensorType::get(shape, getElementType());
}

AffineSize BufferType::getSize() const {
  auto element = llm::getElementType(getElementType());
  assert(element && "the verifier admits sized elements only");
  int64_t elements = 1;
  StringRef name;
  for (unsigned index = 0; index < getRank(); ++index) {
    if (auto extent = getStaticExtent(index))
      elements *= *extent;
    else
      name = cast<StringAttr>(getExtents()[index]).getValue();
  }
  int64_t bytes;
  if (element->isQuantised()) {
    int64_t row = *getStaticExtent(getRank() - 1);
    bytes = elements / row * activationRowBytes(element->format(), row);
  } else {
    bytes = elements * dtypeBytes(element->dtype());
  }
  AffineSize size;
  if (name.empty())
    size.constant = bytes;
  else
    size.factors[name.str()] = bytes;
  return size;
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<Attribute> extents,
                                 Type elementType) {
  if (!llm::getElementType(elementType))
    return emitError() << "a buffer cannot hold " << elementType; // C1
  if (isa<llm::QuantType>(elementType) &&
      (extents.empty() || !isa<IntegerAttr>(extents.back())))
    return emitError()
           << "a row of quantised elements has a known extent"; // C3
  unsigned names = 0;
  for (Attribute extent : extents) {
    auto number = dyn_cast<IntegerAttr>(extent);
    if (!number && !isa<StringAttr>(extent))
      return emitError() << "an extent is a number or a name, found "
                         << extent; // C2
    if (number && number.getInt() <= 0)
      return emitError() << "an extent is positive, found "
                         << number.getInt(); // C2
    names += !number;
  }
  if (names > 1)
    return emitError() << "a buffer has at most one named extent, found "
                       << names; // C2
  return success();
}

Type BufferType::parse(AsmParser &parser) {
  SmallVector<Attribute> extents;
  Type elementType;
  Builder builder(parser.getContext());
  auto parseExtent = [&]() -> ParseResult {
    int64_t number;
    OptionalParseResult parsed = parser.parseOptionalInteger(number);
    if (parsed.has_value()) {
      extents.push_back(builder.getI64IntegerAttr(number));
      return *parsed;
    }
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    extents.push_back(builder.getStringAttr(name));
    return success();
  };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     parseExtent) ||
      parser.parseComma() || parser.parseType(elementType) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<BufferType>(parser.getContext(), extents,
                                       elementType);
}

void BufferType::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getExtents(), printer, [&](Attribute extent) {
    if (auto number = dyn_cast<IntegerAttr>(extent))
      printer << number.getInt();
    else
      printer << cast<StringAttr>(extent).getValue();
  });
  printer << "], " << getElementType() << ">";
}

SizeAttr SizeAttr::get(MLIRContext *context, const AffineSize &size) {
  SmallVector<StringAttr> dims;
  SmallVector<int64_t> factors;
  for (const auto &[dim, factor] : size.factors) {
    dims.push_back(StringAttr::get(context, dim));
    factors.push_back(factor);
  }
  return get(context, dims, factors, size.constant);
}

AffineSize SizeAttr::getValue() const {
  AffineSize size;
  size.constant = getConstant();
  for (auto [dim, factor] : llvm::zip(getDims(), getFactors()))
    size.factors[dim.getValue().str()] = factor;
  return size;
}

Attribute SizeAttr::parse(AsmParser &parser, Type) {
  AffineSize size;
  if (parser.parseLess())
    return {};
  do {
    int64_t number;
    if (parser.parseInteger(number))
      return {};
    StringRef name;
    if (failed(parser.parseOptionalStar())) {
      size.constant += number;
    } else {
      if (parser.parseKeyword(&name))
        return {};
      size.factors[name.str()] += number;
    }
  } while (succeeded(parser.parseOptionalPlus()));
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), size);
}

void SizeAttr::print(AsmPrinter &printer) const {
  printer << "<";
  bool first = true;
  for (auto [dim, factor] : llvm::zip(getDims(), getFactors())) {
    printer << (first ? "" : " + ") << factor << " * " << dim.getValue();
    first = false;
  }
  if (getConstant() != 0 || first)
    printer << (first ? "" : " + ") << getConstant();
  printer << ">";
}

} // namespace pagoda::exec
