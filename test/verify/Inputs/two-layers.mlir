// Two layers that between them have what the plants spoil: biases, norms of
// heads, a window in one layer and none in the other, rotations of a part of
// the head, two query heads for each key head. 96 tokens, 64 wide, 4 heads of
// 16. Named locations stand for what an importer writes.

module attributes {llm.model = {context_length = 128 : i64}} {
  llm.source @noise random(seed = 5, deviation = 0.3)

  func.func @step(%ids: tensor<?xi32> {llm.role = "ids"},
                  %batch: !llm.batch {llm.role = "batch"},
                  %cache: !llm.cache {llm.role = "cache"})
      -> (tensor<?x96xf32>, !llm.cache) attributes {llm.entry = "step"} {
    %tokens = llm.dim %batch, tokens
    %positions = llm.positions %batch : tensor<?xi32> loc("positions")
    %angles = llm.weight.rope_table frequencies [1.0, 0.316227764, 0.1, 0.0316227786, 0.01, 0.003] : tensor<128x6x2xf32> loc("angles")
    %table = llm.weight @noise["table"] : tensor<96x64xf32> loc("table")
    %x = llm.embedding %ids, %table : (tensor<?xi32>, tensor<96x64xf32>) -> tensor<?x64xf32> loc("embedding")

    // Layer 0 sees seven keys.
    %an0 = llm.weight @noise["0.norm"] : tensor<64xf32> loc("0.norm.weight")
    %n0 = llm.rms_norm %x, %an0 epsilon 1.0e-05 : tensor<?x64xf32>, tensor<64xf32> loc("0.norm")
    %wq0 = llm.weight @noise["0.q"] : tensor<64x64xf32> loc("0.q.weight")
    %bq0 = llm.weight @noise["0.q.bias"] : tensor<64xf32> loc("0.q.bias")
    %wk0 = llm.weight @noise["0.k"] : tensor<32x64xf32> loc("0.k.weight")
    %bk0 = llm.weight @noise["0.k.bias"] : tensor<32xf32> loc("0.k.bias")
    %wv0 = llm.weight @noise["0.v"] : tensor<32x64xf32> loc("0.v.weight")
    %bv0 = llm.weight @noise["0.v.bias"] : tensor<32xf32> loc("0.v.bias")
    %q0 = llm.linear %n0, %wq0 bias %bq0 : (tensor<?x64xf32>, tensor<64x64xf32>, tensor<64xf32>) -> tensor<?x64xf32> loc("0.q")
    %k0 = llm.linear %n0, %wk0 bias %bk0 : (tensor<?x64xf32>, tensor<32x64xf32>, tensor<32xf32>) -> tensor<?x32xf32> loc("0.k")
    %v0 = llm.linear %n0, %wv0 bias %bv0 : (tensor<?x64xf32>, tensor<32x64xf32>, tensor<32xf32>) -> tensor<?x32xf32> loc("0.v")
    %qh0 = tensor.expand_shape %q0 [[0], [1, 2]] output_shape [%tokens, 4, 16] : tensor<?x64xf32> into tensor<?x4x16xf32> loc("0.heads")
    %kh0 = tensor.expand_shape %k0 [[0], [1, 2]] output_shape [%tokens, 2, 16] : tensor<?x32xf32> into tensor<?x2x16xf32> loc("0.heads")
    %vh0 = tensor.expand_shape %v0 [[0], [1, 2]] output_shape [%tokens, 2, 16] : tensor<?x32xf32> into tensor<?x2x16xf32> loc("0.heads")
    %qn = llm.weight @noise["q.norm"] : tensor<16xf32> loc("q.norm.weight")
    %kn = llm.weight @noise["k.norm"] : tensor<16xf32> loc("k.norm.weight")
    %qm0 = llm.rms_norm %qh0, %qn epsilon 1.0e-05 : tensor<?x4x16xf32>, tensor<16xf32> loc("0.q.norm")
    %km0 = llm.rms_norm %kh0, %kn epsilon 1.0e-05 : tensor<?x2x16xf32>, tensor<16xf32> loc("0.k.norm")
    %qr0 = llm.rope interleaved %qm0, %positions, %angles : (tensor<?x4x16xf32>, tensor<?xi32>, tensor<128x6x2xf32>) -> tensor<?x4x16xf32> loc("0.q.rope")
    %kr0 = llm.rope interleaved %km0, %positions, %angles : (tensor<?x2x16xf32>, tensor<?xi32>, tensor<128x6x2xf32>) -> tensor<?x2x16xf32> loc("0.k.rope")
    %o0, %c0 = llm.attention %qr0, %kr0, %vh0, %batch, %cache layer 0 scale 2.5e-01 window 7 : tensor<?x4x16xf32>, tensor<?x2x16xf32> loc("0.attention")
    %of0 = tensor.collapse_shape %o0 [[0], [1, 2]] : tensor<?x4x16xf32> into tensor<?x64xf32> loc("0.heads")
    %wo0 = llm.weight @noise["0.o"] : tensor<64x64xf32> loc("0.o.weight")
    %a0 = llm.linear %of0, %wo0 : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32> loc("0.o")
    %s0 = arith.addf %x, %a0 : tensor<?x64xf32> loc("0.attention.sum")
    %mn0 = llm.weight @noise["0.mlp.norm"] : tensor<64xf32> loc("0.mlp.norm.weight")
    %m0 = llm.rms_norm %s0, %mn0 epsilon 1.0e-05 : tensor<?x64xf32>, tensor<64xf32> loc("0.mlp.norm")
    %wg0 = llm.weight @noise["0.gate"] : tensor<96x64xf32> loc("0.gate.weight")
    %wu0 = llm.weight @noise["0.up"] : tensor<96x64xf32> loc("0.up.weight")
    %wd0 = llm.weight @noise["0.down"] : tensor<64x96xf32> loc("0.down.weight")
    %g0 = llm.linear %m0, %wg0 : (tensor<?x64xf32>, tensor<96x64xf32>) -> tensor<?x96xf32> loc("0.gate")
    %u0 = llm.linear %m0, %wu0 : (tensor<?x64xf32>, tensor<96x64xf32>) -> tensor<?x96xf32> loc("0.up")
    %h0 = llm.gated gelu %g0, %u0 : tensor<?x96xf32> loc("0.gated")
    %d0 = llm.linear %h0, %wd0 : (tensor<?x96xf32>, tensor<64x96xf32>) -> tensor<?x64xf32> loc("0.down")
    %x1 = arith.addf %s0, %d0 : tensor<?x64xf32> loc("0.mlp.sum")

    // Layer 1 sees everything.
    %an1 = llm.weight @noise["1.norm"] : tensor<64xf32> loc("1.norm.weight")
    %n1 = llm.rms_norm %x1, %an1 epsilon 1.0e-05 : tensor<?x64xf32>, tensor<64xf32> loc("1.norm")
    %wq1 = llm.weight @noise["1.q"] : tensor<64x64xf32> loc("1.q.weight")
    %wk1 = llm.weight @noise["1.k"] : tensor<32x64xf32> loc("1.k.weight")
    %wv1 = llm.weight @noise["1.v"] : tensor<32x64xf32> loc("1.v.weight")
    %q1 = llm.linear %n1, %wq1 : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32> loc("1.q")
    %k1 = llm.linear %n1, %wk1 : (tensor<?x64xf32>, tensor<32x64xf32>) -> tensor<?x32xf32> loc("1.k")
    %v1 = llm.linear %n1, %wv1 : (tensor<?x64xf32>, tensor<32x64xf32>) -> tensor<?x32xf32> loc("1.v")
    %qh1 = tensor.expand_shape %q1 [[0], [1, 2]] output_shape [%tokens, 4, 16] : tensor<?x64xf32> into tensor<?x4x16xf32> loc("1.heads")
    %kh1 = tensor.expand_shape %k1 [[0], [1, 2]] output_shape [%tokens, 2, 16] : tensor<?x32xf32> into tensor<?x2x16xf32> loc("1.heads")
    %vh1 = tensor.expand_shape %v1 [[0], [1, 2]] output_shape [%tokens, 2, 16] : tensor<?x32xf32> into tensor<?x2x16xf32> loc("1.heads")
    %qr1 = llm.rope half %qh1, %positions, %angles : (tensor<?x4x16xf32>, tensor<?xi32>, tensor<128x6x2xf32>) -> tensor<?x4x16xf32> loc("1.q.rope")
    %kr1 = llm.rope half %kh1, %positions, %angles : (tensor<?x2x16xf32>, tensor<?xi32>, tensor<128x6x2xf32>) -> tensor<?x2x16xf32> loc("1.k.rope")
    %o1, %c1 = llm.attention %qr1, %kr1, %vh1, %batch, %c0 layer 1 scale 2.5e-01 : tensor<?x4x16xf32>, tensor<?x2x16xf32> loc("1.attention")
    %of1 = tensor.collapse_shape %o1 [[0], [1, 2]] : tensor<?x4x16xf32> into tensor<?x64xf32> loc("1.heads")
    %wo1 = llm.weight @noise["1.o"] : tensor<64x64xf32> loc("1.o.weight")
    %a1 = llm.linear %of1, %wo1 : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32> loc("1.o")
    %s1 = arith.addf %x1, %a1 : tensor<?x64xf32> loc("1.attention.sum")
    %mn1 = llm.weight @noise["1.mlp.norm"] : tensor<64xf32> loc("1.mlp.norm.weight")
    %m1 = llm.rms_norm %s1, %mn1 epsilon 1.0e-05 : tensor<?x64xf32>, tensor<64xf32> loc("1.mlp.norm")
    %wg1 = llm.weight @noise["1.gate"] : tensor<96x64xf32> loc("1.gate.weight")
    %wu1 = llm.weight @noise["1.up"] : tensor<96x64xf32> loc("1.up.weight")
    %wd1 = llm.weight @noise["1.down"] : tensor<64x96xf32> loc("1.down.weight")
    %g1 = llm.linear %m1, %wg1 : (tensor<?x64xf32>, tensor<96x64xf32>) -> tensor<?x96xf32> loc("1.gate")
    %u1 = llm.linear %m1, %wu1 : (tensor<?x64xf32>, tensor<96x64xf32>) -> tensor<?x96xf32> loc("1.up")
    %h1 = llm.gated silu %g1, %u1 : tensor<?x96xf32> loc("1.gated")
    %d1 = llm.linear %h1, %wd1 : (tensor<?x96xf32>, tensor<64x96xf32>) -> tensor<?x64xf32> loc("1.down")
    %x2 = arith.addf %s1, %d1 : tensor<?x64xf32> loc("1.mlp.sum")

    %rows = llm.rows %batch : tensor<?xi32> loc("rows")
    %last = llm.gather_rows %x2, %rows : (tensor<?x64xf32>, tensor<?xi32>) -> tensor<?x64xf32> loc("last")
    %fn = llm.weight @noise["norm"] : tensor<64xf32> loc("norm.weight")
    %n = llm.rms_norm %last, %fn epsilon 1.0e-05 : tensor<?x64xf32>, tensor<64xf32> loc("norm")
    %logits = llm.linear %n, %table : (tensor<?x64xf32>, tensor<96x64xf32>) -> tensor<?x96xf32> loc("head")
    return %logits, %c1 : tensor<?x96xf32>, !llm.cache
  }
}
