"""Compares the memory that `pagoda inspect` plans with what `pagoda run` takes.

    same_memory.py PAGODA ARTIFACT [options that both commands have]
"""

import json
import subprocess
import sys

pagoda, artifact, *options = sys.argv[1:]


def ask(*command):
    done = subprocess.run(
        [pagoda, *command, "--json"], check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout)


planned = ask("inspect", artifact, "--memory", *options)["memory"]["bytes"]
taken = ask("run", artifact, "--ids", "5,17,3", "-n", "4", *options)["memory"]
assert planned == taken, f"planned {planned}, taken {taken}"
assert min(planned[part] for part in planned if part != "scratch") > 0, planned
print(planned)
