"""Checks what `pagoda eval perplexity --json` printed.

    perplexity_within.py FILE EXPECTED SHARE
"""

import json
import pathlib
import sys

file, expected, share = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
result = json.loads(pathlib.Path(file).read_text())
if result["windows"] != 16:
    sys.exit(f"{result['windows']} windows were scored, expected 16")
away = abs(result["perplexity"] / expected - 1)
print(f"perplexity {result['perplexity']:.4f}, {away:.3%} from {expected}")
if not away <= share:
    sys.exit(f"that is more than {share:.3%}")
