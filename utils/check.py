#!/usr/bin/env python3
"""Checks the house rules. `make check` and CI call this.

  utils/check.py               all rules, all files
  utils/check.py sizes names   only these rules
  utils/check.py --changed     formatting only of files that differ from main
  utils/check.py --self-test   the tests of the rules themselves

A finding is one line, "PATH[:LINE]: what is wrong (what to do)".
"""

import argparse
import pathlib
import sys
import time
import unittest

import check_format
import check_layers
import check_names
import check_ops
import check_sizes
import check_text
from tree import Tree

RULES = {
    "sizes": check_sizes.check,
    "layers": check_layers.check,
    "names": check_names.check,
    "ops": check_ops.check,
    "text": check_text.check,
    "format": check_format.check,
}


def self_test():
    folder = pathlib.Path(__file__).resolve().parent / "tests"
    suite = unittest.defaultTestLoader.discover(str(folder))
    return unittest.TextTestRunner().run(suite).wasSuccessful()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rules", nargs="*", metavar="RULE", help=", ".join(RULES))
    parser.add_argument("--changed", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return 0 if self_test() else 1
    for name in options.rules:
        if name not in RULES:
            parser.error(f"there is no rule '{name}', only {', '.join(RULES)}")

    tree = Tree(pathlib.Path(__file__).resolve().parent.parent)
    total = 0
    for name in options.rules or RULES:
        start = time.monotonic()
        if name == "format" and options.changed:
            findings = check_format.check(Tree(tree.root, tree.changed()))
        else:
            findings = RULES[name](tree)
        for finding in findings:
            print(finding)
        total += len(findings)
        seconds = time.monotonic() - start
        print(f"check {name}: {len(findings)} findings, {seconds:.1f} s")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
