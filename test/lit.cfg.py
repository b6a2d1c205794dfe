"""The lit tests of Pagoda: IR in, IR or numbers out.

Tests say what they need with REQUIRES:
  avx512-vnni, x86-64-v3   kernels of this target run here
  shared                   the reference data of ../shared is there

With PAGODA_ROUNDTRIP=1 in the environment every run of pagoda-opt also checks
that what it read prints and parses back to the same, as text and as bytecode.
"""

import os
import pathlib

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

config.name = "Pagoda"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["CMakeLists.txt", "Inputs", "fuzz", "long", "unit"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.pagoda_binary_dir, "test")


def cpu_flags():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return set()
    return next((set(l.split()) for l in lines if l.startswith("flags")), set())


# As lib/Runtime/Device/CpuFeatures.cpp has it.
flags = cpu_flags()
v3 = {"avx2", "fma", "bmi1", "bmi2"}
if v3 <= flags:
    config.available_features.add("x86-64-v3")
    avx512 = {"avx512" + part for part in ("f", "bw", "cd", "dq", "vl", "_vnni")}
    if avx512 <= flags:
        config.available_features.add("avx512-vnni")



def shared_folder():
    """Where test/unit/SharedFiles.h looks, too."""
    folder = os.path.join(config.pagoda_source_dir, "..", "shared")
    return os.path.normpath(os.environ.get("PAGODA_SHARED", folder))


if os.path.isdir(shared_folder()):
    config.available_features.add("shared")

# The real model of scripts/fetch-model.
smollm2 = os.environ.get("PAGODA_SMOLLM2_GGUF", "")
if smollm2:
    config.available_features.add("smollm2")

# Kernels are kept between runs by their content; nothing of the user's is read
# or written.
config.environment["XDG_CACHE_HOME"] = os.path.join(config.test_exec_root, "cache")
llvm_config.with_system_environment(["PAGODA_CLANG", "PAGODA_LLD", "TMPDIR"])

config.substitutions += [
    ("%shared", shared_folder()),
    ("%examples", os.path.join(config.pagoda_source_dir, "examples")),
    ("%source", config.pagoda_source_dir),
    ("%smollm2", smollm2),
]

llvm_config.use_default_substitutions()
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
roundtrip = os.environ.get("PAGODA_ROUNDTRIP", "0") not in ("", "0")
llvm_config.add_tool_substitutions(
    [
        ToolSubst("pagoda", unresolved="fatal"),
        ToolSubst(
            "pagoda-opt",
            extra_args=["--verify-roundtrip"] if roundtrip else [],
            unresolved="fatal",
        ),
        ToolSubst("pagoda-lsp-server", unresolved="ignore"),
    ],
    [config.pagoda_tools_dir, config.llvm_tools_dir],
)
