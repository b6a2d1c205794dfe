// Kernels as text: one function a family, each printing the Config that its
// template (kernels/templates) documents.

#include "EpiloguePrinter.h"
#include "pagoda/Base/Concat.h"
#include "pagoda/Codegen/KernelUnit.h"
#include "pagoda/Dialect/Exec/ExecOps.h"
#include "pagoda/Dialect/LLM/Groups.h"

#include "llvm/ADT/StringExtras.h"

#include <cstdio>

using namespace mlir;

namespace pagoda {

namespace {

/// A float so that it reads back as itself.
std::string floatLiteral(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.9gf", static_cast<float>(value));
  std::string literal = text;
  if (literal.find_first_of(".en") == std::string::npos)
    literal.insert(literal.size() - 1, ".0");
  return literal;
}

/// The name of an element type's struct in core/formats.h.
std::string formatName(Type type) {
  std::string name = llm::getElementType(type)->name();
  return StringRef(name).upper();
}

int64_t lastExtent(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape().back();
}

class KernelPrinter {
public:
  explicit KernelPrinter(exec::KernelOp kernel)
      : kernel(kernel), body(kernel.getContract().front()),
        family(*findFamily(
            {kernel.getFamily().data(), kernel.getFamily().size()})) {}

  StatusOr<KernelUnit> run() {
    collectArguments();
    std::string why;
    if (!printConfig(why))
      return internalError("kernel '", kernel.getSymName().str(),
                           "' does not have the form of its family '",
                           family.name, "': ", why);
    unit.name = kernel.getSymName().str();
    unit.header = family.header;
    unit.text = concat("namespace pagoda {\nnamespace {\nnamespace ", unit.name,
                       "_config {\n\n", comment(), "struct Config {\n", config,
                       "};\n\n} // namespace ", unit.name,
                       "_config\n} // namespace\n\nPAGODA_ENTRY(", unit.name,
                       ",\n             ", family.templateName, "<", unit.name,
                       "_config::Config>);\n\n} // namespace pagoda\n");
    return std::move(unit);
  }

private:
  void collectArguments() {
    auto add = [&](KernelArgument argument) {
      unit.arguments.push_back(argument);
      return unit.arguments.size() - 1;
    };
    std::optional<unsigned> cache;
    for (BlockArgument argument : body.getArguments()) {
      if (isa<llm::CacheType>(argument.getType()))
        cache = argument.getArgNumber();
      else if (!isa<llm::BatchType>(argument.getType()))
        numbers[argument] =
            add({KernelArgument::Kind::Input, argument.getArgNumber()});
    }
    unsigned outputs = 0;
    for (Value value : body.getTerminator()->getOperands())
      if (!isa<llm::CacheType>(value.getType()))
        numbers[value] = add({KernelArgument::Kind::Output, outputs++});
    if (cache) {
      keyPool = add({KernelArgument::Kind::KeyPool, *cache});
      valuePool = add({KernelArgument::Kind::ValuePool, *cache});
    }
    for (BatchField field : family.fields)
      fields[static_cast<unsigned>(field)] =
          add({KernelArgument::Kind::Field, 0, field});
  }

  /// The contract, as the comment in front of the Config.
  std::string comment() {
    std::string text, ir;
    llvm::raw_string_ostream stream(ir);
    OpPrintingFlags flags;
    flags.useLocalScope();
    for (Operation &op : body) {
      op.print(stream, flags);
      stream << '\n';
    }
    SmallVector<StringRef> lines;
    StringRef(ir).rtrim().split(lines, '\n');
    for (StringRef line : lines)
      text += concat("// ", line.trim().str(), "\n");
    return text;
  }

  bool printConfig(std::string &why) {
    if (family.name == "linear_f32" || family.name == "linear_i8")
      return printLinear(why);
    if (family.name == "kv_append")
      return printAppend(why);
    if (family.name == "paged_attention")
      return printAttention(why);
    if (family.name == "rope")
      return printRope(why);
    if (family.name == "argmax")
      return printArgmax(why);
    if (family.name == "pointwise" || family.name == "quantize")
      return printPointwise(why);
    return printRows(why);
  }

  unsigned number(Value value) { return numbers.lookup(value); }
  unsigned field(BatchField which) {
    return fields[static_cast<unsigned>(which)];
  }

  void constant(StringRef name, int64_t value) {
    config +=
        concat("  static constexpr int ", name.str(), " = ", value, ";\n");
  }
  void constant(StringRef name, const std::string &type,
                const std::string &value) {
    config += concat("  static constexpr ", type, " ", name.str(), " = ", value,
                     ";\n");
  }
  void alias(StringRef name, const std::string &type) {
    config += concat("  using ", name.str(), " = ", type, ";\n");
  }

  /// The argument that a rounded result goes to, -1 for none.
  int64_t quantized(llm::QuantizeOp quantize) {
    return quantize ? int64_t(number(quantize.getResult())) : -1;
  }
  static Value quantizedInput(llm::QuantizeOp quantize) {
    return quantize ? quantize.getInput() : Value();
  }

  EpiloguePrinter epilogue(const char *indent, int64_t parts = 1) {
    return EpiloguePrinter(body, lookup, indent, parts);
  }

  bool printLinear(std::string &why) {
    auto group = llm::matchLinear(body, why);
    if (!group)
      return false;
    constant("kInput", number(group->input));
    constant("kK", lastExtent(group->input));
    SmallVector<std::string> segments;
    unsigned linears = 0;
    for (auto [index, segment] : llvm::enumerate(group->segments)) {
      printSegment(segment, index, linears);
      segments.push_back(concat("Segment", index));
    }
    alias("Segments", concat("Types<", llvm::join(segments, ", "), ">"));
    return true;
  }

  void printSegment(const llm::LinearSegment &segment, unsigned index,
                    unsigned &linears) {
    SmallVector<std::string> names;
    for (llm::LinearOp linear : segment.linears) {
      auto matrix = llm::getMatrix(linear.getWeight());
      names.push_back(concat("Linear", linears++));
      config += concat("  struct ", names.back(), " {\n    using Format = ",
                       formatName(matrix->tensor.getElementType()),
                       ";\n    static constexpr int kWeight = ",
                       number(matrix->argument), ";\n  };\n");
    }
    config += concat("  struct Segment", index,
                     " {\n    static constexpr int kN = ", segment.outputs,
                     ";\n    using Linears = Types<", llvm::join(names, ", "),
                     ">;\n    static constexpr int kQuantized = ",
                     quantized(segment.quantize),
                     ";\n    template <class Place>\n"
                     "    PG_FN static F epilogue(const PagodaLaunch &launch, "
                     "i64 row, Place at,\n"
                     "                            const F (&linear)[",
                     names.size(), "]) {\n");
    EpiloguePrinter printer = epilogue("      ");
    SmallVector<Value> values;
    for (unsigned i = 0; i < segment.linears.size(); ++i) {
      llm::LinearOp linear = segment.linears[i];
      std::string name = concat("linear[", i, "]");
      if (linear.getBias()) {
        std::string sum = concat("biased", i);
        config += concat("      F ", sum, " = ", name,
                         " + load(argument<const float>(launch, ",
                         number(linear.getBias()), "), at);\n");
        name = sum;
      }
      printer.define(linear.getResult(), name);
      values.push_back(linear.getResult());
    }
    config += concat(printer.print(segment.pointwise, values,
                                   quantizedInput(segment.quantize)),
                     "    }\n  };\n");
  }

  /// Anchors that compute a row: embedding, rms_norm, gather_rows.
  bool printRows(std::string &why) {
    auto group = llm::matchRows(
        body, StringRef(family.anchor.data(), family.anchor.size()), why);
    if (!group)
      return false;
    int64_t parts = 1;
    if (auto embedding = dyn_cast<llm::EmbeddingOp>(group->anchor)) {
      auto table = llm::getMatrix(embedding.getTable());
      constant("kIds", number(embedding.getIds()));
      constant("kTable", number(table->argument));
      constant("kVocabulary", table->tensor.getDimSize(0));
      constant("kK", table->tensor.getDimSize(1));
      alias("Format", formatName(table->tensor.getElementType()));
    } else if (auto norm = dyn_cast<llm::RMSNormOp>(group->anchor)) {
      auto type = cast<RankedTensorType>(norm.getInput().getType());
      constant("kInput", number(group->gather ? group->gather.getInput()
                                              : norm.getInput()));
      constant("kWeight", number(norm.getWeight()));
      constant("kGather",
               group->gather ? int64_t(number(group->gather.getRows())) : -1);
      constant("kK", type.getShape().back());
      parts = 1;
      for (int64_t extent : type.getShape().drop_front().drop_back())
        parts *= extent;
      constant("kParts", parts);
      constant("kEpsilon", "float",
               floatLiteral(norm.getEpsilon().convertToDouble()));
    } else {
      auto gather = cast<llm::GatherRowsOp>(group->anchor);
      constant("kInput", number(gather.getInput()));
      constant("kRowNumbers", number(gather.getRows()));
      constant("kK", lastExtent(gather.getResult()));
    }
    EpiloguePrinter printer = epilogue("    ", parts);
    printer.define(group->anchor->getResult(0), "value");
    printEpilogue(printer, group->pointwise, group->anchor->getResult(0),
                  group->quantize);
    return true;
  }

  /// The epilogue of templates that compute rows.
  void printEpilogue(EpiloguePrinter &printer, ArrayRef<Operation *> pointwise,
                     ArrayRef<Value> values, llm::QuantizeOp quantize) {
    constant("kQuantized", quantized(quantize));
    config += concat("  template <class Place>\n"
                     "  PG_FN static F epilogue(const PagodaLaunch &launch, "
                     "i64 row, Place at, F value) {\n",
                     printer.print(pointwise, values, quantizedInput(quantize)),
                     "  }\n");
  }

  bool printPointwise(std::string &why) {
    auto group = llm::matchPointwise(body, why);
    if (!group)
      return false;
    int64_t width = 1;
    for (int64_t extent :
         cast<RankedTensorType>(body.front().getResult(0).getType())
             .getShape()
             .drop_front())
      width *= extent;
    constant("kK", width);
    EpiloguePrinter printer = epilogue("    ");
    printEpilogue(printer, group->pointwise, {}, group->quantize);
    return true;
  }

  /// Positions, table and style of a rotation; -1 for none.
  void rotation(llm::RopeOp rope) {
    constant("kPositions", rope ? int64_t(number(rope.getPositions())) : -1);
    constant("kTable", rope ? int64_t(number(rope.getTable())) : -1);
    auto table = rope ? cast<RankedTensorType>(rope.getTable().getType())
                      : RankedTensorType();
    constant("kR", table ? 2 * table.getDimSize(1) : 0);
    constant("kTableRows", table ? table.getDimSize(0) : 0);
    bool interleaved = rope && rope.getStyle() == llm::RopeStyle::Interleaved;
    constant("kStyle", "RopeStyle",
             interleaved ? "RopeStyle::Interleaved" : "RopeStyle::Half");
  }

  bool printRope(std::string &why) {
    Operation *op = llm::matchSingle(body, "llm.rope", why);
    if (!op)
      return false;
    auto rope = cast<llm::RopeOp>(op);
    auto type = cast<RankedTensorType>(rope.getInput().getType());
    constant("kInput", number(rope.getInput()));
    constant("kOutput", number(rope.getResult()));
    constant("kHeads", type.getDimSize(1));
    constant("kD", type.getDimSize(2));
    rotation(rope);
    return true;
  }

  bool printArgmax(std::string &why) {
    Operation *op = llm::matchSingle(body, "llm.argmax", why);
    if (!op)
      return false;
    auto argmax = cast<llm::ArgmaxOp>(op);
    constant("kInput", number(argmax.getInput()));
    constant("kOutput", number(argmax.getResult()));
    constant("kK", lastExtent(argmax.getInput()));
    return true;
  }

  int64_t parameter(StringRef name) {
    return cast<IntegerAttr>(kernel.getParameters().get(name)).getInt();
  }

  bool printAppend(std::string &why) {
    auto group = llm::matchKVAppend(body, why);
    if (!group)
      return false;
    auto key = cast<RankedTensorType>(group->append.getKey().getType());
    constant("kKey", number(group->key.input));
    constant("kValue", number(group->value.input));
    constant("kQuery",
             group->query ? int64_t(number(group->query->input)) : -1);
    Value output;
    for (Value value : body.getTerminator()->getOperands())
      if (isa<TensorType>(value.getType()))
        output = value;
    constant("kQueryOutput", output ? int64_t(number(output)) : -1);
    auto normOf = [&](llm::RMSNormOp norm) {
      return norm ? int64_t(number(norm.getWeight())) : -1;
    };
    llm::RMSNormOp queryNorm = group->query ? group->query->norm : nullptr;
    llm::RMSNormOp keyNorm = group->key.norm;
    constant("kQueryNorm", normOf(queryNorm));
    constant("kKeyNorm", normOf(keyNorm));
    llm::RMSNormOp norm = keyNorm ? keyNorm : queryNorm;
    constant("kEpsilon", "float",
             norm ? floatLiteral(norm.getEpsilon().convertToDouble()) : "0.0f");
    rotation(group->key.rope);
    constant("kHeads", group->query ? cast<RankedTensorType>(
                                          group->query->input.getType())
                                          .getDimSize(1)
                                    : 0);
    constant("kKVHeads", key.getDimSize(1));
    constant("kD", key.getDimSize(2));
    constant("kBlock", parameter("block"));
    alias("Storage", key.getElementType().isF16() ? "f16" : "float");
    constant("kKeyPool", keyPool);
    constant("kValuePool", valuePool);
    constant("kSlots", field(BatchField::Slot));
    return true;
  }

  bool printAttention(std::string &why) {
    auto group = llm::matchPagedAttention(body, why);
    if (!group)
      return false;
    llm::PagedAttentionOp attention = group->attention;
    auto query = cast<RankedTensorType>(attention.getQuery().getType());
    constant("kQuery", number(attention.getQuery()));
    Value output = body.getTerminator()->getOperand(0);
    constant("kOutput", number(output));
    constant("kQuantized", group->quantize ? 1 : 0);
    constant("kHeads", query.getDimSize(1));
    constant("kKVHeads", attention.getKvHeads());
    constant("kD", query.getDimSize(2));
    constant("kBlock", parameter("block"));
    constant("kChunk", parameter("chunk"));
    constant("kScale", "float",
             floatLiteral(attention.getScale().convertToDouble()));
    constant("kWindow", attention.getWindow().value_or(0));
    auto dtype = cast<TypeAttr>(kernel.getParameters().get("dtype"));
    alias("Storage", dtype.getValue().isF16() ? "f16" : "float");
    constant("kKeyPool", keyPool);
    constant("kValuePool", valuePool);
    constant("kQueryStart", field(BatchField::QueryStart));
    constant("kKVLength", field(BatchField::KVLength));
    constant("kBlockTable", field(BatchField::BlockTable));
    return true;
  }

  exec::KernelOp kernel;
  Block &body;
  const KernelFamily &family;
  KernelUnit unit;
  std::string config;
  llvm::DenseMap<Value, unsigned> numbers;
  std::function<unsigned(Value)> lookup = [this](Value value) {
    return number(value);
  };
  unsigned keyPool = 0, valuePool = 0;
  unsigned fields[8] = {};
};

} // namespace

StatusOr<KernelUnit> printKernel(exec::KernelOp kernel) {
  return KernelPrinter(kernel).run();
}

} // namespace pagoda
