// Damaged artifacts, half of them with checksums that agree again, so that more
// than the checksums is tested: opening and looking never crashes, hangs or
// takes memory.

#include "InspectPage.h"
#include "InspectText.h"
#include "SampleArtifact.h"
#include "pagoda/Runtime/Tokenizer/Tokenizer.h"

#include <fstream>
#include <gtest/gtest.h>
#include <random>

using namespace pagoda;
using namespace pagoda::test;

namespace {

/// What `pagoda inspect` does with a file; returns whether it opened.
bool lookAt(const std::string &path) {
  auto artifact = Artifact::open(path);
  if (!artifact.ok()) {
    EXPECT_FALSE(artifact.status().message().empty());
    return false;
  }
  MemoryQuestion question;
  question.sequences = 4;
  (void)artifact->verifyWeights();
  (void)rt::Tokenizer::fromBytes(artifact->tokenizer(), nullptr);
  (void)summaryText(describeSummary(*artifact));
  (void)sizesText(describeSizes(*artifact));
  (void)weightsText(describeWeights(*artifact));
  (void)programText(describeProgram(*artifact));
  auto kernels = describeKernels(*artifact, "");
  EXPECT_TRUE(kernels.ok());
  (void)kernelsText(*kernels, true);
  if (auto memory = describeMemory(*artifact, question); memory.ok())
    (void)memoryText(*memory);
  auto page = inspectPage(*artifact, question);
  EXPECT_TRUE(page.ok());
  return true;
}

TEST(DamagedArtifact, TenThousandVariants) {
  std::string path = testing::TempDir() + "variant.pgd";
  ASSERT_TRUE(writeSample(path).ok());
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::vector<std::byte> whole(text.size());
  std::memcpy(whole.data(), text.data(), text.size());
  ArtifactHeader header;
  std::memcpy(&header, whole.data(), sizeof header);

  // Bytes change in place, in one file: writing it anew each time would cost
  // more than everything else.
  std::fstream out(path, std::ios::binary | std::ios::in | std::ios::out);
  std::mt19937 random(1);
  int opened = 0;
  for (int variant = 0; variant < 12000; ++variant) {
    std::vector<std::byte> changed = whole;
    int flips = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < flips; ++i) {
      // The header, or the program: all that is interpreted.
      size_t at = random() % 4 == 0
                      ? random() % sizeof header
                      : header.programOffset + random() % header.programBytes;
      changed[at] = random() % 2 ? changed[at] ^ std::byte(1 << random() % 8)
                                 : std::byte(random());
    }
    if (variant % 2)
      recomputeHashes(changed);
    auto put = [&](const std::vector<std::byte> &from) {
      out.seekp(0);
      out.write(reinterpret_cast<const char *>(from.data()), sizeof header);
      out.seekp(static_cast<std::streamoff>(header.programOffset));
      out.write(
          reinterpret_cast<const char *>(from.data() + header.programOffset),
          static_cast<std::streamsize>(header.programBytes));
      out.flush();
    };
    put(changed);
    opened += lookAt(path);
    put(whole);
  }
  // Some changes hit texts and other harmless places.
  EXPECT_GT(opened, 100);
  EXPECT_TRUE(lookAt(path));
}

} // namespace
