//===- CpuFeatures.h - Which kernels this CPU can run -----------*- C++ -*-===//

#ifndef PAGODA_RUNTIME_DEVICE_CPUFEATURES_H
#define PAGODA_RUNTIME_DEVICE_CPUFEATURES_H

#include <string>
#include <string_view>

namespace pagoda::rt {

/// Whether this machine has every instruction that kernels compiled for
/// `target` ("x86-64-v3", "avx512-vnni") may use; false for unknown targets.
bool cpuRuns(std::string_view target);

/// The processor's name, as the machine tells it.
std::string cpuName();

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_DEVICE_CPUFEATURES_H
