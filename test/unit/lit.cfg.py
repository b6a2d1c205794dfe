"""The GoogleTest binaries, each cut into shards. Every test counts by itself,
also those that skip themselves for want of something."""

import os

import lit.formats

config.name = "Pagoda-unit"
config.suffixes = []
config.test_source_root = config.test_exec_root = config.pagoda_gtest_dir
config.test_format = lit.formats.GoogleTest(".", "Tests")
for name in (
    "HOME",
    "PAGODA_CLANG",
    "PAGODA_LLD",
    "PAGODA_SHARED",
    "PAGODA_SMOLLM2_GGUF",
    "TMPDIR",
):
    if name in os.environ:
        config.environment[name] = os.environ[name]
# As in test/lit.cfg.py: compiled kernels are kept by their content.
config.environment["XDG_CACHE_HOME"] = os.path.join(
    config.pagoda_binary_dir, "test", "cache"
)
