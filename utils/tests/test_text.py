from planted import PlantedTest

import check_text

GUARDED = "// What it is.\n#ifndef {0}\n#define {0}\n\n#endif // {0}\n"


class TextTest(PlantedTest):
    def test_lines(self):
        tree = self.plant({
            "lib/A.cpp": "int a;\n\tint b;\nint c; \nint d;\r\nint e;",
            "lib/B.cpp": "int a;\n\n",
            "lib/C.cpp": "",
            "Makefile": "all:\n\ttrue\n",
            "docs/picture.png": "\t \n ",
        })  # fmt: skip
        self.assertEqual(
            check_text.check(tree),
            [
                "lib/A.cpp: the last line has no newline",
                "lib/A.cpp:2: tab; indent with spaces",
                "lib/A.cpp:3: space at the end of the line",
                "lib/A.cpp:4: carriage return at the end of the line",
                "lib/B.cpp: empty lines at the end",
            ],
        )

    def test_guards(self):
        tree = self.plant({
            "include/pagoda/Base/A.h": GUARDED.format("PAGODA_BASE_A_H"),
            "include/pagoda-c/Runtime.h": GUARDED.format("PAGODA_C_RUNTIME_H").replace(
                "// PAGODA_C_RUNTIME_H", "/* PAGODA_C_RUNTIME_H */"
            ),
            "lib/Files/A.h": GUARDED.format("PAGODA_LIB_FILES_A_H"),
            "test/unit/A.h": GUARDED.format("PAGODA_TEST_UNIT_A_H"),
            "kernels/templates/norm/x.h": GUARDED.format("PAGODA_KERNELS_NORM_X_H"),
            "lib/Files/B.h": GUARDED.format("PAGODA_FILES_B_H"),
            "lib/Files/C.h": "#pragma once\n",
            "lib/Files/D.h": "#ifndef PAGODA_LIB_FILES_D_H\n"
            "#define PAGODA_LIB_FILES_D_H\n#endif\n",
        })  # fmt: skip
        self.assertEqual(
            check_text.check(tree),
            [
                "lib/Files/B.h: should start with the guard PAGODA_LIB_FILES_B_H",
                "lib/Files/C.h: should start with the guard PAGODA_LIB_FILES_C_H",
                "lib/Files/D.h: should end with '#endif // PAGODA_LIB_FILES_D_H'",
            ],
        )
