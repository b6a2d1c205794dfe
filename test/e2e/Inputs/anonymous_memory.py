"""Runs a command and checks how much memory it and its children took.

    anonymous_memory.py --largest ROWSxCOLUMNS -- COMMAND…
    anonymous_memory.py --most BYTES -- COMMAND…

Sums RssAnon of the process tree every few milliseconds. Fails if the highest
sum is more than BYTES, or than 4 times the largest tensor in float32 plus 500
MB.
"""

import argparse
import pathlib
import subprocess
import sys
import time


def tree(process):
    found = [process]
    for task in pathlib.Path(f"/proc/{process}/task").glob("*/children"):
        for child in task.read_text().split():
            found += tree(int(child))
    return found


def anonymous(process):
    """Bytes of RssAnon; 0 if the process has gone."""
    try:
        status = pathlib.Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    lines = [l for l in status.splitlines() if l.startswith("RssAnon")]
    return int(lines[0].split()[1]) * 1024 if lines else 0


def total(process):
    try:
        return sum(map(anonymous, tree(process)))
    except OSError:  # one of them ended meanwhile
        return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--largest")
    parser.add_argument("--most", type=int)
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    bound = arguments.most
    if arguments.largest:
        rows, columns = map(int, arguments.largest.split("x"))
        bound = 4 * rows * columns * 4 + 500 * 1000 * 1000

    running = subprocess.Popen(arguments.command)
    highest = samples = 0
    while running.poll() is None:
        highest = max(highest, total(running.pid))
        samples += 1
        time.sleep(0.005)
    print(f"{highest / 1e6:.0f} MB of {bound / 1e6:.0f} MB, {samples} samples")
    if running.returncode:
        sys.exit(f"the command failed with {running.returncode}")
    if samples < 20:
        sys.exit("too few samples to say anything")
    if highest > bound:
        sys.exit("more memory than is allowed")


main()
