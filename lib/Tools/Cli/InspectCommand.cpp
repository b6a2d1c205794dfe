#include "../Inspect/InspectPage.h"
#include "../Inspect/InspectText.h"
#include "../Pages/Page.h"
#include "Commands.h"
#include "Options.h"

#include <CLI/CLI.hpp>
#include <iostream>

namespace pagoda::cli {

namespace {

struct InspectArguments {
  std::string path, html, kernel;
  bool weights = false, kernels = false, program = false, sizes = false,
       memory = false, verify = false, json = false;
  MemoryQuestion question;
};

StatusOr<Artifact> openArtifact(const std::string &path) {
  StatusOr<Artifact> artifact = Artifact::open(path);
  // The reader's own words name the remedy; what is clearly a model gets the
  // very command.
  if (!artifact.ok() && (path.ends_with(".gguf") || path.ends_with(".mlir") ||
                         path.ends_with(".safetensors")))
    return invalidArgument("'", path,
                           "' is a model, not an artifact; compile it first: "
                           "pagoda compile ",
                           path, " -o model.pgd");
  return artifact;
}

/// Everything that was asked for; the summary where nothing was.
StatusOr<Json> describe(const Artifact &artifact,
                        const InspectArguments &arguments) {
  Json all = Json::object();
  all["summary"] = describeSummary(artifact);
  if (arguments.sizes)
    all["sizes"] = describeSizes(artifact);
  if (arguments.weights)
    all["weights"] = describeWeights(artifact);
  if (arguments.kernels) {
    PAGODA_ASSIGN_OR_RETURN(all["kernels"],
                            describeKernels(artifact, arguments.kernel));
  }
  if (arguments.program)
    all["program"] = describeProgram(artifact);
  if (arguments.memory) {
    PAGODA_ASSIGN_OR_RETURN(all["memory"],
                            describeMemory(artifact, arguments.question));
  }
  return all;
}

std::string asText(const Json &all, const InspectArguments &arguments) {
  std::string text;
  auto add = [&](const char *key, auto print) {
    if (all.contains(key))
      text += (text.empty() ? "" : "\n") + print(all.at(key));
  };
  // A question of its own needs no preamble.
  if (all.size() == 1)
    add("summary", summaryText);
  add("sizes", sizesText);
  add("weights", weightsText);
  add("kernels", [&](const Json &kernels) {
    return kernelsText(kernels, !arguments.kernel.empty());
  });
  add("program", programText);
  add("memory", memoryText);
  return text;
}

Status inspect(InspectArguments &arguments) {
  PAGODA_ASSIGN_OR_RETURN(Artifact artifact, openArtifact(arguments.path));
  if (arguments.verify)
    PAGODA_RETURN_IF_ERROR(artifact.verifyWeights());
  if (!arguments.html.empty()) {
    PAGODA_ASSIGN_OR_RETURN(std::string page,
                            inspectPage(artifact, arguments.question));
    PAGODA_RETURN_IF_ERROR(writePage(arguments.html, page));
  }
  PAGODA_ASSIGN_OR_RETURN(Json all, describe(artifact, arguments));
  if (arguments.json) {
    if (arguments.verify)
      all["checksums"] = "agree";
    std::cout << all.dump(2, ' ', false,
                          nlohmann::json::error_handler_t::replace)
              << '\n';
  } else if (arguments.html.empty() || all.size() > 1) {
    std::cout << asText(all, arguments);
  }
  if (arguments.verify && !arguments.json)
    std::cout << "all checksums agree\n";
  return {};
}

} // namespace

void addInspect(CLI::App &app, const Choose &choose) {
  auto arguments = std::make_shared<InspectArguments>();
  CLI::App *command = app.add_subcommand(
      "inspect", "Show what is in an artifact, without running it");
  command->add_option("ARTIFACT", arguments->path,
                      "an artifact, a .pgd file that `pagoda compile` wrote");
  auto flag = [&](const char *name, bool &value, const char *help) {
    command->add_flag(name, value, help)->group("What to show");
  };
  flag("--sizes", arguments->sizes, "where the bytes of the file go");
  flag("--weights", arguments->weights,
       "every weight, and the expression that it came from");
  command
      ->add_option("--kernels", arguments->kernel,
                   "every kernel; with a NAME, its contract and source")
      ->expected(0, 1)
      ->type_name("[NAME]")
      ->group("What to show");
  flag("--program", arguments->program,
       "the launches of a step, with their arguments");
  flag("--memory", arguments->memory, "what running it takes, to the byte");
  flag("--verify", arguments->verify, "compare the checksums of all weights");

  MemoryQuestion &question = arguments->question;
  auto plan = [&](const char *name, auto &value, const char *help) {
    return command->add_option(name, value, help)->group("Planning memory");
  };
  plan("--context", question.context,
       "longest sequence, in tokens (default: what it was compiled for)")
      ->check(CLI::PositiveNumber);
  plan("--batch", question.sequences, "sequences at once (default: 1)")
      ->check(CLI::Range(1, 1 << 20));
  plan("--chunk", question.chunk, "tokens of a step (default: 512)")
      ->check(CLI::Range(1, 1 << 20));
  plan("--threads", question.threads, "threads (default: all cores)")
      ->check(CLI::Range(1, 4096));
  plan("--target", question.target,
       "kernels to use (default: the best that run here)");
  plan("--ram", question.ram,
       "the machine's memory, such as 16G (default: this machine's)")
      ->transform(CLI::AsSizeValue(false));

  command->add_flag("--json", arguments->json, "print one JSON object")
      ->group("How to show it");
  command
      ->add_option("--html", arguments->html,
                   "write everything as one page to look at")
      ->type_name("FILE")
      ->group("How to show it");
  addExamples(*command,
              {"pagoda inspect model.pgd",
               "pagoda inspect model.pgd --memory --context 4096 --batch 16 "
               "--ram 16G",
               "pagoda inspect model.pgd --kernels rms_norm_576",
               "pagoda inspect model.pgd --html model.html"});
  command->callback([=] {
    arguments->kernels = command->count("--kernels") > 0;
    // `inspect --kernels model.pgd` means all kernels of that artifact.
    if (arguments->path.empty())
      std::swap(arguments->path, arguments->kernel);
    if (arguments->path.empty())
      throw CLI::RequiredError("ARTIFACT");
    choose([=] { return inspect(*arguments); });
  });
}

} // namespace pagoda::cli
