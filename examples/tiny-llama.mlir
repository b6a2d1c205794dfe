// A one-layer Llama with random weights, written by hand: 320 tokens, 64 wide,
// 4 query heads and 2 key heads of 16. Compile it, run it, look at its dumps:
//
//   pagoda run examples/tiny-llama.mlir --ids 5,17,3 --max-tokens 8
//   pagoda compile examples/tiny-llama.mlir --dump-ir=dump -o tiny.pgd

module attributes {llm.model = {context_length = 64 : i64}} {
  llm.source @noise random(seed = 7, deviation = 0.2)

  func.func @step(%ids: tensor<?xi32> {llm.role = "ids"},
                  %batch: !llm.batch {llm.role = "batch"},
                  %cache: !llm.cache {llm.role = "cache"})
      -> (tensor<?x320xf32>, !llm.cache) attributes {llm.entry = "step"} {
    %tokens = llm.dim %batch, tokens
    %positions = llm.positions %batch : tensor<?xi32>

    // Embedding, shared with the head below.
    %table = llm.weight @noise["embedding"] : tensor<320x64xf32>
    %x = llm.embedding %ids, %table : (tensor<?xi32>, tensor<320x64xf32>) -> tensor<?x64xf32>

    // Attention.
    %norm1 = llm.weight @noise["norm1"] : tensor<64xf32>
    %n1 = llm.rms_norm %x, %norm1 epsilon 1.0e-06 : tensor<?x64xf32>, tensor<64xf32>
    %wq = llm.weight @noise["q"] : tensor<64x64xf32>
    %wk = llm.weight @noise["k"] : tensor<32x64xf32>
    %wv = llm.weight @noise["v"] : tensor<32x64xf32>
    %q = llm.linear %n1, %wq : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    %k = llm.linear %n1, %wk : (tensor<?x64xf32>, tensor<32x64xf32>) -> tensor<?x32xf32>
    %v = llm.linear %n1, %wv : (tensor<?x64xf32>, tensor<32x64xf32>) -> tensor<?x32xf32>
    %qh = tensor.expand_shape %q [[0], [1, 2]] output_shape [%tokens, 4, 16] : tensor<?x64xf32> into tensor<?x4x16xf32>
    %kh = tensor.expand_shape %k [[0], [1, 2]] output_shape [%tokens, 2, 16] : tensor<?x32xf32> into tensor<?x2x16xf32>
    %vh = tensor.expand_shape %v [[0], [1, 2]] output_shape [%tokens, 2, 16] : tensor<?x32xf32> into tensor<?x2x16xf32>
    %angles = llm.weight.rope_table frequencies [1.0, 0.316227764, 0.1, 0.0316227786, 0.01, 0.00316227786, 0.001, 3.16227757e-4] : tensor<64x8x2xf32>
    %qr = llm.rope half %qh, %positions, %angles : (tensor<?x4x16xf32>, tensor<?xi32>, tensor<64x8x2xf32>) -> tensor<?x4x16xf32>
    %kr = llm.rope half %kh, %positions, %angles : (tensor<?x2x16xf32>, tensor<?xi32>, tensor<64x8x2xf32>) -> tensor<?x2x16xf32>
    %o, %c = llm.attention %qr, %kr, %vh, %batch, %cache layer 0 scale 2.5e-01 : tensor<?x4x16xf32>, tensor<?x2x16xf32>
    %of = tensor.collapse_shape %o [[0], [1, 2]] : tensor<?x4x16xf32> into tensor<?x64xf32>
    %wo = llm.weight @noise["o"] : tensor<64x64xf32>
    %a = llm.linear %of, %wo : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    %x1 = arith.addf %x, %a : tensor<?x64xf32>

    // Gated MLP.
    %norm2 = llm.weight @noise["norm2"] : tensor<64xf32>
    %n2 = llm.rms_norm %x1, %norm2 epsilon 1.0e-06 : tensor<?x64xf32>, tensor<64xf32>
    %wg = llm.weight @noise["gate"] : tensor<144x64xf32>
    %wu = llm.weight @noise["up"] : tensor<144x64xf32>
    %wd = llm.weight @noise["down"] : tensor<64x144xf32>
    %g = llm.linear %n2, %wg : (tensor<?x64xf32>, tensor<144x64xf32>) -> tensor<?x144xf32>
    %u = llm.linear %n2, %wu : (tensor<?x64xf32>, tensor<144x64xf32>) -> tensor<?x144xf32>
    %h = llm.gated silu %g, %u : tensor<?x144xf32>
    %d = llm.linear %h, %wd : (tensor<?x144xf32>, tensor<64x144xf32>) -> tensor<?x64xf32>
    %x2 = arith.addf %x1, %d : tensor<?x64xf32>

    // Logits of the wanted rows.
    %rows = llm.rows %batch : tensor<?xi32>
    %last = llm.gather_rows %x2, %rows : (tensor<?x64xf32>, tensor<?xi32>) -> tensor<?x64xf32>
    %norm3 = llm.weight @noise["norm3"] : tensor<64xf32>
    %n3 = llm.rms_norm %last, %norm3 epsilon 1.0e-06 : tensor<?x64xf32>, tensor<64xf32>
    %logits = llm.linear %n3, %table : (tensor<?x64xf32>, tensor<320x64xf32>) -> tensor<?x320xf32>
    return %logits, %c : tensor<?x320xf32>, !llm.cache
  }
}
