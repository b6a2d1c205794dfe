from planted import PlantedTest

import check_layers


class LayersTest(PlantedTest):
    def findings(self, path, *names):
        """What is said about a file that includes `names`."""
        lines = [n if n.startswith("<") else f'"{n}"' for n in names]
        text = "".join(f"#include {line}\n" for line in lines)
        return check_layers.check(self.plant({path: text}))

    def allowed(self, path, *names):
        self.assertEqual(self.findings(path, *names), [])

    def refused(self, path, name, reason):
        self.assertEqual(self.findings(path, name), [f"{path}:1: {reason}"])

    def test_the_wall_between_runtime_and_compiler(self):
        self.refused(
            "lib/Runtime/Engine/Engine.cpp",
            "mlir/IR/Builders.h",
            "Runtime/Engine must not include 'mlir/IR/Builders.h'",
        )
        self.refused(
            "include/pagoda/Base/Status.h",
            "<llvm/ADT/StringRef.h>",
            "Base must not include 'llvm/ADT/StringRef.h'",
        )
        self.refused(
            "lib/Runtime/Engine/Engine.cpp",
            "pagoda/Codegen/Printer.h",
            "Runtime/Engine must not see Codegen ('pagoda/Codegen/Printer.h')",
        )
        self.allowed("lib/Transforms/Fuse.cpp", "mlir/IR/Builders.h")
        self.allowed("lib/Tools/Compile.cpp", "mlir/IR/X.h", "pagoda/Base/Status.h")

    def test_rooms_of_the_runtime(self):
        self.refused(
            "lib/Runtime/Cache/BlockPool.cpp",
            "pagoda/Runtime/Device/Device.h",
            "Runtime/Cache must not see Runtime/Device "
            "('pagoda/Runtime/Device/Device.h')",
        )
        self.refused(
            "lib/Runtime/Engine/Engine.cpp",
            "pagoda/Runtime/Tokenizer/Tokenizer.h",
            "Runtime/Engine must not see Runtime/Tokenizer "
            "('pagoda/Runtime/Tokenizer/Tokenizer.h')",
        )
        self.allowed(
            "lib/Runtime/Engine/Engine.cpp",
            "pagoda/Runtime/Engine/Engine.h",
            "pagoda/Runtime/Device/Device.h",
            "pagoda/Runtime/Step/StepRunner.h",
            "pagoda/Base/Status.h",
            "<vector>",
        )
        self.allowed(
            "lib/Runtime/Chat/Template.cpp", "pagoda/Runtime/Tokenizer/Tokenizer.h"
        )

    def test_dialects_do_not_meet(self):
        self.refused(
            "include/pagoda/Dialect/LLM/LLMOps.h",
            "pagoda/Dialect/Exec/ExecOps.h",
            "Dialect/LLM must not see Dialect/Exec ('pagoda/Dialect/Exec/ExecOps.h')",
        )
        self.refused(
            "lib/Dialect/LLM/LLMOps.cpp",
            "pagoda/Transforms/Passes.h",
            "Dialect/LLM must not see Transforms ('pagoda/Transforms/Passes.h')",
        )
        self.allowed(
            "lib/Transforms/LowerToExec.cpp",
            "pagoda/Dialect/LLM/LLMOps.h",
            "pagoda/Dialect/Exec/ExecOps.h.inc",
        )

    def test_reference_ops_see_base_only(self):
        self.refused(
            "lib/Reference/Ops/Norm.cpp",
            "pagoda/Weights/BlockCodec.h",
            "Reference/Ops must not see Weights ('pagoda/Weights/BlockCodec.h')",
        )

    def test_paths_are_followed(self):
        self.allowed("lib/Files/Gguf.cpp", "ByteReader.h")
        self.refused(
            "lib/Files/Gguf.cpp",
            "../Weights/BlockLayout.h",
            "Files must not see Weights ('../Weights/BlockLayout.h')",
        )
        self.refused(
            "lib/Files/Gguf.cpp",
            "../../test/unit/SharedFiles.h",
            "Files must not include '../../test/unit/SharedFiles.h'",
        )
        self.refused(
            "include/pagoda/Files/Gguf.h",
            "../../../lib/Files/ByteReader.h",
            "a public header includes '../../../lib/Files/ByteReader.h' of lib/",
        )

    def test_unknown_rooms_are_named(self):
        table = "is not in the table of utils/check_layers.py"
        self.assertEqual(
            self.findings("lib/Stuff/A.cpp"), [f"lib/Stuff/A.cpp: room 'Stuff' {table}"]
        )
        self.assertEqual(
            self.findings("lib/A.cpp"), [f"lib/A.cpp: a file outside of all rooms {table}"]
        )

    def test_kernels_stand_alone(self):
        path = "kernels/templates/norm/rms_norm.h"
        reason = "kernel templates include each other only, not "
        self.refused(path, "<immintrin.h>", reason + "'immintrin.h'")
        self.refused(path, "pagoda/Base/DType.h", reason + "'pagoda/Base/DType.h'")
        self.allowed(path, "../core/vector.h")

    def test_the_table_names_rooms(self):
        for room, seen in check_layers.ROOMS.items():
            for other in seen or []:
                known = [r for r in check_layers.ROOMS if check_layers.is_in(r, [other])]
                self.assertTrue(known, f"{room} sees {other}, which is no room")
