"""How a model gets ready: compiling, the first token, memory, two threads
against one, and company on a core."""

import json
import multiprocessing
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import sides

PROMPT = ",".join(str(100 + 7 * i) for i in range(16))


def seconds_of(command):
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def compile_times(pagoda, model):
    """Seconds with an empty kernel cache, and with a full one."""
    with tempfile.TemporaryDirectory() as folder:
        command = [pagoda, "compile", model, "-o", f"{folder}/m.pgd"]
        command += ["--kernel-cache", f"{folder}/kernels"]
        cold = []
        for _ in range(3):
            shutil.rmtree(f"{folder}/kernels", ignore_errors=True)
            cold.append(seconds_of(command))
        return min(cold), min(seconds_of(command) for _ in range(3))


def first_token(pagoda, artifact):
    """Seconds from the start of a process to its end after one token."""
    command = [pagoda, "run", artifact, "--ids", PROMPT, "-n", "1"]
    return min(seconds_of(command) for _ in range(5))


def resident(pagoda, artifact):
    """Most RssAnon and VmRSS of a run of some hundred tokens, in bytes."""
    command = [pagoda, "run", artifact, "--ids", PROMPT, "-n", "300", "--ignore-eos"]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    most = {"RssAnon": 0, "VmRSS": 0}
    while running.poll() is None:
        try:
            status = pathlib.Path(f"/proc/{running.pid}/status").read_text()
        except OSError:
            break
        for line in status.splitlines():
            name, _, value = line.partition(":")
            if name in most:
                most[name] = max(most[name], int(value.split()[0]) * 1024)
        time.sleep(0.005)
    running.wait()
    return most


def spin(core):
    os.sched_setaffinity(0, {core})
    while True:
        pass


def beside_company(pagoda, artifact, threads):
    """Decode beside a process that takes all that it gets of one core."""
    core = max(os.sched_getaffinity(0))
    company = multiprocessing.Process(target=spin, args=(core,), daemon=True)
    company.start()
    try:
        return sides.run_pagoda(pagoda, artifact, threads, [1])["decode_tok_s"]
    finally:
        company.terminate()
        company.join()


def measure(pagoda, model, artifact, threads):
    cold, warm = compile_times(pagoda, model)
    memory = resident(pagoda, artifact)
    alone = sides.run_pagoda(pagoda, artifact, threads, [1])
    single = sides.run_pagoda(pagoda, artifact, 1, [1])
    company = beside_company(pagoda, artifact, threads)
    return {
        "compile_cold_s": cold,
        "compile_warm_s": warm,
        "load_ms": alone["load_s"] * 1e3,
        "first_token_ms": first_token(pagoda, artifact) * 1e3,
        "artifact_mb": os.path.getsize(artifact) / 1e6,
        "rss_anon_mb": memory["RssAnon"] / 1e6,
        "rss_mb": memory["VmRSS"] / 1e6,
        "prefill_of_one_thread": alone["prefill_tok_s"] / single["prefill_tok_s"],
        "decode_of_one_thread": alone["decode_tok_s"] / single["decode_tok_s"],
        "decode_beside_company": company / alone["decode_tok_s"],
    }


def as_text(figures):
    return "\n".join(f"{name.replace('_', ' '):24} {value:9.2f}" for name, value in figures.items())


if __name__ == "__main__":
    import sys

    print(json.dumps(measure(*sys.argv[1:4], int(sys.argv[4]))))
