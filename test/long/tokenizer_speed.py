#!/usr/bin/env python3
"""Encodes 1 MB with Pagoda and with Hugging Face's `tokenizers`, in turns.

    test/long/tokenizer_speed.py --tool build/bin/time-tokenizer

Both use one core. Fails if Pagoda is less than five times as fast. Needs the
Python package `tokenizers` and the shared data.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"

from tokenizers import Tokenizer  # noqa: E402

SIZE = 1 << 20
FACTOR = 5


def texts(shared):
    english = "".join((shared / "text" / name).read_text()
                      for name in ["calibration.txt", "evaluation.txt"])
    rng = random.Random(3)
    words = english.split()
    yield "English", (english * 5)[:SIZE]
    # Words that come once: a cache of words does not help with these.
    yield "scrambled", " ".join(
        "".join(rng.sample(w, len(w))) if rng.random() < 0.5 else w
        for w in (rng.choice(words) for _ in range(200000)))[:SIZE]
    yield "Chinese", "".join(
        chr(rng.randrange(0x4E00, 0x9FA5)) if rng.random() < 0.9
        else rng.choice("，。\n 12abc") for _ in range(SIZE // 3))


def least(rounds, work):
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def main():
    here = pathlib.Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default=here / "build/bin/time-tokenizer")
    parser.add_argument("--turns", type=int, default=3)
    args = parser.parse_args()
    shared = pathlib.Path(os.environ.get("PAGODA_SHARED", here.parent / "shared"))
    if not shared.exists():
        print("SKIPPED: needs shared/ at ../shared or $PAGODA_SHARED")
        return 0
    slow = 0
    for name in ["smollm2", "bytelevel-llama3", "bytelevel-qwen2"]:
        path = shared / "tokenizers" / name / "tokenizer.json"
        reference = Tokenizer.from_file(str(path))
        for kind, text in texts(shared):
            size = len(text.encode())
            lines = text.splitlines(keepends=True)
            ours, theirs = [], []
            with tempfile.NamedTemporaryFile("w") as file:
                file.write(text)
                file.flush()
                for _ in range(args.turns):
                    out = subprocess.run([args.tool, path, file.name, "3"],
                                         stdout=subprocess.PIPE, check=True)
                    ours.append(json.loads(out.stdout))
                    theirs.append((
                        least(1, lambda: reference.encode(
                            text, add_special_tokens=False)),
                        least(1, lambda: reference.encode_batch_fast(
                            lines, add_special_tokens=False))))
            ids = len(reference.encode(text, add_special_tokens=False).ids)
            whole = size / min(o["whole"] for o in ours)
            by_line = size / min(o["lines"] for o in ours)
            their_whole = size / min(t[0] for t in theirs) / 1e6
            their_lines = size / min(t[1] for t in theirs) / 1e6
            factor = max(whole, by_line) / max(their_whole, their_lines)
            print(f"{name} {kind}: whole {whole:.1f} MB/s against "
                  f"{their_whole:.2f}, by line {by_line:.1f} against "
                  f"{their_lines:.2f}: {factor:.1f} times; opened in "
                  f"{min(o['open'] for o in ours):.1f} us"
                  + ("" if ids == ours[0]["ids"] else "; IDS DIFFER"))
            slow += factor < FACTOR or ids != ours[0]["ids"]
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
