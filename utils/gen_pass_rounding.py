#!/usr/bin/env python3
"""Writes PassRounding.inc from TableGen's JSON of Passes.td.

usage: gen_pass_rounding.py PASSES.json OUTPUT

One row a pass: PAGODA_PASS_ROUNDING("flag", Exact|Rounds).
"""

import json
import sys


def main() -> None:
    source, output = sys.argv[1:3]
    with open(source, encoding="utf-8") as file:
        records = json.load(file)
    rows = []
    for name in records["!instanceof"]["Pagoda_Pass"]:
        record = records[name]
        rounding = record["rounding"].capitalize()
        rows.append(f'PAGODA_PASS_ROUNDING("{record["argument"]}", {rounding})')
    with open(output, "w", encoding="utf-8") as file:
        file.write("\n".join(sorted(rows)) + "\n")


if __name__ == "__main__":
    main()
