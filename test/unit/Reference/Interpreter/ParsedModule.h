//===- ParsedModule.h - IR for tests of the interpreter ---------*- C++ -*-===//
//
// A module from text, with everything that it takes to execute it.
//
//   ParsedModule module(text);
//   StatusOr<Tensor> logits = module.run(batch, cache);
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TEST_UNIT_REFERENCE_INTERPRETER_PARSEDMODULE_H
#define PAGODA_TEST_UNIT_REFERENCE_INTERPRETER_PARSEDMODULE_H

#include "pagoda/Dialect/Exec/ExecOps.h"
#include "pagoda/Dialect/LLM/LLMOps.h"
#include "pagoda/Reference/Interpreter/Interpreter.h"
#include "pagoda/Reference/Interpreter/Trace.h"
#include "pagoda/Tools/RegisterAll.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pagoda::test {

class ParsedModule {
public:
  explicit ParsedModule(const std::string &text,
                        reference::InterpreterOptions options = {},
                        const std::string &folder = "") {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    interpreter = std::make_unique<reference::Interpreter>(
        *module, std::make_shared<reference::WeightFiles>(folder), options);
  }

  mlir::Operation *entry() {
    for (mlir::Operation &op : *module->getBody())
      if (llvm::isa<mlir::func::FuncOp, exec::EntryOp>(op))
        return &op;
    return nullptr;
  }

  StatusOr<reference::Tensor> run(const reference::Batch &batch,
                                  reference::Cache &cache,
                                  reference::Trace *trace = nullptr) {
    return interpreter->run(entry(), batch, cache, trace);
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<reference::Interpreter> interpreter;
};

/// A step entry around a body that computes %result : tensor<?xN xf32> from
/// %ids, %batch and %cache, and leaves the cache in %last.
inline std::string stepAround(const std::string &body, int width,
                              const std::string &attributes = "") {
  return R"(func.func @step(%ids: tensor<?xi32> {llm.role = "ids"},
      %batch: !llm.batch {llm.role = "batch"},
      %cache: !llm.cache {llm.role = "cache"})
      -> (tensor<?x)" +
         std::to_string(width) + R"(xf32>, !llm.cache)
      attributes {llm.entry = "step")" +
         attributes + "} {\n" + body + "\nreturn %result, %last : tensor<?x" +
         std::to_string(width) + "xf32>, !llm.cache\n}\n";
}

/// Tokens of one sequence, all rows wanted, paged in order.
inline reference::Batch batchOf(std::vector<int32_t> ids, int32_t past = 0,
                                int32_t sequence = 0) {
  reference::Batch batch;
  auto count = static_cast<int32_t>(ids.size());
  batch.ids = std::move(ids);
  batch.qStart = {0, count};
  batch.kvLength = {past + count};
  batch.sequence = {sequence};
  for (int32_t i = 0; i < count; ++i) {
    batch.position.push_back(past + i);
    batch.slot.push_back(past + i);
    batch.rows.push_back(i);
  }
  batch.tableWidth = 2;
  batch.blockTable = {0, 1};
  return batch;
}

} // namespace pagoda::test

#endif // PAGODA_TEST_UNIT_REFERENCE_INTERPRETER_PARSEDMODULE_H
