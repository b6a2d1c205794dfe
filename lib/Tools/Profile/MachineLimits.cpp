#include "MachineLimits.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <sys/mman.h>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pagoda {

namespace {

using Clock = std::chrono::steady_clock;

/// Results go here, so that nothing is left out as unused.
std::atomic<uint64_t> sink;

constexpr int kRuns = 5;
constexpr uint64_t kPage = uint64_t(2) << 20;

/// Runs body(thread) on all threads at once, some times; the seconds of the
/// fastest time, from the first start to the last end.
double fastest(unsigned threads, const std::function<void(unsigned)> &body) {
  double best = 1e9;
  for (int run = 0; run < kRuns; ++run) {
    std::atomic<unsigned> ready{0};
    std::atomic<bool> go{false};
    std::vector<std::thread> team;
    for (unsigned thread = 0; thread < threads; ++thread)
      team.emplace_back([&, thread] {
        ++ready;
        while (!go)
          std::this_thread::yield();
        body(thread);
      });
    while (ready < threads)
      std::this_thread::yield();
    auto start = Clock::now();
    go = true;
    for (std::thread &thread : team)
      thread.join();
    best = std::min(
        best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

using Read = uint64_t(const std::byte *memory, uint64_t bytes);

/// Reads whole vectors of 64 bytes, four streams of sums.
[[gnu::always_inline]] inline uint64_t readVectors(const std::byte *memory,
                                                   uint64_t bytes) {
  typedef uint64_t Vector __attribute__((vector_size(64), may_alias));
  Vector sums[4] = {};
  for (uint64_t at = 0; at + 4 * sizeof(Vector) <= bytes;
       at += 4 * sizeof(Vector))
    for (int k = 0; k < 4; ++k)
      sums[k] ^= reinterpret_cast<const Vector *>(memory + at)[k];
  Vector all = sums[0] ^ sums[1] ^ sums[2] ^ sums[3];
  return all[0] ^ all[1] ^ all[2] ^ all[3] ^ all[4] ^ all[5] ^ all[6] ^ all[7];
}

uint64_t readPlain(const std::byte *memory, uint64_t bytes) {
  return readVectors(memory, bytes);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] uint64_t readAvx2(const std::byte *memory,
                                          uint64_t bytes) {
  return readVectors(memory, bytes);
}
[[gnu::target("avx512f")]] uint64_t readAvx512(const std::byte *memory,
                                               uint64_t bytes) {
  return readVectors(memory, bytes);
}
#endif

Read *chooseRead() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f"))
    return readAvx512;
  if (__builtin_cpu_supports("avx2"))
    return readAvx2;
#endif
  return readPlain;
}

double measureRead(unsigned threads, uint64_t bytes) {
  uint64_t part = std::max(bytes / threads / kPage, uint64_t(1)) * kPage;
  auto *memory =
      static_cast<std::byte *>(std::aligned_alloc(kPage, part * threads));
  if (!memory)
    return 0;
  std::unique_ptr<std::byte, void (*)(void *)> owner(memory, std::free);
  ::madvise(memory, part * threads, MADV_HUGEPAGE);
  std::memset(memory, 1, part * threads);
  Read *read = chooseRead();
  int passes = static_cast<int>(
      std::clamp<uint64_t>((uint64_t(1) << 30) / (part * threads), 2, 200));
  double seconds = fastest(threads, [&](unsigned thread) {
    for (int pass = 0; pass < passes; ++pass)
      sink += read(memory + thread * part, part);
  });
  return static_cast<double>(part) * threads * passes / seconds;
}

#if defined(__x86_64__)

constexpr long kSteps = 4'000'000;
// Independent sums: more than an instruction takes cycles times those that
// begin in one.
constexpr int kSums = 12;

// Keeps what the compiler would compute once from leaving the loop.
#define PAGODA_OPAQUE(x) asm volatile("" : "+v"(x))

[[gnu::target("avx512f,avx512bw,avx512vnni")]] void multiplyVnni(long steps) {
  __m512i sums[kSums], codes = _mm512_set1_epi8(3), four = _mm512_set1_epi8(2);
  for (__m512i &sum : sums)
    sum = _mm512_setzero_si512();
  for (long i = 0; i < steps; ++i) {
    PAGODA_OPAQUE(codes);
    for (__m512i &sum : sums)
      sum = _mm512_dpbusd_epi32(sum, codes, four);
  }
  for (int k = 1; k < kSums; ++k)
    sums[0] = _mm512_add_epi32(sums[0], sums[k]);
  sink += static_cast<uint64_t>(_mm512_reduce_add_epi32(sums[0]));
}

[[gnu::target("avx2")]] void multiplyAvx2(long steps) {
  __m256i sums[kSums], codes = _mm256_set1_epi8(3), four = _mm256_set1_epi8(2),
                       ones = _mm256_set1_epi16(1);
  for (__m256i &sum : sums)
    sum = _mm256_setzero_si256();
  for (long i = 0; i < steps; ++i) {
    PAGODA_OPAQUE(codes);
    for (__m256i &sum : sums)
      sum = _mm256_add_epi32(
          sum, _mm256_madd_epi16(_mm256_maddubs_epi16(codes, four), ones));
  }
  for (int k = 1; k < kSums; ++k)
    sums[0] = _mm256_add_epi32(sums[0], sums[k]);
  sink += static_cast<uint64_t>(_mm256_extract_epi32(sums[0], 0));
}

[[gnu::target("avx512f")]] void multiplyFloats512(long steps) {
  __m512 sums[kSums], a = _mm512_set1_ps(1.0001f), b = _mm512_set1_ps(0.5f);
  for (__m512 &sum : sums)
    sum = _mm512_setzero_ps();
  for (long i = 0; i < steps; ++i) {
    PAGODA_OPAQUE(a);
    for (__m512 &sum : sums)
      sum = _mm512_fmadd_ps(a, b, sum);
  }
  for (int k = 1; k < kSums; ++k)
    sums[0] = _mm512_add_ps(sums[0], sums[k]);
  sink += static_cast<uint64_t>(_mm512_reduce_add_ps(sums[0]) != 0);
}

[[gnu::target("avx2,fma")]] void multiplyFloats256(long steps) {
  __m256 sums[kSums], a = _mm256_set1_ps(1.0001f), b = _mm256_set1_ps(0.5f);
  for (__m256 &sum : sums)
    sum = _mm256_setzero_ps();
  for (long i = 0; i < steps; ++i) {
    PAGODA_OPAQUE(a);
    for (__m256 &sum : sums)
      sum = _mm256_fmadd_ps(a, b, sum);
  }
  for (int k = 1; k < kSums; ++k)
    sums[0] = _mm256_add_ps(sums[0], sums[k]);
  sink += static_cast<uint64_t>(_mm256_cvtss_f32(sums[0]) != 0);
}

#undef PAGODA_OPAQUE

/// Operations a second of all threads; `perStep` of one instruction.
double measureRate(unsigned threads, void (*multiply)(long), double perStep) {
  double seconds = fastest(threads, [&](unsigned) { multiply(kSteps); });
  return perStep * kSums * kSteps * threads / seconds;
}

#endif

} // namespace

MachineLimits measureLimits(unsigned threads, uint64_t readBytes) {
  MachineLimits limits;
  limits.readBytesPerSecond = measureRead(threads, readBytes);
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) {
    limits.floatOperationsPerSecond =
        measureRate(threads, multiplyFloats512, 32);
  } else if (__builtin_cpu_supports("fma")) {
    limits.floatOperationsPerSecond =
        measureRate(threads, multiplyFloats256, 16);
  }
  if (__builtin_cpu_supports("avx512vnni"))
    limits.int8OperationsPerSecond = measureRate(threads, multiplyVnni, 128);
  else if (__builtin_cpu_supports("avx2"))
    limits.int8OperationsPerSecond = measureRate(threads, multiplyAvx2, 64);
#endif
  return limits;
}

} // namespace pagoda
