// Two layers in the manner of Qwen with random weights, written by hand: 200
// tokens, 48 wide, 4 query heads and 1 key head of 32 that are normalised each by
// itself, of which 16 elements turn in neighbouring pairs; biases, a window of 8
// tokens in the second layer, a head of its own. The projections come from one
// joined tensor and the norms are stored as differences from 1: weights are
// expressions, evaluated when the artifact is written.
//
//   pagoda run examples/tiny-qwen.mlir --ids 5,17,3 --max-tokens 8
//   pagoda inspect --weights tiny.pgd

module attributes {llm.model = {context_length = 96 : i64}} {
  llm.source @noise random(seed = 11, deviation = 0.2)

  func.func @step(%ids: tensor<?xi32> {llm.role = "ids"},
                  %batch: !llm.batch {llm.role = "batch"},
                  %cache: !llm.cache {llm.role = "cache"})
      -> (tensor<?x200xf32>, tensor<?xi32>, !llm.cache) attributes {llm.entry = "step"} {
    %tokens = llm.dim %batch, tokens
    %positions = llm.positions %batch : tensor<?xi32>
    %rows = llm.rows %batch : tensor<?xi32>
    %ones = arith.constant dense<1.0> : tensor<48xf32>
    %ones_head = arith.constant dense<1.0> : tensor<32xf32>
    %angles = llm.weight.rope_table frequencies [1.0, 0.316227764, 0.1, 0.0316227786, 0.01, 0.00316227786, 0.001, 3.16227757e-4] : tensor<96x8x2xf32>

    %table = llm.weight @noise["embedding"] : tensor<200x48xf32>
    %x0 = llm.embedding %ids, %table : (tensor<?xi32>, tensor<200x48xf32>) -> tensor<?x48xf32>

    // Layer 0: attention over everything.
    %d0a = llm.weight @noise["0.norm1"] : tensor<48xf32>
    %norm0a = arith.addf %ones, %d0a : tensor<48xf32>
    %n0a = llm.rms_norm %x0, %norm0a epsilon 1.0e-06 : tensor<?x48xf32>, tensor<48xf32>
    %qkv0 = llm.weight @noise["0.qkv"] : tensor<192x48xf32>
    %wq0 = llm.weight.slice %qkv0 axis 0 offset 0 : tensor<192x48xf32> to tensor<128x48xf32>
    %wk0 = llm.weight.slice %qkv0 axis 0 offset 128 : tensor<192x48xf32> to tensor<32x48xf32>
    %wv0 = llm.weight.slice %qkv0 axis 0 offset 160 : tensor<192x48xf32> to tensor<32x48xf32>
    %bq0 = llm.weight @noise["0.q_bias"] : tensor<128xf32>
    %bk0 = llm.weight @noise["0.k_bias"] : tensor<32xf32>
    %bv0 = llm.weight @noise["0.v_bias"] : tensor<32xf32>
    %q0 = llm.linear %n0a, %wq0 bias %bq0 : (tensor<?x48xf32>, tensor<128x48xf32>, tensor<128xf32>) -> tensor<?x128xf32>
    %k0 = llm.linear %n0a, %wk0 bias %bk0 : (tensor<?x48xf32>, tensor<32x48xf32>, tensor<32xf32>) -> tensor<?x32xf32>
    %v0 = llm.linear %n0a, %wv0 bias %bv0 : (tensor<?x48xf32>, tensor<32x48xf32>, tensor<32xf32>) -> tensor<?x32xf32>
    %qh0 = tensor.expand_shape %q0 [[0], [1, 2]] output_shape [%tokens, 4, 32] : tensor<?x128xf32> into tensor<?x4x32xf32>
    %kh0 = tensor.expand_shape %k0 [[0], [1, 2]] output_shape [%tokens, 1, 32] : tensor<?x32xf32> into tensor<?x1x32xf32>
    %vh0 = tensor.expand_shape %v0 [[0], [1, 2]] output_shape [%tokens, 1, 32] : tensor<?x32xf32> into tensor<?x1x32xf32>
    %dq0 = llm.weight @noise["0.q_norm"] : tensor<32xf32>
    %dk0 = llm.weight @noise["0.k_norm"] : tensor<32xf32>
    %normq0 = arith.addf %ones_head, %dq0 : tensor<32xf32>
    %normk0 = arith.addf %ones_head, %dk0 : tensor<32xf32>
    %qn0 = llm.rms_norm %qh0, %normq0 epsilon 1.0e-06 : tensor<?x4x32xf32>, tensor<32xf32>
    %kn0 = llm.rms_norm %kh0, %normk0 epsilon 1.0e-06 : tensor<?x1x32xf32>, tensor<32xf32>
    %qr0 = llm.rope interleaved %qn0, %positions, %angles : (tensor<?x4x32xf32>, tensor<?xi32>, tensor<96x8x2xf32>) -> tensor<?x4x32xf32>
    %kr0 = llm.rope interleaved %kn0, %positions, %angles : (tensor<?x1x32xf32>, tensor<?xi32>, tensor<96x8x2xf32>) -> tensor<?x1x32xf32>
    %o0, %c0 = llm.attention %qr0, %kr0, %vh0, %batch, %cache layer 0 scale 0.17677669529663687 : tensor<?x4x32xf32>, tensor<?x1x32xf32>
    %of0 = tensor.collapse_shape %o0 [[0], [1, 2]] : tensor<?x4x32xf32> into tensor<?x128xf32>
    %wo0 = llm.weight @noise["0.o"] : tensor<48x128xf32>
    %a0 = llm.linear %of0, %wo0 : (tensor<?x128xf32>, tensor<48x128xf32>) -> tensor<?x48xf32>
    %y0 = arith.addf %x0, %a0 : tensor<?x48xf32>

    // Layer 0: gated MLP.
    %d0b = llm.weight @noise["0.norm2"] : tensor<48xf32>
    %norm0b = arith.addf %ones, %d0b : tensor<48xf32>
    %n0b = llm.rms_norm %y0, %norm0b epsilon 1.0e-06 : tensor<?x48xf32>, tensor<48xf32>
    %wg0 = llm.weight @noise["0.gate"] : tensor<100x48xf32>
    %wu0 = llm.weight @noise["0.up"] : tensor<100x48xf32>
    %wd0 = llm.weight @noise["0.down"] : tensor<48x100xf32>
    %g0 = llm.linear %n0b, %wg0 : (tensor<?x48xf32>, tensor<100x48xf32>) -> tensor<?x100xf32>
    %u0 = llm.linear %n0b, %wu0 : (tensor<?x48xf32>, tensor<100x48xf32>) -> tensor<?x100xf32>
    %h0 = llm.gated gelu_tanh %g0, %u0 : tensor<?x100xf32>
    %m0 = llm.linear %h0, %wd0 : (tensor<?x100xf32>, tensor<48x100xf32>) -> tensor<?x48xf32>
    %x1 = arith.addf %y0, %m0 : tensor<?x48xf32>

    // Layer 1: attention over the last 8 tokens.
    %d1a = llm.weight @noise["1.norm1"] : tensor<48xf32>
    %norm1a = arith.addf %ones, %d1a : tensor<48xf32>
    %n1a = llm.rms_norm %x1, %norm1a epsilon 1.0e-06 : tensor<?x48xf32>, tensor<48xf32>
    %qkv1 = llm.weight @noise["1.qkv"] : tensor<192x48xf32>
    %wq1 = llm.weight.slice %qkv1 axis 0 offset 0 : tensor<192x48xf32> to tensor<128x48xf32>
    %wk1 = llm.weight.slice %qkv1 axis 0 offset 128 : tensor<192x48xf32> to tensor<32x48xf32>
    %wv1 = llm.weight.slice %qkv1 axis 0 offset 160 : tensor<192x48xf32> to tensor<32x48xf32>
    %bq1 = llm.weight @noise["1.q_bias"] : tensor<128xf32>
    %bk1 = llm.weight @noise["1.k_bias"] : tensor<32xf32>
    %bv1 = llm.weight @noise["1.v_bias"] : tensor<32xf32>
    %q1 = llm.linear %n1a, %wq1 bias %bq1 : (tensor<?x48xf32>, tensor<128x48xf32>, tensor<128xf32>) -> tensor<?x128xf32>
    %k1 = llm.linear %n1a, %wk1 bias %bk1 : (tensor<?x48xf32>, tensor<32x48xf32>, tensor<32xf32>) -> tensor<?x32xf32>
    %v1 = llm.linear %n1a, %wv1 bias %bv1 : (tensor<?x48xf32>, tensor<32x48xf32>, tensor<32xf32>) -> tensor<?x32xf32>
    %qh1 = tensor.expand_shape %q1 [[0], [1, 2]] output_shape [%tokens, 4, 32] : tensor<?x128xf32> into tensor<?x4x32xf32>
    %kh1 = tensor.expand_shape %k1 [[0], [1, 2]] output_shape [%tokens, 1, 32] : tensor<?x32xf32> into tensor<?x1x32xf32>
    %vh1 = tensor.expand_shape %v1 [[0], [1, 2]] output_shape [%tokens, 1, 32] : tensor<?x32xf32> into tensor<?x1x32xf32>
    %dq1 = llm.weight @noise["1.q_norm"] : tensor<32xf32>
    %dk1 = llm.weight @noise["1.k_norm"] : tensor<32xf32>
    %normq1 = arith.addf %ones_head, %dq1 : tensor<32xf32>
    %normk1 = arith.addf %ones_head, %dk1 : tensor<32xf32>
    %qn1 = llm.rms_norm %qh1, %normq1 epsilon 1.0e-06 : tensor<?x4x32xf32>, tensor<32xf32>
    %kn1 = llm.rms_norm %kh1, %normk1 epsilon 1.0e-06 : tensor<?x1x32xf32>, tensor<32xf32>
    %qr1 = llm.rope interleaved %qn1, %positions, %angles : (tensor<?x4x32xf32>, tensor<?xi32>, tensor<96x8x2xf32>) -> tensor<?x4x32xf32>
    %kr1 = llm.rope interleaved %kn1, %positions, %angles : (tensor<?x1x32xf32>, tensor<?xi32>, tensor<96x8x2xf32>) -> tensor<?x1x32xf32>
    %o1, %c1 = llm.attention %qr1, %kr1, %vh1, %batch, %c0 layer 1 scale 0.17677669529663687 window 8 : tensor<?x4x32xf32>, tensor<?x1x32xf32>
    %of1 = tensor.collapse_shape %o1 [[0], [1, 2]] : tensor<?x4x32xf32> into tensor<?x128xf32>
    %wo1 = llm.weight @noise["1.o"] : tensor<48x128xf32>
    %a1 = llm.linear %of1, %wo1 : (tensor<?x128xf32>, tensor<48x128xf32>) -> tensor<?x48xf32>
    %y1 = arith.addf %x1, %a1 : tensor<?x48xf32>

    // Layer 1: gated MLP.
    %d1b = llm.weight @noise["1.norm2"] : tensor<48xf32>
    %norm1b = arith.addf %ones, %d1b : tensor<48xf32>
    %n1b = llm.rms_norm %y1, %norm1b epsilon 1.0e-06 : tensor<?x48xf32>, tensor<48xf32>
    %wg1 = llm.weight @noise["1.gate"] : tensor<100x48xf32>
    %wu1 = llm.weight @noise["1.up"] : tensor<100x48xf32>
    %wd1 = llm.weight @noise["1.down"] : tensor<48x100xf32>
    %g1 = llm.linear %n1b, %wg1 : (tensor<?x48xf32>, tensor<100x48xf32>) -> tensor<?x100xf32>
    %u1 = llm.linear %n1b, %wu1 : (tensor<?x48xf32>, tensor<100x48xf32>) -> tensor<?x100xf32>
    %h1 = llm.gated gelu_tanh %g1, %u1 : tensor<?x100xf32>
    %m1 = llm.linear %h1, %wd1 : (tensor<?x100xf32>, tensor<48x100xf32>) -> tensor<?x48xf32>
    %x2 = arith.addf %y1, %m1 : tensor<?x48xf32>

    // Logits of the wanted rows.
    %last = llm.gather_rows %x2, %rows : (tensor<?x48xf32>, tensor<?xi32>) -> tensor<?x48xf32>
    %d2 = llm.weight @noise["norm"] : tensor<48xf32>
    %norm2 = arith.addf %ones, %d2 : tensor<48xf32>
    %n2 = llm.rms_norm %last, %norm2 epsilon 1.0e-06 : tensor<?x48xf32>, tensor<48xf32>
    %wh = llm.weight @noise["head"] : tensor<200x48xf32>
    %logits = llm.linear %n2, %wh : (tensor<?x48xf32>, tensor<200x48xf32>) -> tensor<?x200xf32>
    %greedy = llm.argmax %logits : tensor<?x200xf32> -> tensor<?xi32>
    return %logits, %greedy, %c1 : tensor<?x200xf32>, tensor<?xi32>, !llm.cache
  }
}
