//===- AllocationMeter.h - How much memory a call takes ---------*- C++ -*-===//
//
// Counts the live bytes of operator new, which AllocationMeter.cpp replaces in
// the binary that links it. For tests which state a bound.
//
//   AllocationMeter meter;
//   parse(bytes);
//   EXPECT_LT(meter.peak(), 4 * bytes.size());
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_TEST_UNIT_FILES_ALLOCATIONMETER_H
#define PAGODA_TEST_UNIT_FILES_ALLOCATIONMETER_H

#include <cstddef>

namespace pagoda {

/// One at a time, and for one thread.
class AllocationMeter {
public:
  AllocationMeter();
  /// The most bytes alive at once since construction, beyond those alive then.
  size_t peak() const;

private:
  size_t before;
};

} // namespace pagoda

#endif // PAGODA_TEST_UNIT_FILES_ALLOCATIONMETER_H
