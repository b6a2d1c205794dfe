"""Names: of files, of passes and of unit tests.

- No bucket: a file or folder called Utils, Misc or Common (or StringUtils, or
  MiscOps) always overflows.
- One pass, one name: `pagoda-x-y` in Passes.td is lib/Transforms/XY.cpp, defined
  as XYPass, with tests test/Transforms/x-y.mlir and x-y-errors.mlir.
- A unit test says what it tests: test/unit/ROOM/NameTest.cpp goes with a file
  of that room called Name; or with the longest beginning of Name that is one
  (GgufParserMutationTest.cpp with GgufParser.cpp).
"""

import posixpath
import re

BUCKETS = {"util", "utils", "misc", "uncategorized", "helpers"}
# Only at the end: common subexpressions are a concern.
LAST = BUCKETS | {"common"}
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# Pagoda_Pass is the base class of Passes.td, which adds "pagoda-" itself.
PASS = re.compile(r'def\s+(\w+)\s*:\s*(Pass|Pagoda_Pass)\s*<\s*"([^"]+)"')


def stem(path):
    return posixpath.basename(path).split(".")[0]


def bucket(name):
    """The word that makes a file or folder name a bucket, or None."""
    words = [word.lower() for word in WORD.findall(name.split(".")[0])]
    if words and words[-1] in LAST:
        return words[-1]
    return words[0] if words and words[0] in BUCKETS else None


def check_buckets(tree):
    findings = []
    for path in tree.under("include", "lib", "tools", "kernels", "test"):
        for part in path.split("/"):
            if word := bucket(part):
                findings.append(
                    f"{path}: '{word}' says nothing; name it after its concern"
                )
    return findings


def check_passes(tree):
    findings = []
    for path in tree.files:
        if posixpath.basename(path) != "Passes.td":
            continue
        for name, base, flag in PASS.findall(tree.text(path)):
            if base == "Pagoda_Pass":
                flag = "pagoda-" + flag
            findings += check_pass(tree, path, name, flag)
    return findings


def check_pass(tree, path, name, flag):
    if not re.fullmatch(r"pagoda(-[a-z0-9]+)+", flag):
        return [f"{path}: pass flag '{flag}' is not of the form 'pagoda-x-y'"]
    kebab = flag.removeprefix("pagoda-")
    camel = "".join(word.capitalize() for word in kebab.split("-"))
    findings = []
    if name != camel + "Pass":
        findings.append(f"{path}: '{flag}' is defined as {name}, not as {camel}Pass")
    for wanted in (
        f"lib/Transforms/{camel}.cpp",
        f"test/Transforms/{kebab}.mlir",
        f"test/Transforms/{kebab}-errors.mlir",
    ):
        if wanted not in tree.files:
            findings.append(f"{path}: '{flag}' has no {wanted}")
    return findings


def check_unit_tests(tree):
    findings = []
    for path in tree.under("test/unit", suffixes=["Test.cpp"]):
        room = posixpath.dirname(path).removeprefix("test/unit").lstrip("/")
        name = stem(path).removesuffix("Test")
        subjects = tree.under("lib/" + room, "include/pagoda/" + room)
        if not any(name.startswith(stem(subject)) for subject in subjects):
            findings.append(
                f"{path}: there is no {name} in lib/{room} or include/pagoda/{room}"
            )
    return findings


def check(tree):
    return check_buckets(tree) + check_passes(tree) + check_unit_tests(tree)
