"""Which room may include which: the table, and the check of #include lines.

A room is a folder under lib/ and include/pagoda/. A rule for a room holds for
the rooms inside it, unless they have their own. See docs/architecture.md.
"""

import posixpath
import re

# Every room sees itself. "Dialect" stands for all rooms inside it.
ROOMS = {
    "Base": [],
    "Files": ["Base"],
    "Weights": ["Base", "Files"],
    "Nvrtc": ["Base"],
    "Artifact": ["Base"],
    "Kernels": ["Base"],
    "Dialect/LLM": ["Base"],
    # Contracts of kernels are llm ops.
    "Dialect/Exec": ["Base", "Dialect/LLM"],
    "Import": ["Base", "Files", "Weights", "Dialect/LLM"],
    "Transforms": ["Base", "Dialect", "Kernels"],
    "Codegen": ["Base", "Dialect", "Kernels", "Weights", "Nvrtc", "Artifact"],
    "Reference/Ops": ["Base"],
    "Reference/Interpreter": ["Base", "Files", "Dialect", "Reference/Ops"],
    "Verify": ["Base", "Dialect", "Reference", "Transforms", "Codegen", "Runtime"],
    "Eval": ["Base", "Files", "Runtime"],
    # Everything; also what tools/ and test/ may do.
    "CAPI": None,
    "Tools": None,
}

# What every room inside Runtime sees, and what each sees beyond it.
RUNTIME = ["Base", "Files", "Nvrtc", "Artifact"]
RUNTIME_ROOMS = {
    # The interface between the engine and what computes a step.
    "Step": [],
    # Five that do not know each other.
    "Device": ["Step"],
    "Cache": [],
    "Scheduler": [],
    "Sampler": [],
    "Tokenizer": [],
    "Engine": ["Step", "Device", "Cache", "Scheduler", "Sampler"],
    "Generation": ["Engine", "Tokenizer", "Chat"],
    "Server": ["Generation"],
}
for _name, _seen in RUNTIME_ROOMS.items():
    ROOMS["Runtime/" + _name] = RUNTIME + ["Runtime/" + other for other in _seen]
ROOMS["Runtime/Chat"] = ["Base", "Files", "Runtime/Tokenizer"]

# Rooms whose code may include LLVM, MLIR and Clang. The others must build
# where none of them is installed.
COMPILER = [
    "Dialect",
    "Import",
    "Transforms",
    "Codegen",
    "Reference/Interpreter",
    "Verify",
    "Tools",
]
COMPILER_HEADERS = re.compile(r"(llvm|llvm-c|mlir|mlir-c|clang|clang-c)/")

INCLUDE = re.compile(r'\s*#\s*include\s+([<"])([^>"]+)[>"]')
SOURCES = (".h", ".cpp", ".cuh", ".cu", ".inc", ".def", ".td")


def is_in(room, rooms):
    return any(room == r or room.startswith(r + "/") for r in rooms)


def room_of(path):
    """The room of a file, as the table calls it; None outside of all rooms.

    A folder that the table does not know comes back under its own name.
    """
    for root in ("include/pagoda/", "lib/"):
        if path.startswith(root):
            folder = posixpath.dirname(path[len(root) :])
            named = [r for r in ROOMS if is_in(folder, [r])]
            return max(named, key=len) if named else folder
    return None


def target_of(path, quote, name):
    """The path that an #include refers to, as far as it can be told."""
    if name.startswith("pagoda/"):
        return "include/" + name
    if quote == '"' and not COMPILER_HEADERS.match(name):
        return posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
    return name


def includes(tree, path):
    for number, line in enumerate(tree.lines(path), 1):
        if match := INCLUDE.match(line):
            yield number, match.group(1), match.group(2)


def check_room(tree, path, room):
    if room not in ROOMS:
        # Files that lie directly in lib/ or include/pagoda/ have no room.
        name = f"room '{room}'" if room else "a file outside of all rooms"
        return [f"{path}: {name} is not in the table of utils/check_layers.py"]
    findings = []
    for number, quote, name in includes(tree, path):
        target = target_of(path, quote, name)
        other = room_of(target)
        seen = ROOMS[room]
        if COMPILER_HEADERS.match(target) and not is_in(room, COMPILER):
            findings.append(f"{path}:{number}: {room} must not include '{name}'")
        elif target.startswith(("tools/", "test/")):
            findings.append(f"{path}:{number}: {room} must not include '{name}'")
        elif other and other != room and seen is not None and not is_in(other, seen):
            findings.append(f"{path}:{number}: {room} must not see {other} ('{name}')")
        elif path.startswith("include/") and target.startswith("lib/"):
            findings.append(f"{path}:{number}: a public header includes '{name}' of lib/")
    return findings


def check_kernels(tree):
    """Kernel units are compiled without a system: they declare what they use."""
    findings = []
    for path in tree.under("kernels/templates"):
        for number, quote, name in includes(tree, path):
            if quote == "<" or room_of(target_of(path, quote, name)) is not None:
                findings.append(
                    f"{path}:{number}: kernel templates include each other only, "
                    f"not '{name}'"
                )
    return findings


def check(tree):
    findings = []
    for path in tree.under("lib", "include/pagoda", suffixes=SOURCES):
        findings += check_room(tree, path, room_of(path))
    return findings + check_kernels(tree)
