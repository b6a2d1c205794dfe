//===- CpuFeatures.h - Which kernels this CPU can run -----------*- C++ -*-===//

#ifndef PAGODA_RUNTIME_DEVICE_CPUFEATURES_H
#define PAGODA_RUNTIME_DEVICE_CPUFEATURES_H

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pagoda::rt {

/// Levels of the CPU that kernels are compiled for, least able first.
std::span<const std::string_view> cpuLevels();

/// Whether this machine has every instruction that kernels compiled for
/// `target` ("x86-64-v3", "avx512-vnni") may use; false for unknown targets.
bool cpuRuns(std::string_view target);

/// Whether kernels may use the CPU's matrix unit (AMX with 8-bit integers).
/// Asks the system for it, which holds for the whole process.
bool cpuHasMatrixUnit();

/// How many bytes ahead kernels ask for the weights that they stream; 0: the
/// hardware finds out by itself.
int64_t cpuPrefetchBytes();

/// The processor's name, as the machine tells it.
std::string cpuName();

} // namespace pagoda::rt

#endif // PAGODA_RUNTIME_DEVICE_CPUFEATURES_H
