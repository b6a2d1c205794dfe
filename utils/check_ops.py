"""Ops, types and attributes are documented, and their constraints are tested.

- Each has a summary and an example; constraints are numbered from C1.
- For each constraint there is a case in test/Dialect/**/*-errors.mlir, marked
  with a comment that starts with its name: "// weight.slice, C2".
"""

import re

import ods

MARK = re.compile(r"^// ([\w.]+), (C\d+)\b")


def marks(tree):
    """Which constraints the tests say that they break."""
    found = {}
    for path in tree.under("test/Dialect", suffixes=["-errors.mlir"]):
        dialect = path.split("/")[2].lower()
        for number, line in enumerate(tree.lines(path), 1):
            if match := MARK.match(line):
                key = (dialect, *match.groups())
                found.setdefault(key, (path, number))
    return found


def check(tree):
    findings = []
    tested = marks(tree)
    known = set()
    for definition in ods.definitions(tree):
        place = f"{definition.path}:{definition.line}"
        name = f"{definition.dialect}.{definition.name}"
        if definition.kind == "dialect":
            continue
        if not definition.summary:
            findings.append(f"{place}: {name} has no summary")
        if not definition.examples:
            findings.append(f"{place}: {name} has no example")
        elif definition.kind == "op" and not any(
            name in example for example in definition.examples
        ):
            findings.append(f"{place}: the example of {name} does not show it")
        wanted = [f"C{i + 1}" for i in range(len(definition.constraints))]
        if definition.constraints != wanted:
            findings.append(f"{place}: constraints of {name} are not C1, C2, …")
        for constraint in definition.constraints:
            key = (definition.dialect, definition.name, constraint)
            known.add(key)
            if key not in tested:
                findings.append(
                    f"{place}: no case of test/Dialect is marked "
                    f"'// {definition.name}, {constraint}'"
                )
    for key, (path, number) in tested.items():
        if key not in known:
            findings.append(f"{path}:{number}: there is no {key[2]} of {key[0]}.{key[1]}")
    return sorted(findings)
