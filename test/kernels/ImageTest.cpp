// Images: code and constants that need nothing from anywhere, from units that
// compile without a warning.

#include "CompiledKernels.h"
#include "KernelCases.h"
#include "pagoda/Base/Concat.h"

#include "llvm/Object/ELFObjectFile.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <unistd.h>

using namespace pagoda;
using namespace pagoda::test;

namespace {

namespace fs = std::filesystem;

/// The first kernels of every family: as many as show each template.
std::vector<std::string> someKernels() {
  std::map<std::string, int> taken;
  std::vector<std::string> texts;
  for (const KernelCase &kernelCase : allCases())
    if (taken[kernelCase.family]++ < 2)
      texts.push_back(kernelCase.ir);
  return texts;
}

const CompiledKernels &kernels() {
  static const CompiledKernels all(someKernels());
  return all;
}

/// A folder of this process, gone at its end.
class Image : public testing::Test {
protected:
  void SetUp() override {
    if (kernels().targets().empty())
      GTEST_SKIP() << "this CPU runs no target of Pagoda";
    folder = fs::path(testing::TempDir()) / concat("pagoda-image-", ::getpid());
    fs::create_directories(folder);
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  fs::path folder;
};

TEST_F(Image, NeedsNothingFromOutside) {
  auto builder = ImageBuilder::create({{}, {}, "", folder.string()});
  ASSERT_TRUE(builder.ok()) << builder.status().message();
  for (std::string_view target : cpuTargets()) {
    SCOPED_TRACE(target);
    auto image = builder->build(kernels().units(), target);
    ASSERT_TRUE(image.ok()) << image.status().message();
    std::string path = (folder / std::string(target) / "kernels.elf").string();
    auto file = llvm::object::ObjectFile::createObjectFile(path);
    ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
    auto *elf =
        llvm::dyn_cast<llvm::object::ELFObjectFileBase>(file->getBinary());
    ASSERT_NE(elf, nullptr);
    for (llvm::object::ELFSymbolRef symbol : elf->symbols()) {
      auto name = symbol.getName();
      ASSERT_TRUE(bool(name));
      auto flags = symbol.getFlags();
      ASSERT_TRUE(bool(flags));
      // The null symbol of every table has no name.
      if (!name->empty())
        EXPECT_FALSE(*flags & llvm::object::SymbolRef::SF_Undefined)
            << name->str() << " is undefined";
    }
    for (llvm::object::ELFSectionRef section : elf->sections()) {
      EXPECT_EQ(section.relocations().begin(), section.relocations().end());
      auto name = section.getName();
      ASSERT_TRUE(bool(name));
      EXPECT_FALSE(name->starts_with(".rela") || name->starts_with(".got") ||
                   name->starts_with(".dynamic"))
          << name->str();
      // Nothing that could be written, so that all processes share its pages.
      EXPECT_FALSE(section.getFlags() & llvm::ELF::SHF_WRITE &&
                   section.getSize() > 0)
          << name->str();
    }
  }
}

TEST_F(Image, IsTheSameHoweverOftenItIsBuilt) {
  auto builder = ImageBuilder::create({});
  ASSERT_TRUE(builder.ok());
  for (const std::string &target : kernels().targets()) {
    auto image = builder->build(kernels().units(), target);
    ASSERT_TRUE(image.ok()) << image.status().message();
    EXPECT_EQ(image->bytes, kernels().image(target).bytes);
  }
}

TEST_F(Image, UnitsCompileWithoutAWarning) {
  const char *chosen = std::getenv("PAGODA_CLANG");
  std::string clang = chosen && *chosen ? chosen : "clang++-22";
  fs::path file = folder / "units.cpp";
  {
    std::ofstream out(file);
    std::set<std::string> headers;
    for (const KernelUnit &unit : kernels().units())
      headers.insert(unit.header);
    for (const std::string &header : headers)
      out << "#include \"" << header << "\"\n";
    for (const KernelUnit &unit : kernels().units())
      out << unit.text << '\n';
  }
  for (const char *level :
       {"-march=x86-64-v3", "-march=x86-64-v4 -mavx512vnni"}) {
    std::string command = concat(
        clang,
        " -std=c++20 -ffreestanding -nostdinc --target=x86_64-linux-gnu ",
        level,
        " -Wall -Wextra -Werror -Wno-unused-const-variable "
        "-Wno-unused-parameter -fsyntax-only -I ",
        PAGODA_SOURCE_DIR, "/kernels/templates ", file.string());
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }
}

} // namespace
