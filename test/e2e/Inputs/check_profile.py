"""Holds a profile against what it must add up to.

    check_profile.py PAGODA ARTIFACT TRACE

For a step of 20 tokens and 5 decode steps of 2 sequences.
"""

import json
import subprocess
import sys

pagoda, artifact, trace_path = sys.argv[1:]


def ask(*command):
    done = subprocess.run(
        [pagoda, *command, "--json"], check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout)


profile = ask("profile", artifact, "--prompt", "10", "--steps", "5", "--seqs", "2", "--threads", "2", "--trace", trace_path)
program = ask("inspect", artifact, "--program", "--weights", "--kernels")
entry = program["program"][0]
assert [phase["name"] for phase in profile["phases"]] == ["prefill", "decode"]
prefill, decode = profile["phases"]
assert (prefill["steps"], prefill["tokens"]) == (1, 20), prefill
assert (decode["steps"], decode["tokens"]) == (5, 2), decode

for phase in profile["phases"]:
    # Nothing is lost: kernels, layers and waiting are the step.
    whole = sum(kernel["ms"] for kernel in phase["kernels"])
    assert abs(whole + phase["waiting_ms"] - phase["ms"]) < 1e-6, phase
    assert abs(whole - sum(layer["ms"] for layer in phase["layers"])) < 1e-6
    assert phase["waiting_ms"] >= 0
    assert sum(kernel["launches"] for kernel in phase["kernels"]) == len(entry["launches"])
    names = [layer["layer"] for layer in phase["layers"]]
    assert len([name for name in names if name]) == len(set(names) - {""}), names

# A decode step reads every packed weight once and multiplies each of its rows
# with it: two operations a weight element and row.
packed = {
    argument["weight"]: argument["bytes"]
    for launch in entry["launches"]
    if launch["kernel"].startswith("linear")
    for argument in launch["arguments"]
    if "weight" in argument and argument["weight"].endswith("tile32")
}
linears = [kernel for kernel in decode["kernels"] if kernel["family"].startswith("linear")]
read = sum(kernel["bytes"] for kernel in linears)
assert read == sum(packed.values()), (read, packed)
for kernel in linears:
    assert kernel["operations"] > 0 and kernel["of_limit"] > 0, kernel
attention = [kernel for kernel in decode["kernels"] if kernel["family"] == "paged_attention"]
assert attention and all(kernel["bytes"] > 0 and kernel["operations"] > 0 for kernel in attention)

with open(trace_path, encoding="utf-8") as file:
    events = json.load(file)["traceEvents"]
steps = [event for event in events if event["cat"] == "step"]
pieces = [event for event in events if event["cat"] == "kernel"]
assert [step["args"]["tokens"] for step in steps] == [20, 2, 2, 2, 2, 2]
launched = {(piece["args"]["launch"]) for piece in pieces}
assert launched == set(range(len(entry["launches"])))
for piece in pieces:
    assert any(step["ts"] <= piece["ts"] and piece["ts"] + piece["dur"] <= step["ts"] + step["dur"] + 1e-3 for step in steps), piece
print("adds up")
