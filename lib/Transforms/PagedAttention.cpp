//===- PagedAttention.cpp - Attention over a cache of blocks --------------===//
//
// Replaces llm.attention by llm.kv_append and llm.paged_attention (before and
// after: Passes.td). The append comes first and the attention reads it back,
// so that a token sees its own key as later tokens will: rounded.
//
//===----------------------------------------------------------------------===//

#include "pagoda/Dialect/LLM/LLMOps.h"
#include "pagoda/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace pagoda {
#define GEN_PASS_DEF_PAGEDATTENTIONPASS
#include "pagoda/Transforms/Passes.h.inc"
} // namespace pagoda

using namespace mlir;

#define DEBUG_TYPE "pagoda-paged-attention"

namespace pagoda {

namespace {

struct PagedAttentionPass : impl::PagedAttentionPassBase<PagedAttentionPass> {
  using PagedAttentionPassBase::PagedAttentionPassBase;

  void runOnOperation() override {
    func::FuncOp entry = getOperation();
    if (!entry->hasAttr(llm::LLMDialect::kEntryAttr))
      return;
    if (entry->hasAttr(llm::LLMDialect::kKVPolicyAttr))
      return; // paged already
    Builder builder(&getContext());
    Type dtype = kvDtype == "f32"   ? Type(builder.getF32Type())
                 : kvDtype == "f16" ? Type(builder.getF16Type())
                                    : Type();
    if (!dtype) {
      entry.emitError() << "kv-dtype is f32 or f16, found '" << kvDtype << "'";
      return signalPassFailure();
    }
    auto policy =
        llm::KVPolicyAttr::getChecked([&] { return entry.emitError(); },
                                      &getContext(), dtype, block.getValue());
    if (!policy)
      return signalPassFailure();
    entry->setAttr(llm::LLMDialect::kKVPolicyAttr, policy);
    entry.walk([&](llm::AttentionOp op) { pageAttention(op, dtype); });
  }

  static void pageAttention(llm::AttentionOp op, Type dtype) {
    OpBuilder builder(op);
    auto rounded = [&](Value value) -> Value {
      auto type = cast<RankedTensorType>(value.getType());
      if (type.getElementType() == dtype)
        return value;
      return llm::CastOp::create(builder, op.getLoc(), type.clone(dtype),
                                 value);
    };
    Value key = rounded(op.getKey()), value = rounded(op.getValue());
    Value cache = llm::KVAppendOp::create(
        builder, op.getLoc(), op.getCache().getType(), op.getCache(), key,
        value, op.getBatch(), op.getLayerAttr());
    int64_t kvHeads = cast<RankedTensorType>(key.getType()).getDimSize(1);
    Value output = llm::PagedAttentionOp::create(
        builder, op.getLoc(), op.getOutput().getType(), op.getQuery(), cache,
        op.getBatch(), op.getLayerAttr(), builder.getI64IntegerAttr(kvHeads),
        op.getScaleAttr(), op.getWindowAttr());
    op.getOutput().replaceAllUsesWith(output);
    op.getUpdated().replaceAllUsesWith(cache);
    op.erase();
  }
};

} // namespace
} // namespace pagoda
