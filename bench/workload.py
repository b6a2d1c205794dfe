"""What every side is measured on, and how the figures are called.

A side runs in a process of its own and prints one JSON object with
  load_s                  until the model can be run
  prefill_tok_s           a prompt of 512 tokens
  decode_tok_s            128 greedy steps after a prompt of 16
  batch_out_tok_s         of N sequences of 128 + 64 tokens, by N: output only
which is what `pagoda bench --json` prints, too.
"""

import argparse
import json

PREFILL = 512
DECODE_PROMPT, DECODE_STEPS = 16, 128
BATCH_PROMPT, BATCH_TOKENS = 128, 64


def parse_side(description):
    """The arguments that the program of a side gets."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("model")
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--sequences", type=int, nargs="+", default=[1, 16, 32])
    return parser.parse_args()


def print_figures(load, prefill, decode, batch):
    figures = {
        "load_s": load,
        "prefill_tok_s": prefill,
        "decode_tok_s": decode,
        "batch_out_tok_s": {str(count): rate for count, rate in batch.items()},
    }
    print(json.dumps(figures))
