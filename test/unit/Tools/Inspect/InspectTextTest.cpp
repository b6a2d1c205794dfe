// Descriptions of a file whose texts are hostile.

#include "Inspect/InspectText.h"
#include "ScratchFolder.h"

#include "Artifact/SampleArtifact.h"
#include "Inspect/InspectPage.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace pagoda;
using namespace pagoda::test;
using testing::HasSubstr;
using testing::Not;

namespace {

/// The sample, with every "x…" of these texts replaced in the finished file.
StatusOr<Artifact> openSample(const std::string &path, std::string_view from,
                              std::string_view to) {
  PAGODA_RETURN_IF_ERROR(writeSample(path));
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  recomputeHashes(bytes);
  file.seekp(0);
  file.write(reinterpret_cast<const char *>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  file.close();
  return Artifact::open(path);
}

class InspectText : public testing::Test {
protected:
  ScratchFolder scratch;
  std::string path = scratch.path("hostile.pgd");
};

TEST_F(InspectText, ControlCharactersAreShownNotObeyed) {
  auto artifact = openSample(path, "sample", "\x1b[2Jm\n");
  ASSERT_TRUE(artifact.ok()) << artifact.status().message();
  std::string text = summaryText(describeSummary(*artifact));
  EXPECT_THAT(text, HasSubstr("\\x1b[2Jm"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST_F(InspectText, MarkupStaysTextOnThePage) {
  auto artifact = openSample(path, "source", "</sc>&");
  ASSERT_TRUE(artifact.ok()) << artifact.status().message();
  auto page = inspectPage(*artifact, {});
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(*page, Not(HasSubstr("</sc>")));
  EXPECT_THAT(*page, HasSubstr("\\u003c/sc\\u003e\\u0026"));
  EXPECT_THAT(*page, HasSubstr("default-src 'none'"));
}

TEST_F(InspectText, BytesThatAreNoTextBecomeTheReplacementCharacter) {
  auto artifact = openSample(path, "sample", "\xff\xfe\x80mod");
  ASSERT_TRUE(artifact.ok());
  auto page = inspectPage(*artifact, {});
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(*page, HasSubstr("\xef\xbf\xbdmod"));
}

TEST_F(InspectText, PlansSayWhatLimitsTheContext) {
  auto artifact = openSample(path, "sample", "sample");
  ASSERT_TRUE(artifact.ok());
  MemoryQuestion question;
  question.target = "x86-64-v3";
  question.threads = 2;
  question.sequences = 2;
  // Of 2 layers, 2 heads, 16 + 16 elements of 2 bytes: 256 bytes a token.
  auto plan = describeMemory(*artifact, question);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ((*plan)["bytes"]["keys_and_values"], 2 * 256 * 256);
  EXPECT_EQ((*plan)["bytes"]["activations"], 512 * 256 + 64);
  EXPECT_EQ((*plan)["bytes"]["scratch"], 2 * 128);
  EXPECT_EQ((*plan)["bytes"]["weights"], 1000 + 64 + 300000);
  EXPECT_EQ((*plan)["largest_context"]["tokens"], 256);
  EXPECT_THAT(memoryText(*plan), HasSubstr("limited by the context that the "
                                           "model was compiled for"));

  // A quarter of it holds 4 blocks of 16 tokens for each sequence.
  question.ram = uint64_t{4} * 2 * 4 * 16 * 256;
  plan = describeMemory(*artifact, question);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ((*plan)["cache_tokens"], 128);
  EXPECT_EQ((*plan)["cache_holds_all"], false);
  EXPECT_EQ((*plan)["fits"], false); // the weights alone are more
  EXPECT_EQ((*plan)["largest_context"]["tokens"], 0);
  question.ram = 600'000;
  plan = describeMemory(*artifact, question);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ((*plan)["fits"], true);
  EXPECT_EQ((*plan)["largest_context"]["tokens"], 256);

  question.context = 300;
  auto tooLong = describeMemory(*artifact, question);
  ASSERT_FALSE(tooLong.ok());
  EXPECT_THAT(tooLong.status().message(),
              HasSubstr("a context of 300 tokens is more than the 256"));
}

} // namespace
