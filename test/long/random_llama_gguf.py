"""Writes a Llama of 1.2B random weights in Q4_0, with the tokenizer of another
GGUF: large enough that memory and speed show, and nobody has to download it.

    random_llama_gguf.py TOKENIZER.gguf OUTPUT.gguf

Needs the packages gguf and numpy. Codes are uniform; the scales make a row of a
matrix about as long as its input, as in trained models.
"""

import pathlib
import sys

import gguf
import numpy

HIDDEN, LAYERS, HEADS, KV_HEADS, HEAD, MLP = 2048, 16, 32, 8, 64, 8192
# Mean square of (code - 8) for codes 0 … 15.
CODE_DEVIATION = 4.64


def quantised(random, rows, columns):
    """Blocks of Q4_0: a scale in float16, then 32 codes of 4 bits."""
    blocks = numpy.empty((rows * columns // 32, 18), numpy.uint8)
    scale = numpy.float16(columns**-0.5 / CODE_DEVIATION)
    blocks[:, :2] = numpy.frombuffer(scale.tobytes(), numpy.uint8)
    blocks[:, 2:] = random.integers(0, 256, (len(blocks), 16), numpy.uint8)
    return blocks.reshape(rows, -1)


def copy_tokenizer(reader, writer):
    vocabulary = 0
    for key, field in reader.fields.items():
        if not key.startswith("tokenizer."):
            continue
        content = field.contents()
        if key == "tokenizer.ggml.tokens":
            vocabulary = len(content)
        element = field.types[-1] if len(field.types) > 1 else None
        writer.add_key_value(key, content, field.types[0], element)
    return vocabulary


def matrices(vocabulary):
    yield "token_embd", vocabulary, HIDDEN
    for layer in range(LAYERS):
        block = f"blk.{layer}."
        yield block + "attn_q", HEADS * HEAD, HIDDEN
        yield block + "attn_k", KV_HEADS * HEAD, HIDDEN
        yield block + "attn_v", KV_HEADS * HEAD, HIDDEN
        yield block + "attn_output", HIDDEN, HEADS * HEAD
        yield block + "ffn_gate", MLP, HIDDEN
        yield block + "ffn_up", MLP, HIDDEN
        yield block + "ffn_down", HIDDEN, MLP
    yield "output", vocabulary, HIDDEN


def main(tokenizer, output):
    random = numpy.random.default_rng(1)
    writer = gguf.GGUFWriter(output, "llama")
    vocabulary = copy_tokenizer(gguf.GGUFReader(tokenizer), writer)
    writer.add_name("random-1.2b")
    writer.add_vocab_size(vocabulary)
    writer.add_context_length(8192)
    writer.add_embedding_length(HIDDEN)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(MLP)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_rope_dimension_count(HEAD)
    writer.add_rope_freq_base(500000.0)
    writer.add_layer_norm_rms_eps(1e-5)
    for name, rows, columns in matrices(vocabulary):
        writer.add_tensor(
            name + ".weight",
            quantised(random, rows, columns),
            raw_dtype=gguf.GGMLQuantizationType.Q4_0,
        )
    norms = [f"blk.{layer}.{name}" for layer in range(LAYERS)
             for name in ("attn_norm", "ffn_norm")]
    for name in [*norms, "output_norm"]:
        writer.add_tensor(name + ".weight", numpy.ones(HIDDEN, numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    if len(sys.argv) != 3 or not pathlib.Path(sys.argv[1]).is_file():
        sys.exit(__doc__)
    main(*sys.argv[1:])
