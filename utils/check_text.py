"""Text hygiene: tabs, spaces at line ends, the last newline, header guards."""

import posixpath
import re

SUFFIXES = (
    ".c", ".cc", ".cpp", ".cu", ".cuh", ".h", ".inc", ".def", ".td", ".mlir",
    ".py", ".sh", ".cmake", ".txt", ".md", ".json", ".yaml", ".yml", ".fbs",
    ".toml", ".allow",
)  # fmt: skip
NAMES = ("Makefile", ".clang-format", ".clang-tidy", ".editorconfig", ".gitignore")
GUARDED = ("include", "lib", "test", "tools", "kernels")


def is_text(path):
    return path.endswith(SUFFIXES) or posixpath.basename(path) in NAMES


def check_lines(tree, path):
    raw = (tree.root / path).read_bytes()
    findings = []
    if raw and not raw.endswith(b"\n"):
        findings.append(f"{path}: the last line has no newline")
    if raw.endswith(b"\n\n"):
        findings.append(f"{path}: empty lines at the end")
    tabs = posixpath.basename(path) != "Makefile"
    for number, line in enumerate(raw.split(b"\n"), 1):
        if line.endswith(b"\r"):
            findings.append(f"{path}:{number}: carriage return at the end of the line")
        elif line.endswith((b" ", b"\t")):
            findings.append(f"{path}:{number}: space at the end of the line")
        if tabs and b"\t" in line:
            findings.append(f"{path}:{number}: tab; indent with spaces")
    return findings


def guard_of(path):
    """include/pagoda/Base/Status.h -> PAGODA_BASE_STATUS_H,
    kernels/templates/norm/x.h -> PAGODA_KERNELS_NORM_X_H; elsewhere the whole
    path after PAGODA_."""
    name = path.replace("kernels/templates/", "kernels/", 1)
    if path.startswith("include/"):
        name = path.removeprefix("include/").removeprefix("pagoda/")
    guard = re.sub(r"[^A-Z0-9]", "_", name.upper())
    return guard if guard.startswith("PAGODA_") else "PAGODA_" + guard


def check_guard(tree, path):
    guard = guard_of(path)
    lines = tree.lines(path)
    directives = [line for line in lines if line.startswith("#")]
    wanted = [f"#ifndef {guard}", f"#define {guard}"]
    if directives[:2] != wanted:
        return [f"{path}: should start with the guard {guard}"]
    # The C interface has no line comments.
    is_c = path.startswith("include/pagoda-c/")
    last = f"#endif /* {guard} */" if is_c else f"#endif // {guard}"
    if lines[-1] != last:
        return [f"{path}: should end with '{last}'"]
    return []


def check(tree):
    findings = []
    for path in tree.files:
        if is_text(path):
            findings += check_lines(tree, path)
    for path in tree.under(*GUARDED, suffixes=[".h", ".cuh"]):
        findings += check_guard(tree, path)
    return findings
