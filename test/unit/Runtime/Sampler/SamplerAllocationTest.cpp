// The hot path takes nothing from the heap. Alone in its file because it
// replaces operator new, which sanitizers want for themselves.

#include "pagoda/Runtime/Sampler/Sampler.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <random>

using namespace pagoda;
using namespace pagoda::rt;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PAGODA_COUNTS_ALLOCATIONS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PAGODA_COUNTS_ALLOCATIONS 0
#endif
#endif
#ifndef PAGODA_COUNTS_ALLOCATIONS
#define PAGODA_COUNTS_ALLOCATIONS 1
#endif

static long allocations = 0;

#if PAGODA_COUNTS_ALLOCATIONS
void *operator new(size_t size) {
  ++allocations;
  return std::malloc(size ? size : 1);
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
#endif

TEST(SamplerAllocation, NothingOnceWarm) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 3);
  std::vector<float> logits(50000);
  for (float &logit : logits)
    logit = normal(random);
  Sampler sampler(50000);
  SampledToken token;
  TokenCounts counts;
  counts.addPrompt(std::vector<int32_t>{1, 2, 3});
  std::vector<SamplingParams> kinds(6);
  kinds[0].temperature = 0;
  kinds[1].topK = 40;
  kinds[2].topP = 0.9;
  kinds[3].minP = 0.05;
  kinds[4].repetitionPenalty = 1.1;
  kinds[4].topLogprobs = 20;
  auto sampleAll = [&] {
    for (const SamplingParams &params : kinds)
      for (int position = 0; position < 3; ++position)
        ASSERT_TRUE(sampler
                        .sample({.logits = logits,
                                 .params = params,
                                 .position = position,
                                 .counts = &counts},
                                token)
                        .ok());
  };
  sampleAll();
  long before = allocations;
  sampleAll();
  EXPECT_EQ(allocations, before);
  if (PAGODA_COUNTS_ALLOCATIONS) {
    EXPECT_GT(before, 0);
  }
}
