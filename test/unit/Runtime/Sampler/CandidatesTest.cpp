#include "Candidates.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

using namespace pagoda::rt;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

} // namespace

TEST(Candidates, OrderByLogitThenByLowerId) {
  EXPECT_GT(makeCandidate(1, 5), makeCandidate(0.5f, 1));
  EXPECT_GT(makeCandidate(0.5f, 5), makeCandidate(-0.5f, 1));
  EXPECT_GT(makeCandidate(-0.5f, 5), makeCandidate(-1, 1));
  EXPECT_GT(makeCandidate(1, 5), makeCandidate(1, 6));
  EXPECT_GT(makeCandidate(-0.0f, 5), makeCandidate(0, 6));
  for (float logit : {-3.5f, 0.0f, 1e-30f, 7.25f}) {
    EXPECT_EQ(candidateLogit(makeCandidate(logit, 151935)), logit);
    EXPECT_EQ(candidateId(makeCandidate(logit, 151935)), 151935);
  }
}

TEST(Candidates, SelectionAndRankingEqualAFullSort) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<float> logits(1 + random() % 3000);
    for (size_t id = 0; id < logits.size(); ++id)
      switch (trial % 3) {
      case 0: // many ties
        logits[id] = float(random() % 20);
        break;
      case 1: // each one better than all before: the filter is of no use
        logits[id] = float(id);
        break;
      default:
        logits[id] = random() % 5 ? float(random()) / 1e8f : -infinity;
      }
    std::vector<Candidate> all;
    for (size_t id = 0; id < logits.size(); ++id)
      if (logits[id] != -infinity)
        all.push_back(makeCandidate(logits[id], int32_t(id)));
    std::sort(all.begin(), all.end(), std::greater<>());

    size_t count = random() % (logits.size() + 2);
    std::vector<Candidate> best;
    selectBest(logits, count, best);
    ASSERT_EQ(best.size(), std::min(count, all.size()));
    Ranking ranking(best);
    for (size_t rank = 0; rank < best.size(); ++rank)
      ASSERT_EQ(ranking[rank], all[rank]);
  }
}
