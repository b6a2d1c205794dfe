#!/usr/bin/env python3
"""Compares Pagoda's tokenizer with Hugging Face's `tokenizers`.

    test/long/compare_tokenizers.py --tool build/bin/tokenize-lines [--texts N]

Takes the byte-level tokenizers of the shared data, varies their stages and
added tokens, and has both libraries encode and decode random texts. Also
compares the character classes of patterns for every code point. Needs the
Python package `tokenizers`.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from tokenizers import Tokenizer

LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
          r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
O200K = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*"
         r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+"
         r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
DEEPSEEK = (r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+"
            r"|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*"
            r"|\s*[\r\n]+|\s+(?!\S)|\s+")


def split(pattern, behavior="Isolated", invert=False):
    key = "Regex" if isinstance(pattern, str) else "String"
    text = pattern if key == "Regex" else pattern[0]
    return {"type": "Split", "pattern": {key: text}, "behavior": behavior,
            "invert": invert}


def byte_level(regex, prefix=False):
    return {"type": "ByteLevel", "add_prefix_space": prefix,
            "trim_offsets": True, "use_regex": regex}


def sequence(*stages):
    return {"type": "Sequence", "pretokenizers": list(stages)}


PRE_TOKENIZERS = [
    byte_level(True),
    byte_level(True, prefix=True),
    byte_level(False),
    sequence({"type": "Digits", "individual_digits": True}, byte_level(True)),
    sequence({"type": "Digits", "individual_digits": False}, byte_level(True)),
    sequence(split(LLAMA3), byte_level(False)),
    sequence(split(O200K), byte_level(False)),
    sequence(split(r"\p{N}{1,3}"), split(r"[一-龥぀-ゟ゠-ヿ]+"),
             split(DEEPSEEK), byte_level(False)),
    sequence(split(r"\w+|\d|[^\w\s]+"), byte_level(False, prefix=True)),
    sequence(split(r"\s"), byte_level(True)),
    sequence(split([" "], "MergedWithNext"), byte_level(False)),
    sequence(split([" "], "MergedWithPrevious"), byte_level(False)),
    sequence(split(r"\s", "Contiguous"), byte_level(False)),
    sequence(split(r"\p{L}", "Removed"), byte_level(False)),
    sequence(split(r"\p{L}", "Removed", True), byte_level(False)),
    sequence(split(r"\p{L}", "MergedWithNext", True), byte_level(False)),
    sequence(split(r"\p{L}", "MergedWithPrevious", True), byte_level(False)),
    sequence(split(r"\bx|^y|z$|.\A|\p{N}{1,3}+|[^\P{Zs}a]|q{2,}?|[\S]{4}"),
             byte_level(False)),
    sequence(split(r"(?i)abc|(a|b)*?c|\x{e9}|\u0301|[\x41-\x43]"),
             byte_level(False)),
]

ADDED = ["<|a|>", "<|a|>b", "<x>", "foo", "foobar", "  ", "é", "e\u0301", "¡",
         "\n", "a b"]
ALPHABETS = [
    "abc xyz'sStTlL  \n\r\t.,!?0123456789",
    "<|a|>bx foo bar  \n",
    "éèe\u0301\u0327\u0323 ñÅ\u212b각\u1100\u1161\u11a8ﬁ",
    "你好，世界！ こんにちは\u3000カタ한국어",
    "مرحبا ١٢٣ नमस्ते १२३ ½①Ⅷ²",
    "🙂👨\u200d👩\u200d👧🇫🇷\ufe0f\u200b\ufeff\u180e\u2028\u0085\xa0",
    "\u2ebf0\U0002ebf1\U00031350\U00016d40\u1c89ſK",
]


def random_text(rng, snippets):
    parts = []
    for _ in range(rng.randint(1, 12)):
        kind = rng.random()
        if kind < 0.2:
            parts.append(rng.choice(ADDED) * rng.randint(1, 3))
        elif kind < 0.35:
            start = rng.randrange(len(snippets))
            parts.append(snippets[start:start + rng.randint(1, 200)])
        elif kind < 0.4:
            parts.append(rng.choice("a \n-é你") * rng.randint(1, 400))
        elif kind < 0.5:
            for _ in range(rng.randint(1, 8)):
                c = rng.randrange(0x110000)
                if not 0xD800 <= c < 0xE000:
                    parts.append(chr(c))
        else:
            alphabet = rng.choice(ALPHABETS)
            parts.append("".join(rng.choice(alphabet)
                                 for _ in range(rng.randint(1, 30))))
    return "".join(parts)


def variant(rng, base, number):
    config = json.loads(json.dumps(base))
    config["pre_tokenizer"] = PRE_TOKENIZERS[number % len(PRE_TOKENIZERS)]
    config["normalizer"] = rng.choice([None, {"type": "NFC"}])
    config["model"]["ignore_merges"] = rng.random() < 0.5
    vocab = config["model"]["vocab"]
    config["added_tokens"] = [
        t for t in config["added_tokens"] if rng.random() < 0.7]
    next_id = max([*vocab.values()]) + 1
    config["added_tokens"] = [
        t for t in config["added_tokens"] if t["content"] in vocab]
    added = rng.sample(ADDED, rng.randint(0, len(ADDED)))
    # The reference panics where a token lies in space that another stripped,
    # and forgets a whole control token that it must not find, not only its
    # own reading of it.
    strip = 0 if any(not t.strip() for t in added) else 0.3
    overlaps = {"<|a|>", "<|a|>b", "foo", "foobar"}
    for text in added:
        if text in vocab:
            continue
        config["added_tokens"].append({
            "id": next_id, "content": text,
            "special": text not in overlaps and rng.random() < 0.5,
            "single_word": rng.random() < 0.3, "lstrip": rng.random() < strip,
            "rstrip": rng.random() < strip,
            # Decoding, the reference spells such a token in its normal form,
            # which the byte alphabet then takes for other bytes.
            "normalized": text != "e\u0301" and rng.random() < 0.4})
        next_id += 1
    # With a gap among the ids the reference numbers added tokens anew.
    if next_id == max(vocab.values()) + 1:
        for byte in rng.sample(sorted(c for c in vocab if len(c) == 1), 5):
            # A model that does not know every byte drops those.
            if not any(byte in m[0] or byte in m[1]
                       for m in config["model"]["merges"]):
                del vocab[byte]
    return config


def ask(tool, config, requests):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "tokenizer.json"
        path.write_text(json.dumps(config))
        text = "".join(json.dumps(r) + "\n" for r in requests)
        run = subprocess.run([tool, str(path)], input=text, text=True,
                             stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in run.stdout.split("\n")[:-1]]


def compare(tool, config, requests):
    """How many answers differ; prints the first."""
    ours = ask(tool, config, requests)
    theirs = Tokenizer.from_str(json.dumps(config))
    wrong = 0
    for request, answer in zip(requests, ours, strict=True):
        theirs.encode_special_tokens = not request["parse"]
        ids = theirs.encode(request["text"],
                            add_special_tokens=request["special"]).ids
        expected = {"ids": ids,
                    "decoded": theirs.decode(ids, skip_special_tokens=False),
                    "skipped": theirs.decode(ids, skip_special_tokens=True)}
        if answer != expected:
            wrong += 1
            if wrong == 1:
                print("DIFFERS", json.dumps(config["pre_tokenizer"]),
                      config["normalizer"], config["added_tokens"])
                print("  request", request)
                if "ids" in answer and answer["ids"] != ids:
                    at = next((i for i, (a, b)
                               in enumerate(zip(answer["ids"], ids)) if a != b),
                              min(len(ids), len(answer["ids"])))
                    print("  at", repr(theirs.decode(
                        ids[:at], skip_special_tokens=False)[-30:]))
                    print("  ours  ", answer["ids"][at:at + 20])
                    print("  theirs", ids[at:at + 20])
                else:
                    print("  ours  ", answer)
                    print("  theirs", expected)
    return wrong


def check_classes(tool, base):
    """Every code point by itself, in patterns made of one class."""
    wrong = 0
    config = json.loads(json.dumps(base))
    config["normalizer"] = None
    config["added_tokens"] = []
    points = [c for c in range(1, 0x110000) if not 0xD800 <= c < 0xE000]
    # A line of text for every 256 points; cut differently if a class differs.
    texts = ["".join(chr(c) for c in points[i:i + 256])
             for i in range(0, len(points), 256)]
    requests = [{"text": t, "special": False, "parse": True} for t in texts]
    for name in [r"\s", r"\S", r"\d", r"\w", r"\p{L}", r"\P{L}", r"\p{N}",
                 r"\p{P}", r"\p{S}", r"\p{M}", r"\p{Lu}", r"\p{Ll}", r"\p{Lt}",
                 r"\p{Lm}", r"\p{Lo}", r"\p{Nd}", r"\p{No}", r"\p{Z}",
                 r"(?i:s)", r"(?i:k)"]:
        # Removing everything else leaves the class in the ids.
        config["pre_tokenizer"] = sequence(split(name, "Removed", True),
                                           byte_level(False))
        differs = compare(tool, config, requests)
        print(f"class {name}: {differs or 'no'} lines differ")
        wrong += differs
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    here = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument("--tool", default=here / "build/bin/tokenize-lines")
    parser.add_argument("--texts", type=int, default=200)
    parser.add_argument("--variants", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    shared = pathlib.Path(os.environ.get("PAGODA_SHARED", here.parent / "shared"))
    if not shared.exists():
        print("SKIPPED: needs shared/ at ../shared or $PAGODA_SHARED")
        return 0
    rng = random.Random(args.seed)
    snippets = (shared / "text/evaluation.txt").read_text()
    names = ["bytelevel-gpt2", "bytelevel-llama3", "bytelevel-qwen2"]
    bases = [json.loads((shared / "tokenizers" / n / "tokenizer.json").read_text())
             for n in names]
    wrong = check_classes(args.tool, bases[0])
    for number in range(args.variants):
        config = variant(rng, rng.choice(bases), number)
        requests = [{"text": random_text(rng, snippets),
                     "special": rng.random() < 0.5,
                     "parse": rng.random() < 0.8}
                    for _ in range(args.texts)]
        wrong += compare(args.tool, config, requests)
    print(f"{args.variants} variants of {args.texts} texts: {wrong} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
