#include "pagoda/Dialect/LLM/LLMDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#define GET_TYPEDEF_CLASSES
#include "pagoda/Dialect/LLM/LLMTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "pagoda/Dialect/LLM/LLMAttributes.cpp.inc"

namespace pagoda {

llvm::hash_code hash_value(const QuantFormat &format) {
  return llvm::hash_combine(format.bits, format.group,
                            static_cast<unsigned>(format.scale),
                            static_cast<unsigned>(format.zero));
}

namespace llm {

namespace {

/// `<i8, group = 64, scale = f32[, minimum = f32]>`, after `!llm.q`.
Type parseQuantType(DialectAsmParser &parser) {
  SMLoc start = parser.getCurrentLocation();
  StringRef codes, scale, minimum;
  uint16_t group = 0;
  if (parser.parseLess() || parser.parseKeyword(&codes) ||
      parser.parseComma() || parser.parseKeyword("group") ||
      parser.parseEqual() || parser.parseInteger(group) ||
      parser.parseComma() || parser.parseKeyword("scale") ||
      parser.parseEqual() || parser.parseKeyword(&scale))
    return {};
  bool hasMinimum = succeeded(parser.parseOptionalComma());
  if (hasMinimum && (parser.parseKeyword("minimum") || parser.parseEqual() ||
                     parser.parseKeyword(&minimum)))
    return {};
  if (parser.parseGreater())
    return {};

  bool isSigned = codes.consume_front("i");
  unsigned bits = 0;
  if ((!isSigned && !codes.consume_front("u")) ||
      codes.getAsInteger(10, bits) || bits < 2 || bits > 8) {
    parser.emitError(start, "expected codes such as i8 or u4 in a quantised "
                            "type, of 2 to 8 bits"); // C1
    return {};
  }
  if (group == 0 || group % 16 != 0) {
    parser.emitError(start, "expected a group that is a multiple of 16, found ")
        << group; // C2
    return {};
  }
  auto kind = llvm::StringSwitch<std::optional<ScaleKind>>(scale)
                  .Case("f16", ScaleKind::F16)
                  .Case("f32", ScaleKind::F32)
                  .Default(std::nullopt);
  if (!kind || (hasMinimum && (minimum != scale || isSigned))) {
    parser.emitError(start, "expected a scale of f16 or f32, and a minimum of "
                            "the same type only above unsigned codes"); // C3
    return {};
  }
  ZeroKind zero = isSigned     ? ZeroKind::Signed
                  : hasMinimum ? ZeroKind::Minimum
                               : ZeroKind::Middle;
  return QuantType::get(
      parser.getContext(),
      QuantFormat{static_cast<uint8_t>(bits), group, *kind, zero});
}

} // namespace

void LLMDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "pagoda/Dialect/LLM/LLMTypes.cpp.inc"
      >();
}

void LLMDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "pagoda/Dialect/LLM/LLMAttributes.cpp.inc"
      >();
}

Type LLMDialect::parseType(DialectAsmParser &parser) const {
  SMLoc start = parser.getCurrentLocation();
  StringRef mnemonic;
  Type type;
  OptionalParseResult parsed = generatedTypeParser(parser, &mnemonic, type);
  if (parsed.has_value())
    return type;
  if (mnemonic == "q")
    return parseQuantType(parser);
  if (auto format =
          quantFormatByName(std::string_view(mnemonic.data(), mnemonic.size())))
    return QuantType::get(getContext(), *format);
  parser.emitError(start, "unknown type '") << mnemonic << "' in dialect 'llm'";
  return {};
}

void LLMDialect::printType(Type type, DialectAsmPrinter &printer) const {
  if (auto quant = dyn_cast<QuantType>(type)) {
    printer << quant.getFormat().name();
    return;
  }
  (void)generatedTypePrinter(type, printer);
}

LogicalResult PackedType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 PackLayout, RankedTensorType tensor) {
  if (tensor.getRank() != 2 || !tensor.hasStaticShape())
    return emitError() << "packed weights are matrices of static shape, found "
                       << tensor; // C1
  auto element = llm::getElementType(tensor.getElementType());
  if (!element ||
      !(element->isQuantised() || pagoda::isFloat(element->dtype())))
    return emitError() << "packed weights hold floats or quantised elements, "
                          "found "
                       << tensor.getElementType(); // C2
  if (tensor.getDimSize(1) % element->blockElements() != 0)
    return emitError() << "packed weights hold whole blocks of "
                       << element->blockElements()
                       << " elements in a row, found " << tensor; // C2
  return success();
}

LogicalResult KVPolicyAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   Type dtype, unsigned block) {
  if (!dtype.isF32() && !dtype.isF16())
    return emitError() << "the cache stores f32 or f16, found " << dtype; // C1
  if (block == 0 || block % 16 != 0)
    return emitError() << "a block holds a multiple of 16 tokens, found "
                       << block; // C2
  return success();
}

std::optional<ElementType> getElementType(Type type) {
  if (auto quant = dyn_cast<QuantType>(type))
    return quant.getElementType();
  if (auto floating = dyn_cast<FloatType>(type)) {
    if (floating.isF64())
      return ElementType(DType::F64);
    if (floating.isF32())
      return ElementType(DType::F32);
    if (floating.isF16())
      return ElementType(DType::F16);
    if (floating.isBF16())
      return ElementType(DType::BF16);
    return std::nullopt;
  }
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (integer.isUnsigned())
      return integer.getWidth() == 8 ? std::optional(ElementType(DType::U8))
                                     : std::nullopt;
    switch (integer.getWidth()) {
    case 64:
      return ElementType(DType::I64);
    case 32:
      return ElementType(DType::I32);
    case 16:
      return ElementType(DType::I16);
    case 8:
      return ElementType(DType::I8);
    case 1:
      return ElementType(DType::Bool);
    }
  }
  return std::nullopt;
}

Type getMLIRType(MLIRContext *context, ElementType type) {
  if (type.isQuantised())
    return QuantType::get(context, type.format());
  Builder builder(context);
  switch (type.dtype()) {
  case DType::F64:
    return builder.getF64Type();
  case DType::F32:
    return builder.getF32Type();
  case DType::F16:
    return builder.getF16Type();
  case DType::BF16:
    return builder.getBF16Type();
  case DType::I64:
    return builder.getI64Type();
  case DType::I32:
    return builder.getI32Type();
  case DType::I16:
    return builder.getIntegerType(16);
  case DType::I8:
    return builder.getI8Type();
  case DType::U8:
    return builder.getIntegerType(8, /*isSigned=*/false);
  case DType::Bool:
    return builder.getI1Type();
  }
  llvm_unreachable("all scalars are covered");
}

} // namespace llm
} // namespace pagoda
