//===- KernelInputs.h - Arguments of every kind for a kernel ----*- C++ -*-===//
//
// Makes the inputs of a kernel from the types of its contract: activations,
// weights of every format, tables, ids and rows, each as a reference tensor and
// as the bytes that the kernel gets.
//
//   KernelInputs inputs = makeInputs(kernel, /*rows=*/7, Data::Normal, seed);
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TEST_KERNELS_KERNELINPUTS_H
#define PAGODA_TEST_KERNELS_KERNELINPUTS_H

#include "pagoda/Dialect/Exec/ExecOps.h"
#include "pagoda/Reference/Ops/Tensor.h"

#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace pagoda::test {

/// What activations look like.
enum class Data {
  /// Normal, deviation 1.
  Normal,
  /// Times 2^30, of which weights, sums, and products of sums still fit into
  /// float32, and times 2^-100, of which squares do not.
  Large,
  Small,
  /// Pairs that cancel but for a millionth.
  Cancelling,
  Zeros,
};
std::string dataName(Data data);

struct KernelInput {
  reference::Tensor tensor;
  std::vector<std::byte> bytes;
  /// Bytes of one row; 0: not cut into the rows of a launch.
  size_t rowBytes = 0;
};

struct KernelInputs {
  /// By block argument; caches and batches have none.
  std::vector<KernelInput> inputs;
  std::vector<reference::Tensor> tensors() const;
};

KernelInputs makeInputs(exec::KernelOp kernel, int64_t rows, Data data,
                        unsigned seed);

/// Float32 numbers of a tensor as memory; f16 where `type` says so.
std::vector<std::byte> floatBytes(const reference::Tensor &tensor);

/// A matrix of random codes and scales, or of random floats, whose numbers are
/// all representable. Scales are of very different size.
reference::Tensor randomMatrix(const ElementType &type, reference::Shape shape,
                               std::mt19937_64 &random);

/// [rows, 2 frequencies] of a head of which `pairs` pairs turn.
reference::Tensor rotationTable(int64_t rows, int64_t pairs);

} // namespace pagoda::test

#endif // PAGODA_TEST_KERNELS_KERNELINPUTS_H
