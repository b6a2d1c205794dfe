"""What dialects' TableGen files say about ops, types and attributes.

Reads the text, not TableGen's records: needs no LLVM, and knows lines. Only the
forms that occur in this project are understood.
"""

import dataclasses
import re

ROOT = "include/pagoda/Dialect"
DEFINITION = re.compile(r"^def (\w+)\s*:\s*(\w+)\s*<([^>{]*)", re.M)
DESCRIPTION = re.compile(r"let description = \[\{(.*?)\}\];", re.S)
SUMMARY = re.compile(r'let summary = "([^"]*)"')
CONSTRAINT = re.compile(r"^\s*- (C\d+):", re.M)
EXAMPLE = re.compile(r"```mlir\n(.*?)```", re.S)
KINDS = {"Op": "op", "Type": "type", "Attr": "attribute", "Pass": "pass"}


@dataclasses.dataclass
class Definition:
    path: str
    line: int
    kind: str  # op, type, attribute, pass, dialect
    record: str  # as TableGen has it, without the dialect: "WeightSliceOp"
    name: str  # as IR spells it, without the dialect: "weight.slice"
    dialect: str
    summary: str
    description: str

    @property
    def constraints(self):
        return CONSTRAINT.findall(self.description)

    @property
    def examples(self):
        return EXAMPLE.findall(self.description)


def parse(path, text):
    found = list(DEFINITION.finditer(text))
    for match, after in zip(found, found[1:] + [None]):
        name, base, arguments = match.groups()
        body = text[match.start() : after.start() if after else len(text)]
        kind = kind_of(name, base)
        if not kind:
            continue
        description = DESCRIPTION.search(body)
        summary = SUMMARY.search(body)
        yield Definition(
            path=path,
            line=text.count("\n", 0, match.start()) + 1,
            kind=kind,
            record=name.removeprefix("Exec_").removeprefix("LLM_"),
            name=mnemonic(kind, arguments, body),
            dialect="exec" if name.startswith("Exec_") else "llm",
            summary=summary.group(1) if summary else "",
            description=description.group(1) if description else "",
        )


def kind_of(name, base):
    if base == "Dialect":
        return "dialect"
    if base.endswith(("Enum", "Interface", "AttrTypeBase", "AttrBase")):
        return None
    for suffix, kind in KINDS.items():
        if name.endswith(suffix):
            return kind
    return None


def mnemonic(kind, arguments, body):
    if given := re.search(r'let (?:mnemonic|typeName) = "(?:\w+\.)?([\w.]+)"', body):
        return given.group(1)
    if kind == "dialect":
        return re.search(r'let name = "(\w+)"', body).group(1)
    strings = re.findall(r'"([^"]*)"', arguments)
    # Types and attributes give their C++ name first.
    return strings[1] if kind in ("type", "attribute") else strings[0]


def definitions(tree):
    """Of all dialects, in the order of files and lines."""
    for path in tree.under(ROOT, suffixes=[".td"]):
        yield from parse(path, tree.text(path))
