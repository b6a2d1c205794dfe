//===- Arena.h - Memory of an exec entry, as it might be at worst *- C++
//-*-===//
//
// One cell a byte. A cell at which an element starts holds its number as a
// float64, so that buffers round nothing; all other bytes are poison, and so is
// whatever was there before: memory that is read as it was not written is NaN.
//
//   Arena arena(1024);
//   arena.write(64, 4, 0.5, owner);
//   arena.read(64, 4);  // 0.5
//   arena.read(66, 4);  // NaN
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_REFERENCE_INTERPRETER_ARENA_H
#define PAGODA_LIB_REFERENCE_INTERPRETER_ARENA_H

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace mlir {
class Operation;
} // namespace mlir

namespace pagoda::reference {

class Arena {
public:
  explicit Arena(int64_t bytes) : cells(static_cast<std::size_t>(bytes)) {}

  int64_t bytes() const { return static_cast<int64_t>(cells.size()); }

  /// Within the arena: offset + size <= bytes().
  void write(int64_t offset, int64_t size, double number,
             mlir::Operation *writer) {
    // An element that reaches into these bytes is gone, and so are those that
    // start in them.
    for (int64_t back = 1; back < 8 && back <= offset; ++back)
      if (cells[offset - back].size > back)
        cells[offset - back] = {kNaN, 0, writer};
    for (int64_t i = 1; i < size; ++i)
      cells[offset + i] = {kNaN, 0, writer};
    cells[offset] = {number, static_cast<uint8_t>(size), writer};
  }
  double read(int64_t offset, int64_t size) const {
    return cells[offset].size == size ? cells[offset].number : kNaN;
  }
  /// Who wrote there last; null: nobody.
  mlir::Operation *writer(int64_t offset) const { return cells[offset].writer; }

private:
  static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  struct Cell {
    double number = kNaN;
    uint8_t size = 0; // of the element that starts here; 0: none does
    mlir::Operation *writer = nullptr;
  };
  std::vector<Cell> cells;
};

} // namespace pagoda::reference

#endif // PAGODA_LIB_REFERENCE_INTERPRETER_ARENA_H
