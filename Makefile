# The commands that people and CI type; each is a script that can be read.

.PHONY: demo test check format docs long bench

# A real model from its file to its words, from nothing.
demo:
	@scripts/demo

# Builds everything and runs all tests, also those of the runtime alone.
test:
	@scripts/test

# House rules, clang-tidy on changed lines, generated pages up to date.
check:
	@scripts/check

# Formats all C++ of the project.
format:
	@scripts/format

# Writes the generated pages under docs/ anew.
docs:
	@scripts/configure
	@cmake --build build --target docs

# Pagoda against its peers on this machine (docs/benchmarks.md).
bench:
	@scripts/bench

# What takes too long for every change: sanitizers, fuzzers, other libraries.
long:
	@scripts/long
