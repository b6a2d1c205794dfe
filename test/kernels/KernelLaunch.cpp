#include "KernelLaunch.h"

#include "GuardedMemory.h"
#include "pagoda/Dialect/LLM/LLMOps.h"
#include "pagoda/Runtime/Device/CpuFeatures.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace pagoda::test {

namespace {

/// Bytes of a row of an output.
size_t rowBytes(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  ElementType element = *llm::getElementType(type.getElementType());
  uint64_t width = 1;
  for (int64_t extent : type.getShape().drop_front())
    width *= static_cast<uint64_t>(extent);
  return element.isQuantised() ? activationRowBytes(element.format(), width)
                               : element.rowBytes(width);
}

} // namespace

void runTiles(const CompiledKernel &kernel, const PagodaLaunch &launch,
              Tiles tiles) {
  long long count = kernel.tiles(&launch);
  switch (tiles) {
  case Tiles::AtOnce:
    kernel.run(&launch, 0, count);
    break;
  case Tiles::Apart:
    for (long long tile = count; tile-- > 0;)
      kernel.run(&launch, tile, tile + 1);
    break;
  case Tiles::InTwo:
    kernel.run(&launch, count / 3, count);
    kernel.run(&launch, 0, count / 3);
    break;
  }
}

static Outputs launchWith(const CompiledKernel &kernel,
                          const KernelInputs &inputs, Rows rows, Tiles tiles,
                          long long features) {
  size_t first = static_cast<size_t>(rows.first);
  size_t count = static_cast<size_t>(rows.last - rows.first);
  std::vector<GuardedMemory> memory;
  exec::KernelOp op = kernel.op;
  Operation *yield = op.getContract().front().getTerminator();
  std::vector<size_t> outputs;
  for (const KernelArgument &argument : kernel.unit->arguments) {
    if (argument.kind == KernelArgument::Kind::Output) {
      outputs.push_back(memory.size());
      memory.emplace_back(count * rowBytes(yield->getOperand(argument.index)));
      continue;
    }
    const KernelInput &input = inputs.inputs[argument.index];
    std::span<const std::byte> bytes = input.bytes;
    if (input.rowBytes)
      bytes = bytes.subspan(first * input.rowBytes, count * input.rowBytes);
    memory.emplace_back(bytes);
  }

  std::vector<void *> arguments;
  for (const GuardedMemory &block : memory)
    arguments.push_back(block.data());
  GuardedMemory scratch(kernel.scratchBytes);
  long long size = static_cast<long long>(count);
  long long dims[PagodaStepDims] = {size, 1, size, 1, 1};
  PagodaLaunch launch{arguments.data(), dims, size,
                      scratch.data(),   8192, features};
  runTiles(kernel, launch, tiles);

  EXPECT_TRUE(scratch.isIntact()) << "wrote in front of its scratch memory";
  for (const GuardedMemory &block : memory)
    EXPECT_TRUE(block.isIntact()) << "wrote in front of an argument";
  Outputs result;
  for (size_t index : outputs)
    result.push_back(memory[index].content());
  return result;
}

Outputs launch(const CompiledKernel &kernel, const KernelInputs &inputs,
               Rows rows, Tiles tiles) {
  Outputs result = launchWith(kernel, inputs, rows, tiles, 0);
  if (rt::cpuHasMatrixUnit())
    EXPECT_TRUE(launchWith(kernel, inputs, rows, tiles, PagodaMatrixUnit) ==
                result)
        << "the matrix unit gives other bits";
  return result;
}

Outputs cut(const Outputs &outputs, int64_t rows, Rows wanted) {
  Outputs result;
  for (const std::vector<std::byte> &output : outputs) {
    auto row = static_cast<ptrdiff_t>(output.size()) / rows;
    result.emplace_back(output.begin() + wanted.first * row,
                        output.begin() + wanted.last * row);
  }
  return result;
}

} // namespace pagoda::test
