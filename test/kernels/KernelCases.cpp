#include "KernelCases.h"

#include "pagoda/Base/Concat.h"
#include "pagoda/Base/DType.h"

#include <ostream>

namespace pagoda::test {

namespace {

struct Shape {
  int64_t outputs, inputs;
};

/// Tiles hold 32 outputs as two vectors of 16; float records hold 32 inputs.
const Shape kFloatShapes[] = {{1, 1}, {16, 31}, {17, 33}, {64, 64}, {100, 130}};
/// Rows of quantised weights are whole blocks.
const Shape kBlockShapes[] = {{1, 32}, {17, 96}, {64, 160}};
const Shape kSuperShapes[] = {{1, 256}, {17, 512}, {64, 256}};

const char *const kFloatFormats[] = {"f32", "f16", "bf16"};
const char *const kBlockFormats[] = {"!llm.q4_0", "!llm.q4_1", "!llm.q8_0"};
const char *const kSuperFormats[] = {"!llm.q4_k", "!llm.q6_k"};

const char *const kRounded = "!llm.q<i8, group = 32, scale = f32>";

std::string bare(std::string format) {
  return format[0] == '!' ? format.substr(5) : format;
}

std::string matrix(const std::string &format, Shape shape) {
  return concat("tensor<", shape.outputs, "x", shape.inputs, "x", format, ">");
}
std::string packed(const std::string &format, Shape shape) {
  return concat("!llm.packed<tile32, ", matrix(format, shape), ">");
}
std::string rows(int64_t width, const std::string &type = "f32") {
  return concat("tensor<?x", width, "x", type, ">");
}
std::string vector(int64_t width) { return concat("tensor<", width, "xf32>"); }

KernelCase kernel(const std::string &family, const std::string &name,
                  const std::string &arguments, const std::string &body,
                  const std::string &parameters = "{}") {
  return {family, name,
          concat("exec.kernel @", name, " family \"", family, "\" parameters ",
                 parameters, " {\n^bb0(", arguments, "):\n", body, "}\n")};
}

/// `%NAME = llm.linear %x, %uNAME …` of a packed matrix %NAME_w.
std::string linear(const std::string &name, const std::string &format,
                   Shape shape, const std::string &input,
                   const std::string &bias = "") {
  return concat("  %u", name, " = llm.weight.unpack %w", name, " : ",
                packed(format, shape), "\n  %", name, " = llm.linear %x, %u",
                name, bias.empty() ? "" : " bias %" + bias, " : (", input, ", ",
                matrix(format, shape),
                bias.empty() ? "" : ", " + vector(shape.outputs), ") -> ",
                rows(shape.outputs), "\n");
}

std::string yield(const std::string &values, const std::string &types) {
  return concat("  exec.yield ", values, " : ", types, "\n");
}

/// One linear of each shape.
void addPlain(std::vector<KernelCase> &cases, const std::string &family,
              const std::string &format, Shape shape,
              const std::string &activation) {
  std::string input = rows(shape.inputs, activation);
  cases.push_back(kernel(
      family,
      concat(family, "_", bare(format), "_", shape.outputs, "x", shape.inputs),
      concat("%x: ", input, ", %wa: ", packed(format, shape)),
      linear("a", format, shape, input) + yield("%a", rows(shape.outputs))));
}

/// What may join linears: siblings of other widths and formats, biases, gates,
/// residuals, chains, roundings.
void addGroups(std::vector<KernelCase> &cases, const std::string &family,
               const std::string &format, const std::string &other,
               int64_t inputs, const std::string &activation,
               const std::vector<const char *> &gates) {
  std::string input = rows(inputs, activation);
  Shape q{64, inputs}, k{17, inputs}, g{96, inputs};
  std::string suffix = "_" + bare(format);
  cases.push_back(
      kernel(family, family + "_siblings" + suffix,
             concat("%x: ", input, ", %wa: ", packed(format, q),
                    ", %wb: ", packed(other, k), ", %wc: ", packed(format, k)),
             linear("a", format, q, input) + linear("b", other, k, input) +
                 linear("c", format, k, input) +
                 yield("%a, %b, %c",
                       concat(rows(64), ", ", rows(17), ", ", rows(17)))));
  cases.push_back(
      kernel(family, family + "_residual" + suffix,
             concat("%x: ", input, ", %wa: ", packed(format, k),
                    ", %b: ", vector(17), ", %r: ", rows(17)),
             linear("a", format, k, input, "b") +
                 concat("  %s = arith.addf %r, %a : ", rows(17), "\n") +
                 yield("%s", rows(17))));
  for (const char *gate : gates)
    cases.push_back(kernel(
        family, concat(family, "_", gate, suffix),
        concat("%x: ", input, ", %wa: ", packed(format, k),
               ", %wb: ", packed(format, k)),
        linear("a", format, k, input) + linear("b", format, k, input) +
            concat("  %h = llm.gated ", gate, " %a, %b : ", rows(17), "\n") +
            yield("%h", rows(17))));
  // A result that leaves the kernel both as it is and rounded behind a gate.
  cases.push_back(
      kernel(family, family + "_rounded" + suffix,
             concat("%x: ", input, ", %wa: ", packed(format, g),
                    ", %wb: ", packed(format, g)),
             linear("a", format, g, input) + linear("b", format, g, input) +
                 concat("  %h = llm.gated silu %a, %b : ", rows(96),
                        "\n  %c = llm.quantize %h : ", rows(96), " to ",
                        rows(96, kRounded), "\n") +
                 yield("%b, %c", concat(rows(96), ", ", rows(96, kRounded)))));
}

} // namespace

std::vector<KernelCase> linear_f32Cases() {
  std::vector<KernelCase> cases;
  for (const char *format : kFloatFormats)
    for (Shape shape : kFloatShapes)
      addPlain(cases, "linear_f32", format, shape, "f32");
  for (const char *format : kBlockFormats)
    for (Shape shape : kBlockShapes)
      addPlain(cases, "linear_f32", format, shape, "f32");
  for (const char *format : kSuperFormats)
    for (Shape shape : kSuperShapes)
      addPlain(cases, "linear_f32", format, shape, "f32");
  addGroups(cases, "linear_f32", "f32", "bf16", 50, "f32",
            {"silu", "gelu", "gelu_tanh", "relu"});
  addGroups(cases, "linear_f32", "!llm.q4_1", "!llm.q8_0", 64, "f32", {"silu"});
  return cases;
}

std::vector<KernelCase> linear_i8Cases() {
  std::vector<KernelCase> cases;
  for (const char *format : kBlockFormats)
    for (Shape shape : kBlockShapes)
      addPlain(cases, "linear_i8", format, shape, kRounded);
  for (const char *format : kSuperFormats)
    for (Shape shape : kSuperShapes)
      addPlain(cases, "linear_i8", format, shape, kRounded);
  addGroups(cases, "linear_i8", "!llm.q4_0", "!llm.q8_0", 64, kRounded,
            {"silu"});
  addGroups(cases, "linear_i8", "!llm.q6_k", "!llm.q4_k", 256, kRounded,
            {"relu"});
  return cases;
}

std::vector<KernelCase> embeddingCases() {
  std::vector<KernelCase> cases;
  auto add = [&](const std::string &format, Shape table) {
    cases.push_back(kernel(
        "embedding", concat("embedding_", bare(format), "_", table.inputs),
        concat("%ids: tensor<?xi32>, %t: ", packed(format, table)),
        concat("  %u = llm.weight.unpack %t : ", packed(format, table),
               "\n  %x = llm.embedding %ids, %u : (tensor<?xi32>, ",
               matrix(format, table), ") -> ", rows(table.inputs), "\n") +
            yield("%x", rows(table.inputs))));
  };
  for (const char *format : kFloatFormats)
    add(format, {77, 33});
  for (const char *format : kBlockFormats)
    add(format, {77, 96});
  for (const char *format : kSuperFormats)
    add(format, {77, 512});
  Shape table{50, 48};
  cases.push_back(
      kernel("embedding", "embedding_scaled",
             concat("%ids: tensor<?xi32>, %t: ", packed("f16", table),
                    ", %s: ", rows(48)),
             concat("  %u = llm.weight.unpack %t : ", packed("f16", table),
                    "\n  %x = llm.embedding %ids, %u : (tensor<?xi32>, ",
                    matrix("f16", table), ") -> ", rows(48),
                    "\n  %y = arith.mulf %x, %s : ", rows(48), "\n") +
                 yield("%y", rows(48))));
  return cases;
}

std::vector<KernelCase> rms_normCases() {
  std::vector<KernelCase> cases;
  for (int64_t width : {1, 15, 16, 33, 64, 576})
    cases.push_back(kernel(
        "rms_norm", concat("rms_norm_", width),
        concat("%x: ", rows(width), ", %w: ", vector(width)),
        concat("  %n = llm.rms_norm %x, %w epsilon 1.0e-05 : ", rows(width),
               ", ", vector(width), "\n") +
            yield("%n", rows(width))));
  for (int64_t heads : {1, 3})
    for (int64_t width : {20, 64}) {
      std::string type = concat("tensor<?x", heads, "x", width, "xf32>");
      cases.push_back(
          kernel("rms_norm", concat("rms_norm_heads_", heads, "x", width),
                 concat("%x: ", type, ", %w: ", vector(width)),
                 concat("  %n = llm.rms_norm %x, %w epsilon 1.0e-06 : ", type,
                        ", ", vector(width), "\n") +
                     yield("%n", type)));
    }
  cases.push_back(kernel(
      "rms_norm", "rms_norm_gathered",
      concat("%x: ", rows(50), ", %r: tensor<?xi32>, %w: ", vector(50),
             ", %y: ", rows(50)),
      concat("  %g = llm.gather_rows %x, %r : (", rows(50),
             ", tensor<?xi32>) -> ", rows(50),
             "\n  %n = llm.rms_norm %g, %w epsilon 1.0e-06 : ", rows(50), ", ",
             vector(50), "\n  %s = arith.addf %n, %y : ", rows(50), "\n") +
          yield("%n, %s", concat(rows(50), ", ", rows(50)))));
  cases.push_back(
      kernel("rms_norm", "rms_norm_rounded",
             concat("%x: ", rows(96), ", %w: ", vector(96)),
             concat("  %n = llm.rms_norm %x, %w epsilon 1.0e-06 : ", rows(96),
                    ", ", vector(96), "\n  %q = llm.quantize %n : ", rows(96),
                    " to ", rows(96, kRounded), "\n") +
                 yield("%n, %q", concat(rows(96), ", ", rows(96, kRounded)))));
  return cases;
}

std::vector<KernelCase> ropeCases() {
  std::vector<KernelCase> cases;
  struct Head {
    int64_t heads, elements, pairs;
  };
  for (const char *style : {"half", "interleaved"})
    for (Head head : {Head{1, 16, 8}, Head{3, 64, 32}, Head{2, 80, 40},
                      Head{2, 50, 11}, Head{1, 128, 32}}) {
      std::string type =
          concat("tensor<?x", head.heads, "x", head.elements, "xf32>");
      std::string table = concat("tensor<64x", head.pairs, "x2xf32>");
      cases.push_back(
          kernel("rope",
                 concat("rope_", style, "_", head.heads, "x", head.elements,
                        "_", head.pairs),
                 concat("%x: ", type, ", %p: tensor<?xi32>, %t: ", table),
                 concat("  %r = llm.rope ", style, " %x, %p, %t : (", type,
                        ", tensor<?xi32>, ", table, ") -> ", type, "\n") +
                     yield("%r", type)));
    }
  return cases;
}

std::vector<KernelCase> gather_rowsCases() {
  std::vector<KernelCase> cases;
  for (int64_t width : {1, 16, 70}) {
    std::string type = rows(width);
    cases.push_back(kernel("gather_rows", concat("gather_rows_", width),
                           concat("%x: ", type, ", %r: tensor<?xi32>"),
                           concat("  %g = llm.gather_rows %x, %r : (", type,
                                  ", tensor<?xi32>) -> ", type, "\n") +
                               yield("%g", type)));
  }
  cases.push_back(
      kernel("gather_rows", "gather_rows_added",
             concat("%x: ", rows(33), ", %r: tensor<?xi32>, %y: ", rows(33)),
             concat("  %g = llm.gather_rows %x, %r : (", rows(33),
                    ", tensor<?xi32>) -> ", rows(33),
                    "\n  %s = arith.addf %g, %y : ", rows(33), "\n") +
                 yield("%s", rows(33))));
  return cases;
}

std::vector<KernelCase> argmaxCases() {
  std::vector<KernelCase> cases;
  for (int64_t width : {1, 15, 16, 33, 320})
    cases.push_back(kernel(
        "argmax", concat("argmax_", width), concat("%x: ", rows(width)),
        concat("  %i = llm.argmax %x : ", rows(width), " -> tensor<?xi32>\n") +
            yield("%i", "tensor<?xi32>")));
  return cases;
}

std::vector<KernelCase> quantizeCases() {
  std::vector<KernelCase> cases;
  for (int64_t width : {32, 96, 576})
    cases.push_back(kernel("quantize", concat("quantize_", width),
                           concat("%x: ", rows(width)),
                           concat("  %q = llm.quantize %x : ", rows(width),
                                  " to ", rows(width, kRounded), "\n") +
                               yield("%q", rows(width, kRounded))));
  return cases;
}

std::vector<KernelCase> pointwiseCases() {
  std::vector<KernelCase> cases;
  std::string type = rows(37);
  // Each row of pointwise.def; how many operands its expression names.
  auto add = [&](const std::string &key, const std::string &expression) {
    int operands = expression.find("$2") != std::string::npos   ? 3
                   : expression.find("$1") != std::string::npos ? 2
                                                                : 1;
    std::string name = key;
    for (char &c : name)
      if (c == '.' || c == ' ')
        c = '_';
    std::string arguments, values;
    for (int i = 0; i < operands; ++i) {
      arguments += concat(i ? ", %a" : "%a", i, ": ", type);
      values += concat(i ? ", %a" : "%a", i);
    }
    cases.push_back(
        kernel("pointwise", "pointwise_" + name, arguments,
               concat("  %y = ", key, " ", values, " : ", type, "\n") +
                   yield("%y", type)));
  };
#define POINTWISE(op, expression) add(op, expression);
#include "kernels/pointwise.def"
  std::string heads = "tensor<?x3x17xf32>";
  cases.push_back(kernel("pointwise", "pointwise_chain",
                         concat("%a: ", heads, ", %b: ", heads),
                         concat("  %s = arith.addf %a, %b : ", heads,
                                "\n  %t = math.tanh %s : ", heads,
                                "\n  %y = arith.mulf %t, %a : ", heads, "\n") +
                             yield("%s, %y", concat(heads, ", ", heads))));
  cases.push_back(kernel("pointwise", "pointwise_rounded",
                         concat("%a: ", rows(64), ", %b: ", rows(64)),
                         concat("  %s = llm.gated silu %a, %b : ", rows(64),
                                "\n  %q = llm.quantize %s : ", rows(64), " to ",
                                rows(64, kRounded), "\n") +
                             yield("%q", rows(64, kRounded))));
  return cases;
}

const std::vector<KernelCase> &allCases() {
  static const std::vector<KernelCase> all = [] {
    std::vector<KernelCase> all;
    auto add = [&](std::vector<KernelCase> cases) {
      all.insert(all.end(), cases.begin(), cases.end());
    };
#define KERNEL_FAMILY(name, ...) add(name##Cases());
#include "kernels/kernels.def"
    return all;
  }();
  return all;
}

const std::vector<KernelCase> &tokenwiseCases() {
  static const std::vector<KernelCase> all = [] {
    std::vector<KernelCase> all;
    for (const KernelCase &kernelCase : allCases())
      if (kernelCase.family != "kv_append" &&
          kernelCase.family != "paged_attention")
        all.push_back(kernelCase);
    return all;
  }();
  return all;
}

void PrintTo(const KernelCase &kernelCase, std::ostream *stream) {
  *stream << kernelCase.name;
}

} // namespace pagoda::test
