// paged_attention against softmax in float64: ragged batches over shuffled
// blocks, with NaN wherever no query may look; and the bits of a query, which
// depend on its own sequence alone.

#include "ErrorBounds.h"
#include "GuardedMemory.h"
#include "KernelCases.h"
#include "KernelLaunch.h"
#include "PagedBatch.h"
#include "PointwiseBounds.h"
#include "pagoda/Base/Float16.h"
#include "pagoda/Dialect/LLM/LLMOps.h"
#include "pagoda/Reference/Ops/AttentionOps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace mlir;
using namespace pagoda;
using namespace pagoda::test;

namespace {

const CompiledKernels &kernels() {
  static const CompiledKernels all([] {
    std::vector<std::string> texts;
    for (const KernelCase &kernelCase : paged_attentionCases())
      texts.push_back(kernelCase.ir);
    return texts;
  }());
  return all;
}

/// Around 16 keys in a vector, 64 in a chunk, 16 tokens in a tile.
const std::vector<Sequence> kSequences = {
    {1, 1},  {15, 15}, {16, 1},  {17, 17}, {63, 3},
    {64, 1}, {65, 20}, {65, 65}, {130, 1}, {130, 70},
};
constexpr int64_t kChunk = 64;

/// What queries look like, beside keys of deviation 1.
enum class Queries { Normal, Sharp, Zero };

struct Problem {
  PoolShape shape;
  int64_t heads;
  double scale;
  bool isRounded;
  PagedBatch batch;
  reference::Tensor query;
  /// [sequence][position][kvHeads * elements]
  std::vector<std::vector<std::vector<double>>> keys, values;
  std::vector<std::byte> keyPool, valuePool;

  int64_t rowElements() const { return heads * shape.elements; }
};

llm::PagedAttentionOp attentionOf(exec::KernelOp kernel) {
  return *kernel.getContract().front().getOps<llm::PagedAttentionOp>().begin();
}

void write(std::vector<std::byte> &pool, int64_t at, double value,
           bool isHalf) {
  float number = static_cast<float>(value);
  uint16_t half = floatToHalf(number);
  if (isHalf)
    std::memcpy(pool.data() + at * 2, &half, 2);
  else
    std::memcpy(pool.data() + at * 4, &number, 4);
}

Problem makeProblem(exec::KernelOp kernel, std::vector<Sequence> sequences,
                    Queries kind, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  llm::PagedAttentionOp op = attentionOf(kernel);
  auto type = cast<RankedTensorType>(op.getQuery().getType());
  PoolShape shape{
      static_cast<int64_t>(op.getKvHeads()), type.getDimSize(2),
      kernel.getParameters().getAs<IntegerAttr>("block").getInt(),
      kernel.getParameters().getAs<TypeAttr>("dtype").getValue().isF16()};
  int64_t window = static_cast<int64_t>(op.getWindow().value_or(0));
  PagedBatch batch(std::move(sequences), shape, window, random);
  Problem p{shape,
            type.getDimSize(1),
            op.getScale().convertToDouble(),
            isa<llm::QuantizeOp>(*std::prev(
                kernel.getContract().front().getTerminator()->getIterator())),
            std::move(batch),
            {},
            {},
            {},
            {},
            {}};
  p.query = reference::Tensor::zeros(
      DType::F32, {p.batch.tokens(), p.heads, shape.elements});
  for (double &number : p.query.numbers) {
    double value = normal(random);
    number = static_cast<float>(kind == Queries::Zero    ? 0
                                : kind == Queries::Sharp ? 12 * value
                                                         : value);
  }
  // NaN in every slot that no query sees.
  size_t elements = static_cast<size_t>(p.batch.blocks * shape.blockElements());
  for (std::vector<std::byte> *pool : {&p.keyPool, &p.valuePool}) {
    pool->resize(elements * static_cast<size_t>(shape.elementBytes()));
    for (size_t i = 0; i < elements; ++i)
      write(*pool, static_cast<int64_t>(i), std::nan(""), shape.isHalf);
  }
  for (size_t s = 0; s < p.batch.sequences.size(); ++s) {
    auto &keys = p.keys.emplace_back();
    auto &values = p.values.emplace_back();
    int64_t length = p.batch.sequences[s].length;
    for (int64_t j = 0; j < length; ++j) {
      for (auto *rows : {&keys, &values}) {
        auto &row = rows->emplace_back(shape.kvHeads * shape.elements);
        for (double &number : row) {
          float value = static_cast<float>(normal(random));
          number = shape.isHalf ? halfToFloat(floatToHalf(value)) : value;
        }
      }
      if (j < p.batch.firstSeen(s))
        continue;
      int64_t slot = p.batch.slotOf(s, j);
      for (int64_t h = 0; h < shape.kvHeads; ++h)
        for (int64_t d = 0; d < shape.elements; ++d) {
          write(p.keyPool, shape.keyAt(slot, h, d),
                keys[j][h * shape.elements + d], shape.isHalf);
          write(p.valuePool, shape.valueAt(slot, h, d),
                values[j][h * shape.elements + d], shape.isHalf);
        }
    }
  }
  return p;
}

/// How far float32 may be for one query head, to first order in the roundings.
/// A score is a sum of D products (gamma(D) of their magnitudes), times a scale
/// that is rounded itself. It is subtracted from the maxima of its chunk and of
/// all chunks, and goes through exp, and once more for each merge. So weight
/// p_j is wrong by a factor 1 + r_j, and o = (sum p_j v_j) / (sum p_j) by (sum
/// p_j r_j (v_j - o)) / (sum p_j). Sums and products on top of that round by
/// themselves.
void boundHead(const Problem &p, std::span<const double> query,
               std::span<const std::vector<double>> keys,
               std::span<const std::vector<double>> values, int64_t kvHead,
               std::span<const double> result, std::span<double> error) {
  int64_t elements = p.shape.elements;
  double chunks = std::ceil(static_cast<double>(keys.size()) / kChunk) + 1;
  std::vector<double> score, magnitude;
  double top = -std::numeric_limits<double>::infinity();
  for (const std::vector<double> &key : keys) {
    double sum = 0, terms = 0;
    for (int64_t d = 0; d < elements; ++d) {
      double product = query[d] * key[kvHead * elements + d];
      sum += product;
      terms += std::abs(product);
    }
    score.push_back(p.scale * sum);
    magnitude.push_back(std::abs(p.scale) * terms);
    top = std::max(top, score.back());
  }
  double total = 0;
  for (double s : score)
    total += std::exp(s - top);
  std::vector<double> sums(elements);
  for (size_t j = 0; j < score.size(); ++j) {
    double weight = std::exp(score[j] - top) / total;
    double wrong =
        std::expm1(gammaOf(static_cast<double>(elements)) * magnitude[j] +
                   2 * kUnit * std::abs(score[j])) +
        2 * kUnit * (top - score[j]) +
        gammaOf((stated::exp(0) + 1) * (1 + chunks));
    for (int64_t d = 0; d < elements; ++d) {
      double value = values[j][kvHead * elements + d];
      error[d] += 1.01 * weight * wrong * std::abs(value - result[d]);
      sums[d] += weight * std::abs(value);
    }
  }
  for (int64_t d = 0; d < elements; ++d)
    error[d] += gammaOf(2 * (kChunk + 8 + 2 * chunks)) * sums[d] + kTiny;
}

Bounded expectedOf(const Problem &p) {
  Bounded expected;
  int64_t elements = p.shape.elements, width = p.rowElements();
  expected.value =
      reference::Tensor::zeros(DType::F32, {p.batch.tokens(), width});
  expected.error.resize(expected.value.numbers.size());
  std::optional<int64_t> window;
  if (p.batch.window > 0)
    window = p.batch.window;
  for (size_t s = 0; s < p.batch.sequences.size(); ++s) {
    const Sequence &sequence = p.batch.sequences[s];
    for (int64_t i = 0; i < sequence.queries; ++i) {
      int64_t index = sequence.length - sequence.queries + i;
      int64_t token = p.batch.qStart[s] + i;
      int64_t first = reference::firstKeySeen(index, window);
      std::vector<reference::HeadRow> keys, values;
      for (int64_t j = first; j <= index; ++j) {
        keys.emplace_back(p.keys[s][j]);
        values.emplace_back(p.values[s][j]);
      }
      std::span<const double> query(p.query.numbers.data() + token * width,
                                    width);
      std::vector<double> out = reference::attend(
          {p.heads, p.shape.kvHeads, elements}, query, keys, values, p.scale);
      std::copy(out.begin(), out.end(),
                expected.value.numbers.begin() + token * width);
      size_t count = static_cast<size_t>(index - first + 1);
      for (int64_t h = 0; h < p.heads; ++h)
        boundHead(p, query.subspan(h * elements, elements),
                  std::span(p.keys[s]).subspan(first, count),
                  std::span(p.values[s]).subspan(first, count),
                  h / (p.heads / p.shape.kvHeads),
                  std::span(out).subspan(h * elements, elements),
                  std::span(expected.error)
                      .subspan(token * width + h * elements, elements));
    }
  }
  if (p.isRounded)
    expected.rounded = QuantFormat{8, 32, ScaleKind::F32, ZeroKind::Signed};
  return expected;
}

std::vector<std::byte> run(const CompiledKernel &kernel, const Problem &p,
                           Tiles tiles) {
  int64_t tokens = p.batch.tokens();
  QuantFormat rounded{8, 32, ScaleKind::F32, ZeroKind::Signed};
  size_t rowBytes = p.isRounded ? activationRowBytes(rounded, p.rowElements())
                                : static_cast<size_t>(p.rowElements() * 4);
  std::vector<GuardedMemory> memory;
  memory.reserve(kernel.unit->arguments.size());
  size_t output = 0;
  for (const KernelArgument &argument : kernel.unit->arguments)
    switch (argument.kind) {
    case KernelArgument::Kind::Input:
      memory.emplace_back(floatBytes(p.query));
      break;
    case KernelArgument::Kind::Output:
      output = memory.size();
      memory.emplace_back(static_cast<size_t>(tokens) * rowBytes);
      break;
    case KernelArgument::Kind::KeyPool:
      memory.emplace_back(p.keyPool);
      break;
    case KernelArgument::Kind::ValuePool:
      memory.emplace_back(p.valuePool);
      break;
    case KernelArgument::Kind::Field:
      memory.emplace_back(
          std::as_bytes(std::span(p.batch.field(argument.field))));
      break;
    }
  std::vector<void *> arguments;
  for (const GuardedMemory &block : memory)
    arguments.push_back(block.data());
  GuardedMemory scratch(kernel.scratchBytes);
  long long dims[PagodaStepDims] = {
      tokens, static_cast<long long>(p.batch.sequences.size()), tokens,
      p.batch.tableWidth, p.batch.blocks};
  PagodaLaunch launch{arguments.data(), dims, tokens, scratch.data(), 0, 0};
  runTiles(kernel, launch, tiles);
  for (const GuardedMemory &block : memory)
    EXPECT_TRUE(block.isIntact());
  return memory[output].content();
}

class PagedAttention : public testing::TestWithParam<KernelCase> {
protected:
  void SetUp() override {
    if (kernels().targets().empty())
      GTEST_SKIP() << "this CPU runs no target of Pagoda";
  }
};

TEST_P(PagedAttention, AgreesWithItsContract) {
  exec::KernelOp op = kernels().op(GetParam().name);
  for (Queries kind : {Queries::Normal, Queries::Sharp, Queries::Zero}) {
    Problem p = makeProblem(op, kSequences, kind, 31);
    Bounded expected = expectedOf(p);
    for (const std::string &target : kernels().targets()) {
      SCOPED_TRACE(testing::Message()
                   << target << ", kind of queries " << static_cast<int>(kind));
      CompiledKernel kernel = kernels().find(GetParam().name, target);
      ASSERT_EQ(compare(expected, run(kernel, p, Tiles::AtOnce)), "");
    }
  }
}

TEST_P(PagedAttention, BitsDependOnTheSequenceAlone) {
  exec::KernelOp op = kernels().op(GetParam().name);
  Problem p = makeProblem(op, kSequences, Queries::Normal, 32);
  std::vector<std::byte> first;
  for (const std::string &target : kernels().targets()) {
    SCOPED_TRACE(target);
    CompiledKernel kernel = kernels().find(GetParam().name, target);
    std::vector<std::byte> whole = run(kernel, p, Tiles::AtOnce);
    if (first.empty())
      first = whole;
    EXPECT_EQ(whole, first) << "targets differ";
    for (Tiles tiles : {Tiles::Apart, Tiles::InTwo})
      EXPECT_EQ(run(kernel, p, tiles), whole) << "tiles depend on each other";

    size_t rowBytes = whole.size() / static_cast<size_t>(p.batch.tokens());
    for (size_t s = 0; s < kSequences.size(); ++s) {
      // Alone; and token by token, as a decoder would.
      for (int64_t i = 0; i < kSequences[s].queries; i += 7) {
        Problem alone = p;
        PagedBatch &batch = alone.batch;
        int64_t token = p.batch.qStart[s] + i;
        int64_t width = p.batch.tableWidth;
        batch.sequences = {
            {kSequences[s].length - kSequences[s].queries + i + 1, 1}};
        batch.qStart = {0, 1};
        batch.kvLength = {static_cast<int32_t>(batch.sequences[0].length)};
        batch.blockTable.assign(p.batch.blockTable.begin() + s * width,
                                p.batch.blockTable.begin() + (s + 1) * width);
        alone.query.shape[0] = 1;
        alone.query.numbers.assign(
            p.query.numbers.begin() + token * p.rowElements(),
            p.query.numbers.begin() + (token + 1) * p.rowElements());
        std::vector<std::byte> row(
            whole.begin() + static_cast<ptrdiff_t>(token * rowBytes),
            whole.begin() + static_cast<ptrdiff_t>((token + 1) * rowBytes));
        ASSERT_EQ(run(kernel, alone, Tiles::AtOnce), row)
            << "token " << i << " of sequence " << s;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, PagedAttention,
                         testing::ValuesIn(paged_attentionCases()),
                         [](const auto &info) { return info.param.name; });

} // namespace
