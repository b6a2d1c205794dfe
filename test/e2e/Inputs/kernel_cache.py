"""Compiles one model many times with one kernel cache: at once, killed on the
way, after damage to the cache, without a cache that can be written.

    kernel_cache.py PAGODA MODEL FOLDER

Every compile that is allowed to end has to give the same bytes.
"""

import pathlib
import random
import subprocess
import sys
import time

pagoda, model, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
cache = folder / "kernels"


def start(output, kernels=cache):
    command = [pagoda, "compile", model, "-o", output, "--target", "x86-64-v3",
               "--kernel-cache", kernels]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def finish(process, output, expected):
    error = process.communicate()[1]
    if process.returncode:
        sys.exit(f"a compile failed: {error}")
    found = output.read_bytes()
    if expected is not None and found != expected:
        sys.exit(f"{output} has other bytes")
    return found


def names(where):
    return sorted(path.name for path in where.iterdir())


folder.mkdir(parents=True)
expected = None
outputs = [folder / f"at-once-{i}.pgd" for i in range(4)]
for process, output in [(start(output), output) for output in outputs]:
    expected = finish(process, output, expected)

images = [path for path in cache.iterdir() if path.suffix == ".image"]
if not images or {path.suffix for path in cache.iterdir()} != {".image", ".lock"}:
    sys.exit(f"the cache holds {names(cache)}")
for damage in (b"", b"\0" * 7, images[0].read_bytes()[:-1],
               bytes(100) + images[0].read_bytes()[100:]):
    images[0].write_bytes(damage)
    output = folder / "after-damage.pgd"
    finish(start(output), output, expected)

# Killed at any time, by fate's choice: what is left must not harm anybody.
fate = random.Random(5)
for attempt in range(4):
    for path in cache.iterdir():
        path.unlink()
    killed = folder / "killed.pgd"
    process = start(killed)
    time.sleep(fate.uniform(0.005, 0.6))
    process.kill()
    process.communicate()
    if killed.exists() and killed.read_bytes() != expected:
        sys.exit("a killed compile left an incomplete artifact")
    killed.unlink(missing_ok=True)
    output = folder / "after-kill.pgd"
    finish(start(output), output, expected)
if left := [name for name in names(folder) + names(cache) if "part" in name]:
    sys.exit(f"killed compiles left {left}")

# A file stands where the cache should be.
output = folder / "no-cache.pgd"
blocked = folder / "blocked"
blocked.write_text("")
finish(start(output, blocked / "kernels"), output, expected)
