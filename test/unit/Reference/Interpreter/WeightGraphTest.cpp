// The interpreter's evaluator of weights and lib/Weights, bit for bit: every op
// on every format that it takes.

#include "ParsedModule.h"
#include "pagoda/Base/Random.h"
#include "pagoda/Codegen/WeightLowering.h"
#include "pagoda/Files/GgufWriter.h"
#include "pagoda/Weights/BlockCodec.h"

#include <cstdlib>
#include <filesystem>

using namespace pagoda;
using namespace pagoda::test;

namespace {

/// A GGUF file with a matrix [96, 512] of each format, under the format's name.
class WeightGraph : public testing::Test {
protected:
  static constexpr int64_t kRows = 96, kColumns = 512;

  static void SetUpTestSuite() {
    std::string path =
        (std::filesystem::temp_directory_path() / "pagoda-weights-XXXXXX")
            .string();
    ASSERT_TRUE(::mkdtemp(path.data()));
    folder = path;
    GgufWriter writer;
    std::vector<std::vector<std::byte>> kept;
    for (const ElementType &type : formats()) {
      kept.push_back(matrixOf(type));
      ASSERT_TRUE(
          writer.addTensor(type.name(), {kRows, kColumns}, type, kept.back())
              .ok());
    }
    ASSERT_TRUE(writer.write(folder + "/m.gguf").ok());
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder); }

  static std::vector<ElementType> formats() {
    return {DType::F32,
            DType::F16,
            DType::BF16,
            ElementType::quantised(QuantFormat::q4_0()),
            ElementType::quantised(QuantFormat::q4_1()),
            ElementType::quantised(QuantFormat::q8_0()),
            ElementType::quantised(QuantFormat::q4_k()),
            ElementType::quantised(QuantFormat::q6_k())};
  }

  static std::vector<std::byte> matrixOf(const ElementType &type) {
    std::vector<std::byte> bytes(kRows * type.rowBytes(kColumns));
    std::vector<float> row(kColumns);
    for (int64_t r = 0; r < kRows; ++r) {
      std::span<std::byte> out = std::span(bytes).subspan(
          r * type.rowBytes(kColumns), type.rowBytes(kColumns));
      if (type.isQuantised()) {
        for (int64_t k = 0; k < kColumns; ++k)
          row[k] = static_cast<float>(randomNormal(3, r * kColumns + k));
        EXPECT_TRUE(encodeRow(type.format(), row, out).ok());
        continue;
      }
      // Any bits that are no infinity and no NaN.
      for (size_t i = 0; i < out.size(); ++i)
        out[i] = std::byte(mix64(r * 4096 + i) & 0xbf);
    }
    return bytes;
  }

  static std::string moduleAround(const std::string &type,
                                  const std::string &body) {
    return "llm.source @m file(\"m.gguf\")\n"
           "llm.source @r random(seed = 11, deviation = 0.5)\n"
           "llm.define @w : " +
           type + " {\n" + body + "\n}\n";
  }

  /// Evaluates the definition both ways.
  static void compare(const std::string &type, const std::string &body) {
    SCOPED_TRACE(body);
    ParsedModule parsed(moduleAround(type, body), {}, folder);
    ASSERT_TRUE(parsed.module);
    auto define = *parsed.module->getOps<llm::DefineOp>().begin();
    auto lowering = WeightLowering::create(*parsed.module, folder);
    ASSERT_TRUE(lowering.ok()) << lowering.status().message();
    auto lowered = lowering->lower(define);
    ASSERT_TRUE(lowered.ok()) << lowered.status().message();
    std::vector<std::byte> expected(lowered->units() * lowered->unitBytes());
    ASSERT_TRUE(lowered->read(0, lowered->units(), expected.data()).ok());
    auto found = parsed.interpreter->evaluate(define);
    ASSERT_TRUE(found.ok()) << found.status().message();
    ASSERT_EQ(found->size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i)
      ASSERT_EQ((*found)[i], expected[i]) << "byte " << i;
  }

  static std::string elementOf(const ElementType &type) {
    return type.isQuantised() ? "!llm." + type.name() : type.name();
  }
  static std::string matrix(const ElementType &type) {
    return "tensor<96x512x" + elementOf(type) + ">";
  }
  static std::string load(const ElementType &type) {
    return "%a = llm.weight @m[\"" + type.name() + "\"] : " + matrix(type) +
           "\n";
  }
  static std::string yield(const std::string &value, const std::string &type) {
    return "llm.yield " + value + " : " + type;
  }

  static std::string folder;
};

std::string WeightGraph::folder;

TEST_F(WeightGraph, TensorsAsTheyAre) {
  for (const ElementType &type : formats())
    compare(matrix(type), load(type) + yield("%a", matrix(type)));
}

TEST_F(WeightGraph, Packing) {
  for (const ElementType &type : formats()) {
    std::string packed = "!llm.packed<tile32, " + matrix(type) + ">";
    compare(packed, load(type) + "%p = llm.weight.pack %a : " + matrix(type) +
                        " to " + packed + "\n" + yield("%p", packed));
    // Tiles that are not full.
    std::string some = "tensor<77x512x" + elementOf(type) + ">";
    std::string packedSome = "!llm.packed<tile32, " + some + ">";
    compare(packedSome,
            load(type) +
                "%s = llm.weight.slice %a axis 0 offset 5 : " + matrix(type) +
                " to " + some + "\n" + "%p = llm.weight.pack %s : " + some +
                " to " + packedSome + "\n" + yield("%p", packedSome));
  }
}

TEST_F(WeightGraph, Slices) {
  for (const ElementType &type : formats()) {
    std::string rows = "tensor<7x512x" + elementOf(type) + ">";
    compare(rows, load(type) + "%s = llm.weight.slice %a axis 0 offset 33 : " +
                      matrix(type) + " to " + rows + "\n" + yield("%s", rows));
    std::string columns = "tensor<96x256x" + elementOf(type) + ">";
    compare(columns,
            load(type) + "%s = llm.weight.slice %a axis 1 offset 256 : " +
                matrix(type) + " to " + columns + "\n" + yield("%s", columns));
  }
}

TEST_F(WeightGraph, Concatenations) {
  for (const ElementType &type : formats())
    for (int axis : {0, 1}) {
      std::string joined = (axis == 0 ? "tensor<192x512x" : "tensor<96x1024x") +
                           elementOf(type) + ">";
      compare(joined, load(type) + "%c = llm.weight.concat axis " +
                          std::to_string(axis) + " %a, %a : (" + matrix(type) +
                          ", " + matrix(type) + ") -> " + joined + "\n" +
                          yield("%c", joined));
    }
}

TEST_F(WeightGraph, ReshapesAndTranspositions) {
  for (const ElementType &type : formats()) {
    std::string element = elementOf(type);
    std::string split = "tensor<4x2x12x512x" + element + ">";
    std::string moved = "tensor<4x12x2x512x" + element + ">";
    std::string first = "tensor<2x4x12x512x" + element + ">";
    std::string reshaped = load(type) +
                           "%r = llm.weight.reshape %a : " + matrix(type) +
                           " to " + split + "\n";
    compare(split, reshaped + yield("%r", split));
    // As rotary embeddings are un-permuted: within the leading axis, and back.
    compare(matrix(type),
            reshaped + "%t = llm.weight.transpose %r [0, 2, 1, 3] : " + split +
                " to " + moved + "\n" +
                "%b = llm.weight.reshape %t : " + moved + " to " +
                matrix(type) + "\n" + yield("%b", matrix(type)));
    compare(first, reshaped + "%t = llm.weight.transpose %r [1, 0, 2, 3] : " +
                       split + " to " + first + "\n" + yield("%t", first));
    if (!type.isQuantised()) {
      std::string turned = "tensor<512x96x" + element + ">";
      compare(turned, load(type) + "%t = llm.weight.transpose %a [1, 0] : " +
                          matrix(type) + " to " + turned + "\n" +
                          yield("%t", turned));
      std::string flat = "tensor<128x384x" + element + ">";
      compare(flat, load(type) +
                        "%r = llm.weight.reshape %a : " + matrix(type) +
                        " to " + flat + "\n" + yield("%r", flat));
    }
  }
}

TEST_F(WeightGraph, PartsOfQuantisedTensors) {
  for (const ElementType &type : formats()) {
    if (!type.isQuantised())
      continue;
    std::string codes = "tensor<96x512xi16>";
    std::string groups =
        "tensor<96x" + std::to_string(512 / type.format().group) + "xf32>";
    for (const auto &[op, result] :
         {std::pair("codes", codes), std::pair("scales", groups),
          std::pair("zeros", groups)})
      compare(result, load(type) + "%p = llm.weight." + op +
                          " %a : " + matrix(type) + " to " + result + "\n" +
                          yield("%p", result));
    std::string numbers = "tensor<96x512xf32>";
    compare(numbers, load(type) + "%n = llm.dequantize %a : " + matrix(type) +
                         " to " + numbers + "\n" + yield("%n", numbers));
    if (type.format().hasSuperScale())
      continue; // cannot be composed
    bool zeros = type.format().hasMinimum();
    compare(matrix(type),
            load(type) + "%c = llm.weight.codes %a : " + matrix(type) + " to " +
                codes + "\n%s = llm.weight.scales %a : " + matrix(type) +
                " to " + groups + "\n%z = llm.weight.zeros %a : " +
                matrix(type) + " to " + groups +
                // Scales that the format has to round.
                "\n%f = arith.constant dense<1.7> : " + groups +
                "\n%t = arith.mulf %s, %f : " + groups +
                "\n%w = llm.weight.compose %c, %t" + (zeros ? ", %z" : "") +
                " : (" + codes + ", " + groups + (zeros ? ", " + groups : "") +
                ") -> " + matrix(type) + "\n" + yield("%w", matrix(type)));
  }
}

TEST_F(WeightGraph, RotationsRandomNumbersAndArithmetic) {
  std::string table = "tensor<300x3x2xf32>";
  compare(table, "%t = llm.weight.rope_table frequencies [1.0, 0.1, "
                 "0.0123] {magnitude = 1.3 : f32} : " +
                     table + "\n" + yield("%t", table));
  std::string random = "tensor<48x10xf32>";
  std::string loaded = "%a = llm.weight @r[\"a\"] : " + random +
                       "\n%b = llm.weight @r[\"b\"] : " + random + "\n";
  compare(random, loaded + yield("%a", random));
  for (std::string op : {"addf", "subf", "mulf", "divf"})
    compare(random, loaded + "%c = arith." + op + " %a, %b : " + random +
                        // A second rounding, of what the first one left.
                        "\n%d = arith.mulf %c, %b : " + random + "\n" +
                        yield("%d", random));
  for (std::string element : {"f16", "bf16"}) {
    std::string narrow = "tensor<96x512x" + element + ">";
    compare("tensor<96x512xf32>",
            "%a = llm.weight @m[\"" + element + "\"] : " + narrow +
                "\n%w = arith.extf %a : " + narrow +
                " to tensor<96x512xf32>\n" + yield("%w", "tensor<96x512xf32>"));
  }
}

TEST_F(WeightGraph, WhatTheFileDoesNotHaveIsAnError) {
  auto evaluate = [](const std::string &type, const std::string &load) {
    ParsedModule parsed(moduleAround(type, load + yield("%a", type)), {},
                        folder);
    return parsed.interpreter
        ->evaluate(*parsed.module->getOps<llm::DefineOp>().begin())
        .status()
        .message();
  };
  EXPECT_THAT(evaluate("tensor<1x512xf32>",
                       "%a = llm.weight @m[\"f32\"] : tensor<1x512xf32>\n"),
              testing::HasSubstr("tensor 'f32' is [96, 512] of f32 in the file "
                                 "and [1, 512] of f32 in the module"));
  EXPECT_THAT(evaluate("tensor<1xf32>",
                       "%a = llm.weight @m[\"none\"] : tensor<1xf32>\n"),
              testing::HasSubstr("none"));
}

} // namespace
