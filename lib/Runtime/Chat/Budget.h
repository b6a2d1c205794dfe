//===- Budget.h - How much a template may do --------------------*- C++ -*-===//
//
// A template is a program from a file that anyone may have written. A
// rendering counts its steps and the bytes of its strings, and ends with an
// error when either runs out.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_CHAT_BUDGET_H
#define PAGODA_LIB_RUNTIME_CHAT_BUDGET_H

#include <cstddef>
#include <cstdint>

namespace pagoda::rt::chat {

class Budget {
public:
  Budget(uint64_t steps, uint64_t bytes) : steps(steps), bytes(bytes) {}

  /// False, from then on, when there is nothing left.
  bool spend(uint64_t count = 1) {
    if (count > steps)
      steps = 0;
    else
      steps -= count;
    return !isSpent();
  }
  /// For strings that come into being.
  bool spendBytes(uint64_t count) {
    bytes = count > bytes ? 0 : bytes - count;
    return !isSpent();
  }
  bool isSpent() const { return steps == 0 || bytes == 0; }
  /// How long a string may be made now.
  size_t bytesLeft() const { return static_cast<size_t>(bytes); }

  /// Values that are nested deeper are taken for circles.
  static constexpr unsigned maxDepth = 100;
  /// Ends everything, for a fault that has no better way out.
  void exhaust() { steps = 0; }

private:
  uint64_t steps, bytes;
};

} // namespace pagoda::rt::chat

#endif // PAGODA_LIB_RUNTIME_CHAT_BUDGET_H
