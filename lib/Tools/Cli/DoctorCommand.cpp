#include "../Inspect/Table.h"
#include "Commands.h"
#include "CompilerLibrary.h"
#include "HugePages.h"
#include "Model.h"
#include "Options.h"
#include "pagoda/Base/Parallel.h"
#include "pagoda/Nvrtc/Nvrtc.h"
#include "pagoda/Runtime/Device/CpuFeatures.h"
#include "pagoda/Runtime/Device/CpuPlan.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

namespace pagoda::cli {

namespace {

namespace fs = std::filesystem;

/// One line of the report. Only what is Missing makes the command fail.
struct Finding {
  enum Kind { Good, Note, Missing };
  Kind kind;
  std::string subject;
  std::string text;
  /// What to do about it; empty: nothing.
  std::string remedy = {};
};

class Doctor {
public:
  std::vector<Finding> findings;

  void examine() {
    examineCompiler();
    examineCpu();
    examineMemory();
    examineCache();
    examineNvrtc();
  }

private:
  void add(Finding::Kind kind, std::string subject, std::string text,
           std::string remedy = {}) {
    findings.push_back(
        {kind, std::move(subject), std::move(text), std::move(remedy)});
  }

  void examineCompiler() {
    auto compiler = CompilerLibrary::open();
    if (!compiler.ok()) {
      bool wanted = PAGODA_HAS_COMPILER;
      add(wanted ? Finding::Missing : Finding::Note, "compiler",
          wanted ? compiler.status().message()
                 : "this build has none: it runs artifacts that were compiled "
                   "elsewhere",
          wanted ? "build the target pagoda-compiler, or set "
                   "PAGODA_COMPILER_LIBRARY to its file"
                 : "build with -DPAGODA_COMPILER=ON to compile models here");
      return;
    }
    auto report = nlohmann::json::parse(compiler->report(), nullptr, false);
    if (report.is_discarded())
      report = nlohmann::json::object();
    std::string path = CompilerLibrary::path();
    add(Finding::Good, "compiler",
        concat(path.empty() ? "found by the loader" : path, ", LLVM ",
               report.value("llvm", "unknown")));
    for (const auto &tool : report.value("tools", nlohmann::json::array())) {
      std::string name = tool.value("name", ""), file = tool.value("path", ""),
                  version = tool.value("version", "");
      if (!version.empty())
        add(Finding::Good, name, concat(version, " (", file, ")"));
      else
        add(Finding::Missing, name,
            concat("'", file, "' does not run; kernels cannot be compiled"),
            name == "clang" ? "apt-get install clang-22, or set PAGODA_CLANG"
                            : "apt-get install lld-22, or set PAGODA_LLD");
    }
  }

  void examineCpu() {
    add(Finding::Good, "processor", rt::cpuName());
    std::vector<std::string> runs;
    for (std::string_view level : rt::cpuLevels()) {
      bool usable = rt::cpuRuns(level);
      if (usable)
        runs.emplace_back(level);
      add(usable ? Finding::Good : Finding::Note, "kernels",
          concat(level, usable ? " run here" : " do not run here"));
    }
    if (rt::cpuHasMatrixUnit())
      add(Finding::Good, "kernels", "the matrix unit (AMX) is used");
    if (runs.empty())
      add(Finding::Missing, "kernels",
          "this processor runs no kernels that there are",
          "Pagoda needs an x86-64 processor with AVX2, FMA and BMI2");
    unsigned all = std::thread::hardware_concurrency(),
             usable = availableCores();
    std::string quota = coreQuota();
    add(usable < all || !quota.empty() ? Finding::Note : Finding::Good, "cores",
        concat(usable, " of ", all, " for this process", quota),
        quota.empty() ? ""
                      : "use --threads with no more than the quota: threads "
                        "that are stopped hold up the others");
  }

  /// ", but a quota of 1.5" where a container may use less than its cores.
  static std::string coreQuota() {
    std::ifstream file("/sys/fs/cgroup/cpu.max");
    std::string limit;
    double period = 0;
    if (!(file >> limit >> period) || limit == "max" || period <= 0)
      return {};
    double quota = std::strtod(limit.c_str(), nullptr) / period;
    return quota < availableCores()
               ? concat(", but a quota of the time of ", quota)
               : "";
  }

  void examineMemory() {
    add(Finding::Good, "memory", formatBytes(rt::machineMemory()));
    std::string mode = hugePageMode();
    bool off = mode.empty() || mode == "never";
    add(off ? Finding::Note : Finding::Good, "huge pages",
        mode.empty() ? "this kernel has none that come by themselves"
                     : concat("transparent huge pages: ", mode,
                              off ? "; large models run slower" : ""),
        mode == "never" ? "echo madvise | sudo tee "
                          "/sys/kernel/mm/transparent_hugepage/enabled"
                        : "");
  }

  void examineCache() {
    std::string folder = cacheFolder();
    if (folder.empty()) {
      add(Finding::Missing, "cache", "there is no place for compiled models",
          "set HOME or XDG_CACHE_HOME");
      return;
    }
    std::error_code error;
    fs::create_directories(folder, error);
    for (const char *part : {"models", "kernels"})
      addFolder(folder + "/" + part);
    auto mapping = measureHugeMapping(folder);
    if (!mapping.ok())
      add(Finding::Missing, "cache", mapping.status().message(),
          "make the folder writable, or set XDG_CACHE_HOME");
    else if (mapping->hugeBytes == 0)
      add(Finding::Note, "cache",
          concat("its file system gives mapped files no huge pages (0 of ",
                 mapping->bytes >> 20, " MiB)"),
          "artifacts in a tmpfs mounted with huge=always, or on a file system "
          "with large folios (XFS, or ext4 of a recent kernel), have them");
    else
      add(Finding::Good, "cache",
          concat("its file system maps files in huge pages (",
                 mapping->hugeBytes >> 20, " of ", mapping->bytes >> 20,
                 " MiB)"));
  }

  void addFolder(const std::string &folder) {
    uint64_t bytes = 0, files = 0;
    std::error_code error;
    for (const auto &entry : fs::directory_iterator(folder, error)) {
      uint64_t size = entry.is_regular_file(error) ? entry.file_size(error) : 0;
      files += size > 0;
      bytes += size;
    }
    add(Finding::Good, "cache",
        concat(folder, ": ", files, " files, ", formatBytes(bytes)),
        bytes > (uint64_t(10) << 30) ? "may be deleted at any time" : "");
  }

  void examineNvrtc() {
    auto nvrtc = Nvrtc::open();
    if (nvrtc.ok())
      add(Finding::Good, "NVRTC", nvrtc->version());
    else
      add(Finding::Note, "NVRTC", nvrtc.status().message());
  }
};

const char *kindName(Finding::Kind kind) {
  return kind == Finding::Good   ? "ok"
         : kind == Finding::Note ? "note"
                                 : "missing";
}

void printText(const std::vector<Finding> &findings) {
  for (const Finding &finding : findings) {
    std::string subject = finding.subject;
    subject.resize(std::max<size_t>(subject.size(), 11), ' ');
    std::cout << (finding.kind == Finding::Good   ? "  ok     "
                  : finding.kind == Finding::Note ? "  note   "
                                                  : "  MISSING ")
              << subject << printable(finding.text) << '\n';
    if (!finding.remedy.empty())
      std::cout << "         " << std::string(11, ' ') << "-> "
                << printable(finding.remedy) << '\n';
  }
}

void printJson(const std::vector<Finding> &findings, size_t missing) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Finding &finding : findings)
    list.push_back({{"status", kindName(finding.kind)},
                    {"subject", finding.subject},
                    {"text", finding.text},
                    {"remedy", finding.remedy}});
  nlohmann::ordered_json all = {
      {"version", PAGODA_VERSION}, {"missing", missing}, {"findings", list}};
  std::cout << all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
            << '\n';
}

Status doctor(bool json) {
  Doctor doctor;
  doctor.examine();
  auto missing = static_cast<size_t>(std::count_if(
      doctor.findings.begin(), doctor.findings.end(),
      [](const Finding &finding) { return finding.kind == Finding::Missing; }));
  if (json)
    printJson(doctor.findings, missing);
  else
    printText(doctor.findings);
  std::cout.flush();
  if (missing > 0)
    return unavailable(missing, missing == 1 ? " thing is" : " things are",
                       " missing, as said above");
  return {};
}

} // namespace

void addDoctor(CLI::App &app, const Choose &choose) {
  auto json = std::make_shared<bool>(false);
  CLI::App *command = app.add_subcommand(
      "doctor", "Say what is installed, what runs here and what is missing");
  command->add_flag("--json", *json, "print one JSON object");
  addExamples(*command, {"pagoda doctor", "pagoda doctor --json"});
  command->callback([=] { choose([=] { return doctor(*json); }); });
}

} // namespace pagoda::cli
