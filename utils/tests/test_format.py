import unittest

from planted import PlantedTest

import check_format


class FormatTest(PlantedTest):
    @unittest.skipUnless(check_format.find_tool(), "needs clang-format 22")
    def test_each_file_is_named_once(self):
        tree = self.plant({
            ".clang-format": "BasedOnStyle: LLVM\n",
            "lib/Good.cpp": "int a;\n",
            "lib/Bad.cpp": "int  a;\nint   b;\n",
            "lib/Odd.h": "int a;\nint  b;\n",
            "docs/not_ours.cpp": "int  a;\n",
            **{f"test/T{i}.cpp": "int  a;\n" for i in range(40)},
        })  # fmt: skip
        findings = check_format.check(tree)
        self.assertEqual(len(findings), 42)
        self.assertEqual(
            findings[:2],
            [
                "lib/Bad.cpp:1: not formatted (clang-format-22 -i lib/Bad.cpp)",
                "lib/Odd.h:2: not formatted (clang-format-22 -i lib/Odd.h)",
            ],
        )

    def test_nothing_to_do(self):
        self.assertEqual(check_format.check(self.plant({"docs/a.md": "a\n"})), [])
