#include "pagoda/Runtime/Device/CpuFeatures.h"

#include <fstream>

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace pagoda::rt {

std::span<const std::string_view> cpuLevels() {
  static constexpr std::string_view levels[] = {"x86-64-v3", "avx512-vnni"};
  return levels;
}

bool cpuRuns(std::string_view target) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
            __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  if (target == "x86-64-v3")
    return v3;
  if (target == "avx512-vnni")
    return v3 && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") &&
           __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vnni");
#endif
  return false;
}

bool cpuHasMatrixUnit() {
#if defined(__x86_64__) && defined(__linux__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kTiles = 1u << 24, kInt8 = 1u << 25; // leaf 7, edx
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) ||
      (d & (kTiles | kInt8)) != (kTiles | kInt8))
    return false;
  // arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA)
  constexpr int kRequest = 0x1023, kTileData = 18;
  return ::syscall(SYS_arch_prctl, kRequest, kTileData) == 0;
#else
  return false;
#endif
}

// Decode of a 135M model at 4 bits on two cores of a Xeon of 2023: 355 tokens/s
// without, 420 at 2 KiB, 455 to 480 from 4 to 16 KiB. On an EPYC (Zen 4) a
// sketch of the same linears lost 30 % by it.
int64_t cpuPrefetchBytes() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_is("intel"))
    return 8192;
#endif
  return 0;
}

std::string cpuName() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name"))
      return line.substr(line.find(':') + 2);
  return "unknown CPU";
}

} // namespace pagoda::rt
