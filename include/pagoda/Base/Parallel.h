//===- Parallel.h - Work on all cores ---------------------------*- C++ -*-===//
//
// parallelFor(1000, [&](size_t i) { return work(i); }) runs every index once,
// on as many threads as there are cores, and returns the error of the lowest
// index that failed. For compile time; the runtime has a team of its own.
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_BASE_PARALLEL_H
#define PAGODA_BASE_PARALLEL_H

#include "pagoda/Base/Status.h"

#include <cstddef>
#include <functional>

namespace pagoda {

Status parallelFor(size_t count, const std::function<Status(size_t)> &body);

/// Cores that this process may use, at least 1.
unsigned availableCores();

} // namespace pagoda

#endif // PAGODA_BASE_PARALLEL_H
