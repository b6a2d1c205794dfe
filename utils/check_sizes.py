"""Caps on the length of files.

A file that outgrows its cap is cut along its concerns. Where that has to wait,
it stands in check_sizes.allow with its length, one "PATH LINES" a line. That
list may only shrink: no new names, no larger numbers, and a file that became
shorter has its number lowered.
"""

ALLOW = "utils/check_sizes.allow"


def cap(path):
    """The most lines `path` may have, or None."""
    if path.startswith("tools/") and path.endswith(".cpp"):
        return 40  # mains; their bodies live in lib/Tools
    if path.endswith((".cpp", ".cu")):
        return 600
    if path.endswith((".h", ".cuh")):
        return 300
    if path.endswith(".td"):
        return 500
    if path.endswith(".mlir") and path.startswith("test/"):
        return 400
    return None


def parse_allow(lines):
    """The allow-list as a dictionary, and the lines that are no entries."""
    allowed, odd = {}, []
    for number, line in enumerate(lines, 1):
        words = line.split("#")[0].split()
        if len(words) == 2 and words[1].isdigit():
            allowed[words[0]] = int(words[1])
        elif words:
            odd.append(f"{ALLOW}:{number}: '{line}' is not 'PATH LINES'")
    return allowed, odd


def check(tree):
    listed = ALLOW in tree.files
    allowed, findings = parse_allow(tree.lines(ALLOW) if listed else [])
    for path in tree.files:
        limit = cap(path)
        if limit is None:
            continue
        length = len(tree.lines(path))
        listed_length = allowed.get(path)
        if listed_length is None:
            if length > limit:
                findings.append(f"{path}: {length} lines, the cap is {limit}; split it")
        elif length > listed_length:
            findings.append(
                f"{path}: {length} lines, {ALLOW} has {listed_length}; split it"
            )
        elif length <= limit:
            findings.append(f"{ALLOW}: {path} keeps its cap now; take it off the list")
        elif length < listed_length:
            findings.append(f"{ALLOW}: {path} has {length} lines now; lower its number")
    for path in allowed:
        if path not in tree.files:
            findings.append(f"{ALLOW}: {path} does not exist; take it off the list")
    return findings + check_growth(allowed, base_list(tree))


def base_list(tree):
    """The allow-list where this work started; None if there was none yet."""
    base = tree.base()
    old = tree.git("show", f"{base}:{ALLOW}") if base else ""
    return parse_allow(old.splitlines())[0] if old else None


def check_growth(allowed, before):
    findings = []
    for path, length in allowed.items() if before is not None else ():
        if path not in before:
            findings.append(f"{ALLOW}: {path} is new; split the file instead")
        elif length > before[path]:
            findings.append(
                f"{ALLOW}: {path} grew from {before[path]} to {length}; split the file"
            )
    return findings
