// The templates that both targets share compile with NVRTC for every
// architecture that Pagoda names, without spills, from the same units that the
// CPU gets. Needs no GPU.

#include "pagoda/Codegen/ImageBuilder.h"
#include "pagoda/Dialect/Exec/ExecOps.h"
#include "pagoda/Nvrtc/Nvrtc.h"
#include "pagoda/Tools/RegisterAll.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace pagoda;

namespace {

/// One kernel for each variant of the shared templates.
const char *kKernels = R"(
exec.kernel @embedding_f32 family "embedding" parameters {} {
^bb0(%ids: tensor<?xi32>, %t: !llm.packed<tile32, tensor<320x64xf32>>):
  %w = llm.weight.unpack %t : !llm.packed<tile32, tensor<320x64xf32>>
  %x = llm.embedding %ids, %w : (tensor<?xi32>, tensor<320x64xf32>) -> tensor<?x64xf32>
  exec.yield %x : tensor<?x64xf32>
}
exec.kernel @embedding_q4_1 family "embedding" parameters {} {
^bb0(%ids: tensor<?xi32>, %t: !llm.packed<tile32, tensor<320x64x!llm.q4_1>>):
  %w = llm.weight.unpack %t : !llm.packed<tile32, tensor<320x64x!llm.q4_1>>
  %x = llm.embedding %ids, %w : (tensor<?xi32>, tensor<320x64x!llm.q4_1>) -> tensor<?x64xf32>
  exec.yield %x : tensor<?x64xf32>
}
exec.kernel @embedding_q6_k family "embedding" parameters {} {
^bb0(%ids: tensor<?xi32>, %t: !llm.packed<tile32, tensor<320x256x!llm.q6_k>>):
  %w = llm.weight.unpack %t : !llm.packed<tile32, tensor<320x256x!llm.q6_k>>
  %x = llm.embedding %ids, %w : (tensor<?xi32>, tensor<320x256x!llm.q6_k>) -> tensor<?x256xf32>
  exec.yield %x : tensor<?x256xf32>
}
exec.kernel @norm family "rms_norm" parameters {} {
^bb0(%x: tensor<?x576xf32>, %w: tensor<576xf32>):
  %n = llm.rms_norm %x, %w epsilon 1.0e-05 : tensor<?x576xf32>, tensor<576xf32>
  exec.yield %n : tensor<?x576xf32>
}
exec.kernel @norm_quantized family "rms_norm" parameters {} {
^bb0(%x: tensor<?x576xf32>, %r: tensor<?xi32>, %w: tensor<576xf32>):
  %g = llm.gather_rows %x, %r : (tensor<?x576xf32>, tensor<?xi32>) -> tensor<?x576xf32>
  %n = llm.rms_norm %g, %w epsilon 1.0e-05 : tensor<?x576xf32>, tensor<576xf32>
  %q = llm.quantize %n : tensor<?x576xf32> to tensor<?x576x!llm.q<i8, group = 32, scale = f32>>
  exec.yield %q : tensor<?x576x!llm.q<i8, group = 32, scale = f32>>
}
exec.kernel @append_half family "kv_append" parameters {block = 16 : i64} {
^bb0(%q: tensor<?x9x64xf32>, %p: tensor<?xi32>, %t: tensor<128x32x2xf32>, %k: tensor<?x3x64xf32>, %v: tensor<?x3x64xf32>, %c: !llm.cache, %b: !llm.batch):
  %qr = llm.rope half %q, %p, %t : (tensor<?x9x64xf32>, tensor<?xi32>, tensor<128x32x2xf32>) -> tensor<?x9x64xf32>
  %kr = llm.rope half %k, %p, %t : (tensor<?x3x64xf32>, tensor<?xi32>, tensor<128x32x2xf32>) -> tensor<?x3x64xf32>
  %kh = llm.cast %kr : tensor<?x3x64xf32> to tensor<?x3x64xf16>
  %vh = llm.cast %v : tensor<?x3x64xf32> to tensor<?x3x64xf16>
  %n = llm.kv_append %c, %kh, %vh, %b layer 0 : tensor<?x3x64xf16>
  exec.yield %qr, %n : tensor<?x9x64xf32>, !llm.cache
}
exec.kernel @append_norms family "kv_append" parameters {block = 16 : i64} {
^bb0(%q: tensor<?x4x128xf32>, %qw: tensor<128xf32>, %kw: tensor<128xf32>, %p: tensor<?xi32>, %t: tensor<128x64x2xf32>, %k: tensor<?x2x128xf32>, %v: tensor<?x2x128xf32>, %c: !llm.cache, %b: !llm.batch):
  %qn = llm.rms_norm %q, %qw epsilon 1.0e-06 : tensor<?x4x128xf32>, tensor<128xf32>
  %kn = llm.rms_norm %k, %kw epsilon 1.0e-06 : tensor<?x2x128xf32>, tensor<128xf32>
  %qr = llm.rope interleaved %qn, %p, %t : (tensor<?x4x128xf32>, tensor<?xi32>, tensor<128x64x2xf32>) -> tensor<?x4x128xf32>
  %kr = llm.rope interleaved %kn, %p, %t : (tensor<?x2x128xf32>, tensor<?xi32>, tensor<128x64x2xf32>) -> tensor<?x2x128xf32>
  %n = llm.kv_append %c, %kr, %v, %b layer 0 : tensor<?x2x128xf32>
  exec.yield %qr, %n : tensor<?x4x128xf32>, !llm.cache
}
exec.kernel @rope family "rope" parameters {} {
^bb0(%q: tensor<?x4x16xf32>, %p: tensor<?xi32>, %t: tensor<64x4x2xf32>):
  %r = llm.rope half %q, %p, %t : (tensor<?x4x16xf32>, tensor<?xi32>, tensor<64x4x2xf32>) -> tensor<?x4x16xf32>
  exec.yield %r : tensor<?x4x16xf32>
}
exec.kernel @gather family "gather_rows" parameters {} {
^bb0(%x: tensor<?x64xf32>, %r: tensor<?xi32>):
  %g = llm.gather_rows %x, %r : (tensor<?x64xf32>, tensor<?xi32>) -> tensor<?x64xf32>
  exec.yield %g : tensor<?x64xf32>
}
exec.kernel @greedy family "argmax" parameters {} {
^bb0(%x: tensor<?x50257xf32>):
  %i = llm.argmax %x : tensor<?x50257xf32> -> tensor<?xi32>
  exec.yield %i : tensor<?xi32>
}
exec.kernel @activations family "pointwise" parameters {} {
^bb0(%a: tensor<?x96xf32>, %b: tensor<?x96xf32>):
  %s = llm.gated silu %a, %b : tensor<?x96xf32>
  %g = llm.gated gelu %s, %b : tensor<?x96xf32>
  %t = llm.gated gelu_tanh %g, %b : tensor<?x96xf32>
  %r = llm.gated relu %t, %b : tensor<?x96xf32>
  %m = arith.maximumf %r, %a : tensor<?x96xf32>
  %e = math.exp %m : tensor<?x96xf32>
  %h = math.tanh %e : tensor<?x96xf32>
  %d = arith.divf %h, %b : tensor<?x96xf32>
  %q = llm.quantize %d : tensor<?x96xf32> to tensor<?x96x!llm.q<i8, group = 32, scale = f32>>
  exec.yield %q : tensor<?x96x!llm.q<i8, group = 32, scale = f32>>
}
)";

TEST(SharedTemplates, CompileForEveryArchitecture) {
  auto nvrtc = Nvrtc::open();
  if (!nvrtc.ok())
    GTEST_SKIP() << nvrtc.status().message();
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kKernels, &context);
  ASSERT_TRUE(module);
  std::string source;
  unsigned kernels = 0;
  for (auto kernel : module->getOps<exec::KernelOp>()) {
    auto unit = printKernel(kernel);
    ASSERT_TRUE(unit.ok()) << unit.status().message();
    source += unitText(*unit);
    ++kernels;
  }
  std::vector<std::pair<std::string, std::string>> headers;
  for (const TemplateFile &file : kernelTemplates())
    headers.emplace_back(file.path, file.text);

  for (const char *architecture : {"sm_80", "sm_90a", "sm_100a", "sm_120"}) {
    SCOPED_TRACE(architecture);
    auto cubin = nvrtc->compile(source, headers, architecture);
    ASSERT_TRUE(cubin.ok()) << cubin.status().message();
    EXPECT_GT(cubin->bytes.size(), 1000u);
    // One report a kernel, none of them with spills.
    unsigned reports = 0;
    for (size_t at = 0;
         (at = cubin->log.find("spill stores", at)) != std::string::npos; ++at)
      ++reports;
    EXPECT_EQ(reports, kernels) << cubin->log;
    size_t clean = 0;
    for (size_t at = 0; (at = cubin->log.find("0 bytes spill stores, 0 bytes "
                                              "spill loads",
                                              at)) != std::string::npos;
         ++at)
      ++clean;
    EXPECT_EQ(clean, kernels) << cubin->log;
  }
}

} // namespace
