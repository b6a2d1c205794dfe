"""clang-format 22: one style for all C++ of the project."""

import concurrent.futures
import os
import re
import shutil
import subprocess

FOLDERS = ("include", "lib", "tools", "test", "kernels")
SUFFIXES = (".h", ".cpp", ".cuh", ".cu")
VERSION = 22


def find_tool():
    """A clang-format of the right version: others break lines differently."""
    for name in (f"clang-format-{VERSION}", "clang-format"):
        path = shutil.which(name)
        if not path:
            continue
        said = subprocess.run([path, "--version"], capture_output=True, text=True)
        if re.search(rf"version {VERSION}\.", said.stdout):
            return path
    return None


def check_files(tool, tree, paths):
    done = subprocess.run(
        [tool, "--dry-run", "--ferror-limit=1", *paths],
        capture_output=True,
        text=True,
        cwd=tree.root,
    )
    # "lib/A.cpp:3:4: warning: code should be clang-formatted […]"
    found = re.findall(r"^([^\s:]+):(\d+):\d+: (?:warning|error):", done.stderr, re.M)
    first = {}
    for path, line in found:
        first.setdefault(path, line)
    findings = [
        f"{path}:{line}: not formatted (clang-format-{VERSION} -i {path})"
        for path, line in first.items()
    ]
    if done.returncode != 0 and not findings:
        findings.append(f"clang-format: {done.stderr.strip()}")
    return findings


def check(tree):
    paths = tree.under(*FOLDERS, suffixes=SUFFIXES)
    if not paths:
        return []
    tool = find_tool()
    if not tool:
        return [f"there is no clang-format {VERSION}; run scripts/install-deps"]
    workers = os.cpu_count() or 1
    # Each process has some start-up time, so give each of them a share.
    shares = [paths[i::workers] for i in range(workers)]
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        results = pool.map(lambda share: check_files(tool, tree, share), shares)
        return sorted(sum(results, []))
