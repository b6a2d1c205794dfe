"""OpenVINO GenAI on the workload, with continuous batching and no prefix cache."""

import random
import time

import openvino_genai

import workload

# Each is about one token; prompts are counted by the pipeline itself.
WORDS = "river stone cloud seven green paper light march tower glass north".split()


def text(words, seed):
    return " ".join(random.Random(seed).choices(WORDS, k=words))


def settings(tokens):
    return openvino_genai.GenerationConfig(
        max_new_tokens=tokens,
        ignore_eos=True,
        do_sample=False,
        apply_chat_template=False,
    )


def load_pipeline(arguments):
    scheduler = openvino_genai.SchedulerConfig()
    scheduler.cache_size = 4  # GB
    scheduler.enable_prefix_caching = False
    scheduler.max_num_seqs = 256
    scheduler.max_num_batched_tokens = 4096
    return openvino_genai.LLMPipeline(
        arguments.model,
        "CPU",
        scheduler_config=scheduler,
        INFERENCE_NUM_THREADS=arguments.threads,
    )


def measure_single(pipeline):
    prefill = decode = 0.0
    for attempt in range(4):  # the first one warms up
        long = pipeline.generate([text(workload.PREFILL, attempt)], settings(2))
        metrics = long.perf_metrics
        rate = metrics.get_num_input_tokens() * 1000 / metrics.get_ttft().mean
        steps = settings(workload.DECODE_STEPS + 1)
        short = pipeline.generate([text(workload.DECODE_PROMPT, attempt)], steps)
        if attempt:
            prefill = max(prefill, rate)
            decode = max(decode, 1000 / short.perf_metrics.get_tpot().mean)
    return prefill, decode


def measure_batch(pipeline, sequences):
    prompts = [text(workload.BATCH_PROMPT, 100 + s) for s in range(sequences)]
    best = float("inf")
    for _ in range(2):
        start = time.perf_counter()
        pipeline.generate(prompts, settings(workload.BATCH_TOKENS))
        best = min(best, time.perf_counter() - start)
    return sequences * workload.BATCH_TOKENS / best


def main():
    arguments = workload.parse_side(__doc__)
    start = time.perf_counter()
    pipeline = load_pipeline(arguments)
    load = time.perf_counter() - start
    prefill, decode = measure_single(pipeline)
    batch = {count: measure_batch(pipeline, count) for count in arguments.sequences}
    workload.print_figures(load, prefill, decode, batch)


main()
