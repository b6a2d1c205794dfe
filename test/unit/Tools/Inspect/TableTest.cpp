#include "Inspect/Table.h"

#include <gtest/gtest.h>

using namespace pagoda;

namespace {

TEST(Table, AlignsColumns) {
  Table table({{"name"}, {"bytes", Table::Right}});
  table.add({"a", "5"});
  table.add({"löng", "1 000"});
  EXPECT_EQ(table.text(), "name  bytes\n"
                          "a         5\n"
                          "löng  1 000\n");
}

TEST(Table, NothingFromAFileControlsTheTerminal) {
  EXPECT_EQ(printable("a\x1b[2J\r\n\x7f"), "a\\x1b[2J\\x0d\\x0a\\x7f");
  EXPECT_EQ(printable("a\nb\x08", true), "a\nb\\x08");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m ü"),
            "\\x9b31m ü");
  Table table({{"x"}});
  table.add({"\x1b]0;title\x07"});
  EXPECT_EQ(table.text(), "x\n\\x1b]0;title\\x07\n");
}

TEST(Table, FormatsNumbers) {
  EXPECT_EQ(formatBytes(999), "999 B");
  EXPECT_EQ(formatBytes(103098680), "103.1 MB");
  EXPECT_EQ(formatBytes(999'950), "1.0 MB");
  EXPECT_EQ(formatBytes(~uint64_t{0}), "18.4 EB");
  EXPECT_EQ(formatCount(0), "0");
  EXPECT_EQ(formatCount(1234567), "1 234 567");
  EXPECT_EQ(formatShare(0.3141), "31.4 %");
}

} // namespace
