"""Parses every example in the documentation of dialects and passes.

  check_examples.py SOURCE_FOLDER PAGODA_OPT [ARGUMENT…]

An example is a few lines of some function, so it is wrapped: what it uses and
does not define becomes an argument, whose type is the one that the parser asks
for; what it names is defined in front. Examples with an ellipsis are left out.
"""

import pathlib
import re
import subprocess
import sys

SOURCE, OPT = pathlib.Path(sys.argv[1]), sys.argv[2:]
sys.path.insert(0, str(SOURCE / "utils"))

import ods  # noqa: E402
from tree import Tree  # noqa: E402

WANTS_TYPE = re.compile(
    r"use of value '(%[\w.]+)' expects different type than prior uses: "
    r"'(.*)' vs '(?:none|.*)'$",
    re.M,
)
# What may stand around an example.
FRAMES = {
    "llm.yield": "%r = llm.fused () : () -> tensor<64x64xf32> {{\n"
    '%w = "test.value"() : () -> tensor<64x64xf32>\n{}}}\n',
}
MODULE_FRAMES = {
    "exec.yield": 'exec.kernel @k family "f" parameters {{}} {{\n'
    "^bb0(%n: tensor<?x64xf32>):\n{}}}\n",
    "exec.return": 'exec.entry @e dims ["rows"] {{\n'
    "^bb0(%logits: !exec.buffer<[rows, 320], f32>):\n{}}}\n",
}
NORM = (
    'exec.kernel @norm family "rms_norm" parameters {} {\n'
    "^bb0(%x: tensor<?x64xf32>, %w: tensor<64xf32>):\n"
    "  exec.yield %x : tensor<?x64xf32>\n}\n"
)


def run(text):
    done = subprocess.run(
        [*OPT, "--allow-unregistered-dialect", "-"],
        input=text,
        capture_output=True,
        text=True,
    )
    return done.returncode == 0, done.stderr


def defined_symbols(text):
    return set(re.findall(r"^\s*(?:llm\.source|llm\.define|exec\.kernel) @([\w.]+)",
                          text, re.M))  # fmt: skip


def prelude(text):
    """Definitions of the symbols that an example names."""
    lines = []
    have = defined_symbols(text)
    used = set(re.findall(r"llm\.weight @([\w.]+)\[", text))
    wanted = dict(
        re.findall(r"(?:llm\.defined|exec\.weight) @([\w.]+) : (.*)$", text, re.M)
    )
    for name in sorted(wanted.keys() - have):
        lines.append(
            f"llm.define @{name} : {wanted[name]} {{\n"
            f'  %w = llm.weight @model["w"] : {wanted[name]}\n'
            f"  llm.yield %w : {wanted[name]}\n}}"
        )
        if wanted[name].startswith("!llm.packed"):
            packed = wanted[name].removeprefix("!llm.packed")
            tensor = re.search(r"tensor<.*>(?=>)", wanted[name]).group(0)
            lines[-1] = (
                f"llm.define @{name} : {wanted[name]} {{\n"
                f'  %w = llm.weight @model["w"] : {tensor}\n'
                f"  %p = llm.weight.pack %w : {tensor} to {packed}\n"
                f"  llm.yield %p : {wanted[name]}\n}}"
            )
        used.add("model")
    if "exec.launch @norm(" in text and "norm" not in have:
        lines.append(NORM)
    for name in sorted(used - have):
        lines.insert(0, f'llm.source @{name} file("model.gguf")')
    return "\n".join(lines) + "\n"


def free_values(text):
    """Values that are used before they are defined, in order."""
    known, free = set(), []
    for line in text.splitlines():
        left, equals, right = line.partition(" = ")
        is_result = equals and re.fullmatch(r"\s*%[\w.:]+(?:\s*,\s*%[\w.:]+)*", left)
        uses, defines = (right, left) if is_result else (line, "")
        if line.lstrip().startswith(("^", "func.func")):
            uses, defines = "", line
        for value in re.findall(r"%[\w.]+", uses):
            if value not in known and value not in free:
                free.append(value)
        known.update(re.findall(r"%[\w.]+", defines))
    return free


def is_top_level(text):
    ops = ("llm.source", "llm.define ", "exec.kernel", "exec.entry", "func.func")
    first = text.lstrip()
    return first.startswith(ops)


def wrap(definition, text, types):
    name = f"{definition.dialect}.{definition.name}"
    if definition.kind == "type":
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return "".join(f"func.func private @f{i}({line})\n"
                       for i, line in enumerate(lines))  # fmt: skip
    if definition.kind == "attribute":
        return f"func.func private @f() attributes {{a = {text.strip()}}}\n"
    if name in MODULE_FRAMES:
        return MODULE_FRAMES[name].format(text)
    if is_top_level(text):
        if text.lstrip().startswith("func.func") and "{\n" not in text:
            results = re.search(r"-> \((.*)\)", text).group(1)
            count = len(results.split(", "))
            text += (f' {{\n%r:{count} = "test.results"() : () -> ({results})\n'
                     f"return {', '.join(f'%r#{i}' for i in range(count))} : "
                     f"{results}\n}}\n")  # fmt: skip
        return prelude(text) + text
    if name in FRAMES:
        text = FRAMES[name].format(text)
    arguments = ", ".join(f"{v}: {types.get(v, 'none')}" for v in free_values(text))
    return prelude(text) + f"func.func @f({arguments}) {{\n{text}\nreturn\n}}\n"


def check(definition, text):
    """None, or what the parser says in the end."""
    types = {}
    for _ in range(20):
        wrapped = wrap(definition, text, types)
        good, errors = run(wrapped)
        if good:
            return None
        match = WANTS_TYPE.search(errors)
        if not match or types.get(match.group(1)) == match.group(2):
            return f"{errors}\nin\n{wrapped}"
        types[match.group(1)] = match.group(2)
    return "types could not be found"


def passes(tree):
    for path in tree.under("include/pagoda/Transforms", suffixes=["Passes.td"]):
        yield from ods.parse(path, tree.text(path))


def main():
    tree = Tree(SOURCE)
    seen, left_out, failed = 0, [], []
    for definition in [*ods.definitions(tree), *passes(tree)]:
        for text in definition.examples:
            name = f"{definition.path}:{definition.line}: {definition.name}"
            if "…" in text:
                left_out.append(name)
                continue
            seen += 1
            if message := check(definition, text):
                failed.append(f"{name}: its example does not parse\n{message}")
    print(f"{seen} examples, {len(failed)} do not parse, {len(left_out)} have ellipses")
    for name in left_out:
        print(f"left out: {name}")
    print("\n".join(failed))
    return 1 if failed or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
