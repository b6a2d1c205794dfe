from planted import PlantedTest

import check_names

PASSES = "include/pagoda/Transforms/Passes.td"


class NamesTest(PlantedTest):
    def test_buckets(self):
        tree = self.plant({
            "lib/Files/StringUtils.cpp": "",
            "lib/Common/A.cpp": "",
            "include/pagoda/Base/Misc.h": "",
            "lib/Transforms/CommonSubexpressions.cpp": "",
            "lib/Base/Utilisation.cpp": "",
            "utils/check.py": "",
        })  # fmt: skip
        self.assertEqual(
            check_names.check(tree),
            [
                "include/pagoda/Base/Misc.h: 'misc' says nothing; name it after its "
                "concern",
                "lib/Common/A.cpp: 'common' says nothing; name it after its concern",
                "lib/Files/StringUtils.cpp: 'utils' says nothing; name it after its "
                "concern",
            ],
        )

    def test_a_pass_has_one_name(self):
        tree = self.plant({
            PASSES: 'def FuseLinearPass : Pass<"pagoda-fuse-linear", "ModuleOp"> {\n}\n'
            'class Pagoda_Pass<string flag> : Pass<"pagoda-" # flag> {}\n'
            'def PlanMemoryPass\n    : Pagoda_Pass<"plan-memory", "exact"> {\n}\n',
            "lib/Transforms/FuseLinear.cpp": "",
            "test/Transforms/fuse-linear.mlir": "",
            "test/Transforms/fuse-linear-errors.mlir": "",
            "lib/Transforms/PlanMemory.cpp": "",
            "test/Transforms/plan-memory.mlir": "",
            "test/Transforms/plan-memory-errors.mlir": "",
        })  # fmt: skip
        self.assertEqual(check_names.check(tree), [])

    def test_missing_parts_of_a_pass_are_named(self):
        tree = self.plant({
            PASSES: 'def Fuse : Pass<"pagoda-fuse"> {}\n'
            'def OddPass : Pass<"odd", "ModuleOp"> {}\n',
        })  # fmt: skip
        self.assertEqual(
            check_names.check(tree),
            [
                f"{PASSES}: 'pagoda-fuse' is defined as Fuse, not as FusePass",
                f"{PASSES}: 'pagoda-fuse' has no lib/Transforms/Fuse.cpp",
                f"{PASSES}: 'pagoda-fuse' has no test/Transforms/fuse.mlir",
                f"{PASSES}: 'pagoda-fuse' has no test/Transforms/fuse-errors.mlir",
                f"{PASSES}: pass flag 'odd' is not of the form 'pagoda-x-y'",
            ],
        )

    def test_unit_tests_mirror_the_library(self):
        tree = self.plant({
            "lib/Files/Gguf.cpp": "",
            "include/pagoda/Base/Float16.h": "",
            "lib/Runtime/Cache/BlockPool.cpp": "",
            "test/unit/Files/GgufTest.cpp": "",
            "test/unit/Files/GgufMutationTest.cpp": "",
            "test/unit/Files/OtherTest.cpp": "",
            "test/unit/Base/Float16Test.cpp": "",
            "test/unit/Base/GgufTest.cpp": "",
            "test/unit/Runtime/Cache/BlockPoolTest.cpp": "",
            "test/unit/Files/AllocationMeter.cpp": "",
        })  # fmt: skip
        self.assertEqual(
            check_names.check(tree),
            [
                "test/unit/Base/GgufTest.cpp: there is no Gguf in lib/Base or "
                "include/pagoda/Base",
                "test/unit/Files/OtherTest.cpp: there is no Other in lib/Files or "
                "include/pagoda/Files",
            ],
        )
