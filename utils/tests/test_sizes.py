import subprocess

from planted import PlantedTest, Tree

import check_sizes


def lines(count):
    return "line\n" * count


class SizesTest(PlantedTest):
    def test_caps(self):
        tree = self.plant({
            "lib/A.cpp": lines(601),
            "lib/B.cpp": lines(600),
            "include/A.h": lines(301),
            "include/Ops.td": lines(501),
            "test/Dialect/ops.mlir": lines(401),
            "tools/pagoda/main.cpp": lines(41),
            "docs/long.md": lines(5000),
        })  # fmt: skip
        self.assertEqual(
            check_sizes.check(tree),
            [
                "include/A.h: 301 lines, the cap is 300; split it",
                "include/Ops.td: 501 lines, the cap is 500; split it",
                "lib/A.cpp: 601 lines, the cap is 600; split it",
                "test/Dialect/ops.mlir: 401 lines, the cap is 400; split it",
                "tools/pagoda/main.cpp: 41 lines, the cap is 40; split it",
            ],
        )

    def test_allow_list_is_exact(self):
        tree = self.plant({
            "lib/Same.cpp": lines(700),
            "lib/More.cpp": lines(701),
            "lib/Less.cpp": lines(699),
            "lib/Short.cpp": lines(600),
            check_sizes.ALLOW: "# comment\nlib/Same.cpp 700\nlib/More.cpp 700\n"
            "lib/Less.cpp 700\nlib/Short.cpp 700\nlib/Gone.cpp 700\n",
        })  # fmt: skip
        allow = check_sizes.ALLOW
        self.assertEqual(
            check_sizes.check(tree),
            [
                f"{allow}: lib/Less.cpp has 699 lines now; lower its number",
                f"lib/More.cpp: 701 lines, {allow} has 700; split it",
                f"{allow}: lib/Short.cpp keeps its cap now; take it off the list",
                f"{allow}: lib/Gone.cpp does not exist; take it off the list",
            ],
        )

    def test_allow_list_only_shrinks(self):
        self.plant({"lib/A.cpp": lines(700), check_sizes.ALLOW: "lib/A.cpp 700\n"})
        git = ["git", "-C", self.root, "-c", "user.name=x", "-c", "user.email=x@x"]
        subprocess.run(["git", "init", "-q", "-b", "main", self.root], check=True)
        for message in ("one", "two"):
            subprocess.run([*git, "add", "-A"], check=True)
            subprocess.run(
                [*git, "commit", "-q", "--allow-empty", "-m", message], check=True
            )
        self.assertEqual(check_sizes.check(Tree(self.root)), [])
        self.plant({
            "lib/A.cpp": lines(800),
            "lib/B.cpp": lines(900),
            check_sizes.ALLOW: "lib/A.cpp 800\nlib/B.cpp 900\n",
        })  # fmt: skip
        allow = check_sizes.ALLOW
        self.assertEqual(
            check_sizes.check(Tree(self.root)),
            [
                f"{allow}: lib/A.cpp grew from 700 to 800; split the file",
                f"{allow}: lib/B.cpp is new; split the file instead",
            ],
        )
