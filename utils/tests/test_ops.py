from planted import PlantedTest

import check_ops

TD = "include/pagoda/Dialect/LLM/LLMOps.td"
ERRORS = "test/Dialect/LLM/ops-errors.mlir"
OP = """
def LLM_CutOp : LLM_WeightOp<"weight.cut", [Pure]> {
  let summary = "A cut";
  let description = [{
    Constraints:
    - C1: a.
    - %s: b.

    Example:

    ```mlir
    %%x = llm.weight.cut %%y
    ```
  }];
}
def LLM_LayoutAttr : LLM_Attr<"Layout", "layout"> {
  let description = [{ }];
}
def LLM_Style : LLM_Enum<"Style", "not looked at", []>;
"""


class OpsTest(PlantedTest):
    def test_what_is_documented_is_tested(self):
        tree = self.plant({
            TD: OP % "C2",
            ERRORS: "// weight.cut, C1: both ends\n\n// weight.cut, C3\n",
        })  # fmt: skip
        self.assertEqual(
            check_ops.check(tree),
            [
                f"{TD}:16: llm.layout has no example",
                f"{TD}:16: llm.layout has no summary",
                f"{TD}:2: no case of test/Dialect is marked '// weight.cut, C2'",
                f"{ERRORS}:3: there is no C3 of llm.weight.cut",
            ],
        )

    def test_numbers_follow_each_other(self):
        tree = self.plant({TD: OP % "C3"})
        self.assertIn(
            f"{TD}:2: constraints of llm.weight.cut are not C1, C2, …",
            check_ops.check(tree),
        )
