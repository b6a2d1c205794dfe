#include "Table.h"

#include <algorithm>
#include <cassert>
#include <cstdio>

namespace pagoda {

namespace {

/// Columns that a text takes: its code points.
size_t width(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
      }));
}

} // namespace

Table::Table(const std::vector<Column> &columns) {
  rows.emplace_back();
  for (const Column &column : columns) {
    sides.push_back(column.side);
    rows.front().push_back(column.head);
  }
}

void Table::add(std::vector<std::string> cells) {
  assert(cells.size() <= sides.size() && "more cells than columns");
  cells.resize(sides.size());
  for (std::string &cell : cells)
    cell = printable(cell);
  rows.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<size_t> widths(sides.size());
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], width(row[i]));
  std::string text;
  for (const auto &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      std::string space(widths[i] - width(row[i]), ' ');
      line += i ? "  " : "";
      line += sides[i] == Right ? space + row[i] : row[i] + space;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string printable(std::string_view text, bool lines) {
  std::string safe;
  for (size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    // C1 controls come as two bytes in UTF-8: 0xc2 0x80 to 0xc2 0x9f.
    bool second = c == 0xc2 && i + 1 < text.size() &&
                  (static_cast<unsigned char>(text[i + 1]) & 0xe0) == 0x80;
    if ((c < 0x20 && !(lines && c == '\n')) || c == 0x7f || second) {
      char escape[8];
      if (second)
        c = static_cast<unsigned char>(text[++i]);
      std::snprintf(escape, sizeof escape, "\\x%02x", c);
      safe += escape;
    } else {
      safe += text[i];
    }
  }
  return safe;
}

std::string formatBytes(uint64_t bytes) {
  if (bytes < 1000)
    return std::to_string(bytes) + " B";
  const char *units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes) / 1000;
  size_t unit = 0;
  for (; value >= 999.95 && unit < 5; ++unit)
    value /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", value, units[unit]);
  return text;
}

std::string formatCount(uint64_t number) {
  std::string digits = std::to_string(number), text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i && (digits.size() - i) % 3 == 0)
      text += ' ';
    text += digits[i];
  }
  return text;
}

std::string formatShare(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", share * 100);
  return text;
}

} // namespace pagoda
