"""llama.cpp on the workload, through the C functions that its package exports."""

import ctypes
import time

import llama_cpp
import numpy

import workload


class Model:
    def __init__(self, path, threads):
        parameters = llama_cpp.llama_model_default_params()
        self.model = llama_cpp.llama_model_load_from_file(path.encode(), parameters)
        self.threads = threads
        vocabulary = llama_cpp.llama_model_get_vocab(self.model)
        self.vocabulary = llama_cpp.llama_vocab_n_tokens(vocabulary)

    def context(self, sequences, tokens):
        """Room for so many sequences of so many tokens, flash attention on."""
        parameters = llama_cpp.llama_context_default_params()
        parameters.n_ctx = sequences * (tokens + 16)
        parameters.n_batch = 2048
        parameters.n_ubatch = 512
        parameters.n_seq_max = sequences
        parameters.n_threads = parameters.n_threads_batch = self.threads
        if hasattr(parameters, "flash_attn_type"):
            parameters.flash_attn_type = 1
        return Context(self, llama_cpp.llama_init_from_model(self.model, parameters))

    def tokens(self, count, seed):
        """Random ids, away from the ends, where vocabularies keep control tokens."""
        generator = numpy.random.default_rng(seed)
        return generator.integers(100, self.vocabulary - 100, count).tolist()


class Context:
    def __init__(self, model, context):
        self.model, self.context = model, context
        self.batch = llama_cpp.llama_batch_init(2048, 0, 1)

    def clear(self):
        memory = llama_cpp.llama_get_memory(self.context)
        llama_cpp.llama_memory_clear(memory, True)

    def step(self, entries):
        """Decodes (token, position, sequence, wanted) entries; the greedy next
        token of each wanted one."""
        for index, (token, position, sequence, wanted) in enumerate(entries):
            self.batch.token[index] = token
            self.batch.pos[index] = position
            self.batch.n_seq_id[index] = 1
            self.batch.seq_id[index][0] = sequence
            self.batch.logits[index] = wanted
        self.batch.n_tokens = len(entries)
        if llama_cpp.llama_decode(self.context, self.batch) != 0:
            raise RuntimeError("llama_decode failed")
        return [
            self.greedy(index) for index, entry in enumerate(entries) if entry[3]
        ]

    def greedy(self, index):
        logits = llama_cpp.llama_get_logits_ith(self.context, index)
        shape = (self.model.vocabulary,)
        return int(numpy.argmax(numpy.ctypeslib.as_array(logits, shape)))

    def prompt(self, sequence, tokens):
        last = len(tokens) - 1
        return [(token, i, sequence, i == last) for i, token in enumerate(tokens)]

    def close(self):
        llama_cpp.llama_batch_free(self.batch)
        llama_cpp.llama_free(self.context)


def seconds_of(action):
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def measure_single(model):
    context = model.context(1, workload.PREFILL)
    prompt = context.prompt(0, model.tokens(workload.PREFILL, 1))
    short = context.prompt(0, model.tokens(workload.DECODE_PROMPT, 2))
    best_prefill = best_decode = float("inf")
    for _ in range(3):
        context.clear()
        best_prefill = min(best_prefill, seconds_of(lambda: context.step(prompt)))
        context.clear()
        token = context.step(short)[0]
        start = time.perf_counter()
        for i in range(workload.DECODE_STEPS):
            position = workload.DECODE_PROMPT + i
            token = context.step([(token, position, 0, True)])[0]
        best_decode = min(best_decode, time.perf_counter() - start)
    context.close()
    return workload.PREFILL / best_prefill, workload.DECODE_STEPS / best_decode


def run_batch(context, prompts):
    """Prompts in steps of up to 1024 tokens, then all sequences together."""
    context.clear()
    following = []
    for first in range(0, len(prompts), 8):
        entries = []
        for sequence in range(first, min(first + 8, len(prompts))):
            entries += context.prompt(sequence, prompts[sequence])
        following += context.step(entries)
    for i in range(workload.BATCH_TOKENS - 1):
        position = workload.BATCH_PROMPT + i
        following = context.step(
            [(token, position, s, True) for s, token in enumerate(following)]
        )


def measure_batch(model, sequences):
    tokens = workload.BATCH_PROMPT + workload.BATCH_TOKENS
    context = model.context(sequences, tokens)
    prompts = [
        model.tokens(workload.BATCH_PROMPT, 10 + s) for s in range(sequences)
    ]
    seconds = min(seconds_of(lambda: run_batch(context, prompts)) for _ in range(2))
    context.close()
    return sequences * workload.BATCH_TOKENS / seconds


def main():
    arguments = workload.parse_side(__doc__)
    silent = llama_cpp.llama_log_callback(lambda level, text, data: None)
    llama_cpp.llama_log_set(silent, ctypes.c_void_p(0))
    start = time.perf_counter()
    model = Model(arguments.model, arguments.threads)
    load = time.perf_counter() - start
    prefill, decode = measure_single(model)
    batch = {count: measure_batch(model, count) for count in arguments.sequences}
    workload.print_figures(load, prefill, decode, batch)


main()
