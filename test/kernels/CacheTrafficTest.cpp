// No step copies or reads keys and values beyond what attention needs. Three
// facts make it so, each a test:
//
// 1. In a compiled program only two launches of a layer get its part of the
//    cache, the append and the attention; there is no other command, so nothing
//    else can touch it.
// 2. An append writes the pages of its tokens' slots, for each head, and reads
//    none. (KVAppendTest.cpp counts the very elements: T * G * D * 2.)
// 3. An attention writes nothing and reads each page that holds a key or a
//    value which one of its queries sees, and no other: with a window, not
//    those behind it.
//
// With 64 elements and blocks of 16 tokens the keys (or values) of one head in
// one block are 4096 bytes: a page, so that the machine itself counts.

#include "CompiledKernels.h"
#include "PagedBatch.h"
#include "WatchedMemory.h"
#include "pagoda/Base/Concat.h"
#include "pagoda/Dialect/LLM/LLMDialect.h"
#include "pagoda/Tools/RegisterAll.h"
#include "pagoda/Transforms/Pipelines.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <map>

using namespace mlir;
using namespace pagoda;
using namespace pagoda::test;

namespace {

constexpr int64_t kHeads = 6, kKVHeads = 3, kElements = 64, kBlock = 16;

std::string attentionText(int64_t window) {
  return concat(
      "exec.kernel @attention", window,
      " family \"paged_attention\" "
      "parameters {block = 16 : i64, chunk = 64 : i64, dtype = f32} {\n"
      "^bb0(%q: tensor<?x6x64xf32>, %c: !llm.cache, %b: !llm.batch):\n"
      "  %o = llm.paged_attention %q, %c, %b layer 0 kv_heads 3 scale 0.125",
      window ? concat(" window ", window) : "",
      " : tensor<?x6x64xf32>\n  exec.yield %o : tensor<?x6x64xf32>\n}\n");
}

const char *kAppendText = R"(
exec.kernel @append family "kv_append" parameters {block = 16 : i64} {
^bb0(%k: tensor<?x3x64xf32>, %v: tensor<?x3x64xf32>, %c: !llm.cache, %b: !llm.batch):
  %n = llm.kv_append %c, %k, %v, %b layer 0 : tensor<?x3x64xf32>
  exec.yield %n : !llm.cache
}
)";

const CompiledKernels &kernels() {
  static const CompiledKernels all(
      {attentionText(0), attentionText(20), kAppendText});
  return all;
}

/// The pages of some positions of a sequence: one for each head of each block.
void addPages(const PagedBatch &batch, size_t sequence, int64_t first,
              int64_t last, std::set<size_t> &pages) {
  for (int64_t j = first; j < last; ++j) {
    int64_t block = batch.slotOf(sequence, j) / kBlock;
    for (int64_t head = 0; head < kKVHeads; ++head)
      pages.insert(static_cast<size_t>(block * kKVHeads + head));
  }
}

/// Runs a kernel whose inputs are rows of floats, over watched pools.
void run(const std::string &name, const std::string &target,
         const PagedBatch &batch, WatchedMemory &keys, WatchedMemory &values) {
  CompiledKernel kernel = kernels().find(name, target);
  std::vector<std::vector<float>> memory;
  std::vector<void *> arguments;
  for (const KernelArgument &argument : kernel.unit->arguments)
    switch (argument.kind) {
    case KernelArgument::Kind::KeyPool:
      arguments.push_back(keys.data());
      break;
    case KernelArgument::Kind::ValuePool:
      arguments.push_back(values.data());
      break;
    case KernelArgument::Kind::Field:
      arguments.push_back(
          const_cast<int32_t *>(batch.field(argument.field).data()));
      break;
    case KernelArgument::Kind::Input:
    case KernelArgument::Kind::Output:
      memory.emplace_back(batch.tokens() * kHeads * kElements, 0.5f);
      arguments.push_back(memory.back().data());
      break;
    }
  long long dims[PagodaStepDims] = {
      batch.tokens(), static_cast<long long>(batch.sequences.size()),
      batch.tokens(), batch.tableWidth, batch.blocks};
  PagodaLaunch launch{arguments.data(), dims, batch.tokens(), nullptr, 0, 0};
  keys.watch();
  values.watch();
  kernel.run(&launch, 0, kernel.tiles(&launch));
  keys.unwatch();
  values.unwatch();
}

class CacheTraffic : public testing::TestWithParam<int64_t> {
protected:
  void SetUp() override {
    if (kernels().targets().empty())
      GTEST_SKIP() << "this CPU runs no target of Pagoda";
  }

  PagedBatch batch(int64_t window) {
    std::mt19937_64 random(3);
    return PagedBatch({{1, 1}, {16, 1}, {17, 17}, {70, 2}, {130, 1}, {130, 40}},
                      {kKVHeads, kElements, kBlock, false}, window, random);
  }
};

TEST_P(CacheTraffic, AttentionReadsWhatItSeesAndWritesNothing) {
  int64_t window = GetParam();
  PagedBatch batch = this->batch(window);
  std::set<size_t> seen;
  for (size_t s = 0; s < batch.sequences.size(); ++s)
    addPages(batch, s, batch.firstSeen(s), batch.sequences[s].length, seen);
  for (const std::string &target : kernels().targets()) {
    SCOPED_TRACE(target);
    WatchedMemory keys(static_cast<size_t>(batch.blocks * kKVHeads));
    WatchedMemory values(static_cast<size_t>(batch.blocks * kKVHeads));
    run(concat("attention", window), target, batch, keys, values);
    EXPECT_EQ(keys.read(), seen);
    EXPECT_EQ(values.read(), seen);
    EXPECT_EQ(keys.written(), std::set<size_t>());
    EXPECT_EQ(values.written(), std::set<size_t>());
  }
}

INSTANTIATE_TEST_SUITE_P(Windows, CacheTraffic, testing::Values(0, 20));

TEST_F(CacheTraffic, AppendWritesItsSlotsAndReadsNothing) {
  PagedBatch batch = this->batch(0);
  std::set<size_t> own;
  for (size_t s = 0; s < batch.sequences.size(); ++s) {
    const Sequence &sequence = batch.sequences[s];
    addPages(batch, s, sequence.length - sequence.queries, sequence.length,
             own);
  }
  for (const std::string &target : kernels().targets()) {
    SCOPED_TRACE(target);
    WatchedMemory keys(static_cast<size_t>(batch.blocks * kKVHeads));
    WatchedMemory values(static_cast<size_t>(batch.blocks * kKVHeads));
    run("append", target, batch, keys, values);
    EXPECT_EQ(keys.written(), own);
    EXPECT_EQ(values.written(), own);
    EXPECT_EQ(keys.read(), std::set<size_t>());
    EXPECT_EQ(values.read(), std::set<size_t>());
  }
}

TEST(CacheTrafficOfAProgram, TwoLaunchesOfALayerGetTheCache) {
  DialectRegistry registry;
  registerAllDialects(registry);
  for (const char *example : {"tiny-llama", "tiny-qwen"}) {
    SCOPED_TRACE(example);
    MLIRContext context(registry);
    context.loadAllAvailableDialects();
    OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(
        concat(PAGODA_SOURCE_DIR, "/examples/", example, ".mlir"), &context);
    ASSERT_TRUE(module);
    auto manager = PassManager::on<ModuleOp>(&context);
    ASSERT_TRUE(buildCompilePipeline(manager, {}).ok());
    ASSERT_TRUE(succeeded(manager.run(*module)));

    SymbolTable symbols(*module);
    exec::EntryOp entry = *module->getOps<exec::EntryOp>().begin();
    std::map<int64_t, std::vector<std::string>> users; // families by layer
    for (Operation &op : entry.getBody().front())
      for (Value operand : op.getOperands()) {
        if (isa<exec::LayerOp>(op)) // the cache itself goes nowhere else
          continue;
        EXPECT_FALSE(isa<BlockArgument>(operand) &&
                     isa<llm::CacheType>(operand.getType()));
        if (auto layer = operand.getDefiningOp<exec::LayerOp>())
          users[static_cast<int64_t>(layer.getIndex())].push_back(
              symbols
                  .lookup<exec::KernelOp>(cast<exec::LaunchOp>(op).getKernel())
                  .getFamily()
                  .str());
      }
    EXPECT_EQ(users.size(), std::string(example) == "tiny-qwen" ? 2u : 1u);
    for (const auto &[layer, families] : users)
      EXPECT_EQ(families,
                (std::vector<std::string>{"kv_append", "paged_attention"}))
          << "layer " << layer;
  }
}

} // namespace
