#!/usr/bin/env python3
"""Runs clang-tidy over the files that a change touches, and reports what it
finds on changed lines. `make check` calls it.

  utils/tidy_changed.py [--build build] [--base REVISION] [--minutes N]

The base is where the work left main, or the commit before the last on main.
Without history (a shallow clone) there is nothing to compare with, which is
said and no error. After N minutes it stops and names the files that it has not
looked at: a merge of many branches was looked at branch by branch.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys
import time

from tree import Tree

SOURCES = (".cpp", ".h")
# Kernel templates are compiled by the kernels' own compiler flags.
FOLDERS = ("include", "lib", "tools", "test")
FINDING = re.compile(r"^(\S+?):(\d+):\d+: (?:warning|error): .*$", re.M)


def changed_lines(diff):
    """{path: [[first, last], …]} of the lines that a diff of -U0 adds."""
    ranges, path = {}, None
    for line in diff.splitlines():
        if line.startswith("+++ "):
            path = line[6:] if line.startswith("+++ b/") else None
        elif path and (match := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)):
            first, count = int(match.group(1)), int(match.group(2) or 1)
            if count:
                ranges.setdefault(path, []).append([first, first + count - 1])
    return ranges


def files_to_run(ranges, compiled):
    """The compiled files that changed, and those that go with changed headers:
    lib/A/B.cpp for lib/A/B.h and for include/pagoda/A/B.h."""
    wanted = set()
    for path in ranges:
        stem = posixpath.splitext(path)[0]
        for other in (stem, stem.replace("include/pagoda/", "lib/", 1)):
            wanted.add(other + ".cpp")
    return sorted(wanted & compiled)


def compiled_files(build, root):
    commands = json.loads((build / "compile_commands.json").read_text())
    files = (
        pathlib.Path(os.path.normpath(os.path.join(c["directory"], c["file"])))
        for c in commands
    )
    return {f.relative_to(root).as_posix() for f in files if f.is_relative_to(root)}


def run_tidy(tool, build, root, path, line_filter):
    done = subprocess.run(
        [tool, "--quiet", f"-p={build}", f"--line-filter={line_filter}", path],
        capture_output=True,
        text=True,
        cwd=root,
    )
    if done.returncode == 0:
        return []
    found = [match.group(0) for match in FINDING.finditer(done.stdout)]
    return found or [f"{path}: clang-tidy failed: {done.stderr.strip()}"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("--base", default="")
    parser.add_argument("--minutes", type=float, default=10)
    options = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    tree = Tree(root)
    base = options.base or tree.base()
    if not base or not tree.git("rev-parse", "--verify", f"{base}^{{commit}}"):
        print("clang-tidy: no history to compare with, so nothing is checked")
        return 0
    tool = shutil.which("clang-tidy-22")
    if not tool:
        print("clang-tidy: there is no clang-tidy-22; run scripts/install-deps")
        return 1

    start = time.monotonic()
    diff = tree.git("diff", "-U0", "--no-color", "--no-ext-diff", base)
    ranges = {
        path: lines
        for path, lines in changed_lines(diff).items()
        if path.endswith(SOURCES) and path.startswith(FOLDERS)
    }
    for path in tree.git("ls-files", "--others", "--exclude-standard").splitlines():
        if path.endswith(SOURCES) and path.startswith(FOLDERS):
            ranges[path] = [[1, 1 << 20]]
    build = (root / options.build).resolve()
    files = files_to_run(ranges, compiled_files(build, root))
    line_filter = json.dumps(
        [{"name": path, "lines": lines} for path, lines in sorted(ranges.items())]
    )

    def check(path):
        if time.monotonic() - start > 60 * options.minutes:
            return path, None
        return path, run_tidy(tool, build, root, path, line_filter)

    findings, left = [], []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for path, found in pool.map(check, files):
            if found is None:
                left.append(path)
            else:
                findings += found
    for finding in sorted(set(findings)):
        print(finding.replace(f"{root}/", ""))
    if left:
        print(f"clang-tidy: {options.minutes:g} minutes are over; not checked:")
        print("  " + "\n  ".join(left))
    seconds = time.monotonic() - start
    print(
        f"clang-tidy: {len(set(findings))} findings in {len(files) - len(left)} of "
        f"{len(files)} files changed since {base[:12]}, {seconds:.1f} s"
    )
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
