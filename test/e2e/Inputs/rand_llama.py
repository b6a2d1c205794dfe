"""Writes a small random Llama as a Hugging Face folder.

    rand_llama.py FOLDER [--tied] [--head none|own|embedding]

Weights are normal with deviation 0.2, at which attention matters; the random
stream of a tensor depends on its name alone, so that two folders differ only
in what was asked for.
"""

import argparse
import array
import json
import os
import random
import struct

VOCABULARY, HIDDEN, LAYERS, HEADS, KV_HEADS, HEAD, MLP = 264, 64, 2, 4, 2, 16, 128


def normal(name, count):
    stream = random.Random(name)
    return array.array("f", (stream.gauss(0, 0.2) for _ in range(count)))


def tensors(head):
    yield "model.embed_tokens.weight", (VOCABULARY, HIDDEN), None
    for layer in range(LAYERS):
        prefix = f"model.layers.{layer}."
        yield prefix + "input_layernorm.weight", (HIDDEN,), 1.0
        yield prefix + "post_attention_layernorm.weight", (HIDDEN,), 1.0
        for name, rows in ("q", HEADS), ("k", KV_HEADS), ("v", KV_HEADS):
            yield prefix + f"self_attn.{name}_proj.weight", (rows * HEAD, HIDDEN), None
        yield prefix + "self_attn.o_proj.weight", (HIDDEN, HEADS * HEAD), None
        yield prefix + "mlp.gate_proj.weight", (MLP, HIDDEN), None
        yield prefix + "mlp.up_proj.weight", (MLP, HIDDEN), None
        yield prefix + "mlp.down_proj.weight", (HIDDEN, MLP), None
    yield "model.norm.weight", (HIDDEN,), 1.0
    if head != "none":
        yield "lm_head.weight", (VOCABULARY, HIDDEN), None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--tied", action="store_true")
    parser.add_argument("--head", choices=["none", "own", "embedding"], default="none")
    args = parser.parse_args()

    header, data = {}, bytearray()
    for name, shape, constant in tensors(args.head):
        count = 1
        for size in shape:
            count *= size
        source = name
        if name == "lm_head.weight" and args.head == "embedding":
            source = "model.embed_tokens.weight"
        values = (
            normal(source, count)
            if constant is None
            else array.array("f", [constant]) * count
        )
        begin = len(data)
        data += values.tobytes()
        header[name] = {
            "dtype": "F32",
            "shape": shape,
            "data_offsets": [begin, len(data)],
        }

    os.makedirs(args.folder, exist_ok=True)
    text = json.dumps(header).encode()
    with open(os.path.join(args.folder, "model.safetensors"), "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)
    with open(os.path.join(args.folder, "config.json"), "w") as file:
        json.dump(
            {
                "architectures": ["LlamaForCausalLM"],
                "model_type": "llama",
                "vocab_size": VOCABULARY,
                "hidden_size": HIDDEN,
                "intermediate_size": MLP,
                "num_hidden_layers": LAYERS,
                "num_attention_heads": HEADS,
                "num_key_value_heads": KV_HEADS,
                "max_position_embeddings": 2048,
                "rms_norm_eps": 1e-6,
                "tie_word_embeddings": args.tied,
            },
            file,
        )


main()
