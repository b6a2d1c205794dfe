// kv_append: what lands in the pools is what the contract says, element by
// element, and nothing else changes there.

#include "ErrorBounds.h"
#include "GuardedMemory.h"
#include "KernelCases.h"
#include "KernelLaunch.h"
#include "PagedBatch.h"
#include "pagoda/Base/Float16.h"
#include "pagoda/Dialect/LLM/LLMOps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace pagoda;
using namespace pagoda::test;

namespace {

const CompiledKernels &kernels() {
  static const CompiledKernels all([] {
    std::vector<std::string> texts;
    for (const KernelCase &kernelCase : kv_appendCases())
      texts.push_back(kernelCase.ir);
    return texts;
  }());
  return all;
}

llm::KVAppendOp appendOf(exec::KernelOp kernel) {
  return *kernel.getContract().front().getOps<llm::KVAppendOp>().begin();
}

PoolShape shapeOf(exec::KernelOp kernel) {
  auto type = cast<RankedTensorType>(appendOf(kernel).getKey().getType());
  auto block = kernel.getParameters().getAs<IntegerAttr>("block");
  return {type.getDimSize(1), type.getDimSize(2), block.getInt(),
          type.getElementType().isF16()};
}

/// Pools full of a pattern, and the outputs.
struct Result {
  std::vector<std::byte> keys, values;
  Outputs outputs;
  bool operator==(const Result &) const = default;
};

/// A byte pattern that differs from place to place.
std::vector<std::byte> pattern(size_t size, unsigned salt) {
  std::vector<std::byte> bytes(size);
  for (size_t i = 0; i < size; ++i)
    bytes[i] = std::byte((i * 167 + i / 256 + salt) & 0xff);
  return bytes;
}

Result run(const CompiledKernel &kernel, const KernelInputs &inputs,
           const std::vector<int32_t> &slots, int64_t blocks, Rows rows,
           Tiles tiles) {
  exec::KernelOp op = kernel.op;
  PoolShape shape = shapeOf(op);
  size_t bytes = static_cast<size_t>(blocks * shape.blockElements() *
                                     shape.elementBytes());
  GuardedMemory keys(pattern(bytes, 1)), values(pattern(bytes, 2));
  size_t first = static_cast<size_t>(rows.first);
  size_t count = static_cast<size_t>(rows.last - rows.first);
  std::vector<GuardedMemory> memory;
  std::vector<void *> arguments;
  std::vector<size_t> outputs;
  for (const KernelArgument &argument : kernel.unit->arguments) {
    switch (argument.kind) {
    case KernelArgument::Kind::KeyPool:
      arguments.push_back(keys.data());
      continue;
    case KernelArgument::Kind::ValuePool:
      arguments.push_back(values.data());
      continue;
    case KernelArgument::Kind::Field:
      memory.emplace_back(
          std::as_bytes(std::span(slots).subspan(first, count)));
      break;
    case KernelArgument::Kind::Output: {
      Value query =
          op.getContract().front().getTerminator()->getOperand(argument.index);
      auto type = cast<RankedTensorType>(query.getType());
      outputs.push_back(memory.size());
      memory.emplace_back(count * type.getDimSize(1) * type.getDimSize(2) * 4);
      break;
    }
    case KernelArgument::Kind::Input: {
      const KernelInput &input = inputs.inputs[argument.index];
      std::span<const std::byte> content = input.bytes;
      if (input.rowBytes)
        content =
            content.subspan(first * input.rowBytes, count * input.rowBytes);
      memory.emplace_back(content);
      break;
    }
    }
    arguments.push_back(memory.back().data());
  }
  GuardedMemory scratch(kernel.scratchBytes);
  long long size = static_cast<long long>(count);
  long long dims[PagodaStepDims] = {size, 1, size, 1, blocks};
  PagodaLaunch launch{arguments.data(), dims, size, scratch.data(), 0, 0};
  runTiles(kernel, launch, tiles);
  EXPECT_TRUE(keys.isIntact() && values.isIntact());
  Result result{keys.content(), values.content(), {}};
  for (size_t index : outputs)
    result.outputs.push_back(memory[index].content());
  return result;
}

double read(const std::vector<std::byte> &pool, int64_t element, bool isHalf) {
  if (isHalf) {
    uint16_t bits;
    std::memcpy(&bits, pool.data() + element * 2, 2);
    return halfToFloat(bits);
  }
  float value;
  std::memcpy(&value, pool.data() + element * 4, 4);
  return value;
}

class KVAppend : public testing::TestWithParam<KernelCase> {
protected:
  void SetUp() override {
    if (kernels().targets().empty())
      GTEST_SKIP() << "this CPU runs no target of Pagoda";
  }

  static constexpr int64_t kTokens = 21, kBlocks = 4;

  /// A slot for each token, in no order, the ends of blocks among them; some
  /// tokens have none.
  static std::vector<int32_t> slots(int64_t block) {
    std::vector<int32_t> all(kBlocks * block);
    std::iota(all.begin(), all.end(), 0);
    std::shuffle(all.begin(), all.end(), std::mt19937_64(9));
    std::stable_partition(all.begin(), all.end(), [&](int32_t slot) {
      return slot % block == 0 || slot % block == block - 1;
    });
    all.resize(kTokens);
    all[3] = all[20] = -1;
    return all;
  }
};

TEST_P(KVAppend, StoresWhatItsContractSaysAndNothingElse) {
  exec::KernelOp op = kernels().op(GetParam().name);
  llm::KVAppendOp append = appendOf(op);
  PoolShape shape = shapeOf(op);
  std::vector<int32_t> slot = slots(shape.block);
  for (Data data : {Data::Normal, Data::Small, Data::Zeros}) {
    KernelInputs inputs = makeInputs(op, kTokens, data, 5);
    std::vector<Bounded> stored =
        evaluate(op, inputs.tensors(), {append.getKey(), append.getValue()});
    for (const std::string &target : kernels().targets()) {
      SCOPED_TRACE(target + ", " + dataName(data));
      CompiledKernel kernel = kernels().find(GetParam().name, target);
      Result result =
          run(kernel, inputs, slot, kBlocks, {0, kTokens}, Tiles::AtOnce);

      // Pools as they were, with what was appended taken back.
      Result rest = result;
      size_t size = static_cast<size_t>(shape.elementBytes());
      int64_t elements = 0;
      std::vector<std::byte> before[] = {pattern(result.keys.size(), 1),
                                         pattern(result.values.size(), 2)};
      for (int64_t t = 0; t < kTokens; ++t)
        for (int64_t h = 0; h < shape.kvHeads && slot[t] >= 0; ++h)
          for (int64_t d = 0; d < shape.elements; ++d) {
            size_t i = static_cast<size_t>(
                (t * shape.kvHeads + h) * shape.elements + d);
            int64_t at[] = {shape.keyAt(slot[t], h, d),
                            shape.valueAt(slot[t], h, d)};
            std::vector<std::byte> *pools[] = {&rest.keys, &rest.values};
            for (int pool : {0, 1}) {
              double found = read(*pools[pool], at[pool], shape.isHalf);
              ASSERT_NEAR(found, stored[pool].value.numbers[i],
                          stored[pool].errorOf(i))
                  << (pool ? "value" : "key") << " of token " << t << ", head "
                  << h << ", element " << d;
              std::memcpy(pools[pool]->data() + at[pool] * size,
                          before[pool].data() + at[pool] * size, size);
              ++elements;
            }
          }
      EXPECT_EQ(rest.keys, before[0]) << "other keys changed";
      EXPECT_EQ(rest.values, before[1]) << "other values changed";
      EXPECT_EQ(elements, (kTokens - 2) * shape.kvHeads * shape.elements * 2);
      if (!result.outputs.empty()) {
        std::vector<Bounded> yielded = evaluate(op, inputs.tensors());
        EXPECT_EQ(compare(yielded[0], result.outputs[0]), "");
      }
    }
  }
}

TEST_P(KVAppend, BitsDependOnTheTokenAlone) {
  exec::KernelOp op = kernels().op(GetParam().name);
  std::vector<int32_t> slot = slots(shapeOf(op).block);
  KernelInputs inputs = makeInputs(op, kTokens, Data::Normal, 6);
  std::optional<Result> first;
  for (const std::string &target : kernels().targets()) {
    SCOPED_TRACE(target);
    CompiledKernel kernel = kernels().find(GetParam().name, target);
    Result whole =
        run(kernel, inputs, slot, kBlocks, {0, kTokens}, Tiles::AtOnce);
    if (!first)
      first = whole;
    EXPECT_TRUE(whole == *first) << "targets differ";
    EXPECT_TRUE(
        run(kernel, inputs, slot, kBlocks, {0, kTokens}, Tiles::Apart) == whole)
        << "tiles depend on each other";
    // One token after the other: each adds its part to the same pools.
    PoolShape shape = shapeOf(op);
    size_t size = static_cast<size_t>(shape.elementBytes());
    for (int64_t t : {0, 7, 20}) {
      Result alone =
          run(kernel, inputs, slot, kBlocks, {t, t + 1}, Tiles::AtOnce);
      EXPECT_EQ(alone.outputs, cut(whole.outputs, kTokens, {t, t + 1}));
      for (int64_t h = 0; h < shape.kvHeads && slot[t] >= 0; ++h)
        for (int64_t d = 0; d < shape.elements; ++d) {
          int64_t key = shape.keyAt(slot[t], h, d);
          int64_t value = shape.valueAt(slot[t], h, d);
          ASSERT_EQ(std::memcmp(alone.keys.data() + key * size,
                                whole.keys.data() + key * size, size),
                    0);
          ASSERT_EQ(std::memcmp(alone.values.data() + value * size,
                                whole.values.data() + value * size, size),
                    0);
        }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, KVAppend, testing::ValuesIn(kv_appendCases()),
                         [](const auto &info) { return info.param.name; });

} // namespace
