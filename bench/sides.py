"""The sides of a comparison: how each is set up, and run once."""

import hashlib
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
PEERS = {"llama.cpp": "llama_cpp_side.py", "openvino": "openvino_side.py"}

# Switches of ggml's build by the names that /proc/cpuinfo has. Its AMX code is
# left out: at this version a prompt with Q4_1 weights crashes in it.
GGML_SWITCHES = {
    "avx": "AVX",
    "avx2": "AVX2",
    "fma": "FMA",
    "f16c": "F16C",
    "bmi2": "BMI2",
    "avx512f": "AVX512",
    "avx512_vbmi": "AVX512_VBMI",
    "avx512_vnni": "AVX512_VNNI",
    "avx512_bf16": "AVX512_BF16",
}


class SideFailed(Exception):
    """A side that did not come to an end; the last line of what it said."""


def ggml_arguments(flags):
    """CMake's arguments for a ggml that uses what this CPU has."""
    switches = [f"-DGGML_{name}=ON" for flag, name in GGML_SWITCHES.items() if flag in flags]
    return " ".join(["-DGGML_NATIVE=OFF", *switches])


def cpu_flags(cpuinfo):
    lines = [line for line in cpuinfo.splitlines() if line.startswith("flags")]
    return set(lines[0].split(":")[1].split()) if lines else set()


def peers_folder():
    if "PAGODA_BENCH_PEERS" in os.environ:
        return pathlib.Path(os.environ["PAGODA_BENCH_PEERS"])
    cache = os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))
    return pathlib.Path(cache) / "pagoda" / "peers"


def set_up_peers():
    """A virtual environment with the peers, made again when their versions
    change; returns its Python. Compiling llama.cpp takes some minutes."""
    folder = peers_folder()
    requirements = (HERE / "requirements.txt").read_bytes()
    stamp, mark = folder / "stamp", hashlib.sha256(requirements).hexdigest()
    python = folder / "bin" / "python"
    if python.exists() and stamp.exists() and stamp.read_text() == mark:
        return python
    print("setting up the peers, once; this takes some minutes", file=sys.stderr)
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
    flags = cpu_flags(pathlib.Path("/proc/cpuinfo").read_text())
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "-r", HERE / "requirements.txt"],
        check=True,
        env={**os.environ, "CMAKE_ARGS": ggml_arguments(flags)},
    )
    stamp.write_text(mark)
    return python


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "it said nothing"


def run(command, timeout=900):
    """Runs a program that prints one JSON object, and returns that."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        raise SideFailed(f"no end after {timeout} s") from None
    if done.returncode < 0:
        raise SideFailed(f"ended by signal {-done.returncode}: {last_line(done.stderr)}")
    if done.returncode:
        raise SideFailed(last_line(done.stderr))
    return json.loads(last_line(done.stdout))


def run_peer(name, python, model, threads, sequences):
    counts = [str(count) for count in sequences]
    return run(
        [python, HERE / PEERS[name], model, "--threads", str(threads), "--sequences", *counts]
    )


def run_pagoda(pagoda, artifact, threads, sequences):
    counts = ",".join(str(count) for count in sequences)
    return run(
        [pagoda, "bench", artifact, "--json", "--threads", str(threads), "--seqs", counts]
    )


def profile_pagoda(pagoda, artifact, threads):
    done = subprocess.run(
        [pagoda, "profile", artifact, "--json", "--threads", str(threads)],
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout)
