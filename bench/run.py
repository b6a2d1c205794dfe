#!/usr/bin/env python3
"""Compares Pagoda with its peers on one model and this machine.

All sides run on the same file, threads and cores, one after the other in each
round, so that what else the machine does hits all of them. The best round
counts; beside it, in brackets, stands the worst. See docs/benchmarks.md.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import report
import sides
import startup

ROOT = pathlib.Path(__file__).resolve().parent.parent


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="a .gguf (default: SmolLM2-135M, 4 bits)")
    parser.add_argument(
        "--random-1b", action="store_true", help="a random model of 1.2B instead"
    )
    parser.add_argument("--pagoda", default=ROOT / "build/bin/pagoda", type=pathlib.Path)
    parser.add_argument(
        "--peers", default="llama.cpp,openvino", help="or none (default: both)"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--sequences", type=int, nargs="+", default=[1, 16, 32])
    parser.add_argument("--no-startup", action="store_true")
    parser.add_argument("--out", default=ROOT / "build/bench", type=pathlib.Path)
    return parser.parse_args()


def find_model(arguments):
    if arguments.model:
        return arguments.model
    fetched = subprocess.run(
        [ROOT / "scripts/fetch-model"], check=True, capture_output=True, text=True
    )
    small = fetched.stdout.strip()
    if not arguments.random_1b:
        return small
    path = arguments.out / "random-1b.gguf"
    if not path.exists():
        # The peers' environment has the packages that it needs.
        maker = ROOT / "test/long/random_llama_gguf.py"
        subprocess.run([sides.set_up_peers(), maker, small, path], check=True)
    return str(path)


def run_rounds(arguments, model, artifact):
    """{side: [figures of each round]}, and why a side is missing."""
    chosen = [] if arguments.peers == "none" else arguments.peers.split(",")
    python = sides.set_up_peers() if chosen else None
    rounds, failures = {side: [] for side in ["pagoda", *chosen]}, {}
    for number in range(arguments.rounds):
        for side in rounds:
            if side in failures:
                continue
            print(f"round {number + 1} of {arguments.rounds}: {side}", file=sys.stderr)
            try:
                if side == "pagoda":
                    figures = sides.run_pagoda(
                        arguments.pagoda, artifact, arguments.threads, arguments.sequences
                    )
                else:
                    figures = sides.run_peer(
                        side, python, model, arguments.threads, arguments.sequences
                    )
                rounds[side].append(figures)
            except sides.SideFailed as failure:
                failures[side] = str(failure)
    return rounds, failures


def main():
    arguments = parse()
    arguments.out.mkdir(parents=True, exist_ok=True)
    model = find_model(arguments)
    with tempfile.TemporaryDirectory(dir=arguments.out) as folder:
        artifact = f"{folder}/model.pgd"
        subprocess.run(
            [arguments.pagoda, "compile", model, "-o", artifact],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        rounds, failures = run_rounds(arguments, model, artifact)
        if "pagoda" in failures:
            sys.exit(f"bench: pagoda failed: {failures['pagoda']}")
        profile = sides.profile_pagoda(arguments.pagoda, artifact, arguments.threads)
        started = None
        if not arguments.no_startup:
            started = startup.measure(arguments.pagoda, model, artifact, arguments.threads)
    summaries = {side: report.summarise(list_) for side, list_ in rounds.items() if list_}
    ratios = report.compare(summaries)
    shares = report.shares_of_limits(profile, summaries)
    rows = report.table(summaries, ratios, shares)
    cores = ",".join(str(core) for core in sorted(os.sched_getaffinity(0)))
    title = (
        f"{pathlib.Path(model).name} on {profile['cpu']}, {arguments.threads} threads "
        f"on cores {cores}, best of {arguments.rounds} rounds"
    )
    limits = profile["limits"]
    print(f"{title}\n{report.as_text(rows)}")
    print(
        f"limits: reads {limits['read_gb_s']:.1f} GB/s over "
        f"{limits['read_bytes'] / 1e6:.0f} MB, int8 {limits['int8_gop_s']:.0f} Gop/s"
    )
    for side, why in failures.items():
        print(f"{side} failed: {why}")
    if started:
        print(startup.as_text(started))
    everything = {
        "title": title,
        "rounds": rounds,
        "failures": failures,
        "ratios": ratios,
        "shares_of_limits": shares,
        "limits": limits,
        "startup": started,
    }
    (arguments.out / "bench.json").write_text(json.dumps(everything, indent=2) + "\n")
    (arguments.out / "bench.svg").write_text(report.as_svg(title, summaries))
    (arguments.out / "bench.md").write_text(
        f"{title}\n\n{report.as_markdown(rows)}\n"
    )
    print(f"written: {arguments.out}/bench.json, bench.svg, bench.md")


main()
