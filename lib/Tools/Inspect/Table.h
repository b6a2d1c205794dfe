//===- Table.h - Columns of text for a terminal -----------------*- C++ -*-===//
//
//   Table table({{"name"}, {"bytes", Table::Right}});
//   table.add({"embedding", "2304"});
//   std::cout << table.text();
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_TOOLS_INSPECT_TABLE_H
#define PAGODA_LIB_TOOLS_INSPECT_TABLE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pagoda {

class Table {
public:
  enum Side { Left, Right };

  struct Column {
    std::string head;
    Side side = Left;
  };

  explicit Table(const std::vector<Column> &columns);

  /// A cell for each column; those that are missing are empty. Cells are made
  /// printable here.
  void add(std::vector<std::string> cells);
  std::string text() const;

private:
  std::vector<Side> sides;
  std::vector<std::vector<std::string>> rows;
};

/// Text from a file as a terminal may show it: control characters, which could
/// change what stands on the screen, as \x1b and the like. Line feeds stay
/// where `lines` is set.
std::string printable(std::string_view text, bool lines = false);

/// "98.7 MB" and the like: 1000 bytes to a kB.
std::string formatBytes(uint64_t bytes);
/// "12 345 678".
std::string formatCount(uint64_t number);
/// "31.4 %".
std::string formatShare(double share);

} // namespace pagoda

#endif // PAGODA_LIB_TOOLS_INSPECT_TABLE_H
