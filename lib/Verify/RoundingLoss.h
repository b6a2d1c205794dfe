//===- RoundingLoss.h - What roundings cost, layer by layer -----*- C++ -*-===//
//
// Compares the attention outputs of two executions of which one rounds more.
// For the log of --verify-passes.
//
//   describeLoss(before, after);
//   // "at the attention of each layer: 1.1e-04 2.3e-04 2.9e-04"
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_VERIFY_ROUNDINGLOSS_H
#define PAGODA_LIB_VERIFY_ROUNDINGLOSS_H

#include "pagoda/Reference/Interpreter/Trace.h"

namespace pagoda::verify {

/// Each the largest difference at the layer's attention, relative to its
/// largest number: what came in from the layers before, and its own.
std::string describeLoss(const reference::Trace &before,
                         const reference::Trace &after);

} // namespace pagoda::verify

#endif // PAGODA_LIB_VERIFY_ROUNDINGLOSS_H
