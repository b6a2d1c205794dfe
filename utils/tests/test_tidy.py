import unittest

import tidy_changed

DIFF = """\
--- a/lib/Base/Old.cpp
+++ /dev/null
@@ -1,2 +0,0 @@
--- a/lib/Base/A.cpp
+++ b/lib/Base/A.cpp
@@ -3 +3,2 @@ context
@@ -9,2 +11,0 @@
@@ -20 +20 @@
"""


class TidyTest(unittest.TestCase):
    def test_changed_lines(self):
        self.assertEqual(
            tidy_changed.changed_lines(DIFF),
            {"lib/Base/A.cpp": [[3, 4], [20, 20]]},
        )

    def test_headers_are_looked_at_through_their_files(self):
        compiled = {"lib/Base/A.cpp", "lib/Base/B.cpp", "lib/Base/C.cpp"}
        self.assertEqual(
            tidy_changed.files_to_run(
                ["include/pagoda/Base/A.h", "lib/Base/B.h", "lib/Base/D.cpp"], compiled
            ),
            ["lib/Base/A.cpp", "lib/Base/B.cpp"],
        )
