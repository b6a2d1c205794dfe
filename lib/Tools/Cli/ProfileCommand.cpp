#include "../Pages/Page.h"
#include "../Profile/ProfileText.h"
#include "Commands.h"
#include "Options.h"
#include "RandomRequests.h"
#include "pagoda/Base/Concat.h"
#include "pagoda/Runtime/Device/CpuFeatures.h"

#include <CLI/CLI.hpp>
#include <iostream>

namespace pagoda::cli {

namespace {

struct ProfileArguments {
  ModelOptions model;
  RunnerOptions runner;
  int prompt = 512, steps = 32, sequences = 1;
  std::string trace, html;
  bool layers = false, json = false;
};

/// The same work twice: the first time warms up, the second one is traced.
StatusOr<rt::StepTrace> traceRequests(LoadedModel &loaded, int sequences,
                                      int prompt, int newTokens) {
  rt::StepTrace trace;
  for (rt::StepTrace *to : {static_cast<rt::StepTrace *>(nullptr), &trace}) {
    loaded.runner->setTrace(to);
    PAGODA_ASSIGN_OR_RETURN(
        [[maybe_unused]] auto sinks,
        runRequests(*loaded.engine, sequences, prompt, newTokens));
  }
  loaded.runner->setTrace(nullptr);
  return trace;
}

/// Bytes that one token has to read: of all weights that something is
/// multiplied with.
uint64_t bytesOfToken(const Json &phase) {
  return static_cast<uint64_t>(phase["all"]["bytes"].get<double>());
}

bool isDecode(const rt::TracedStep &step) {
  return step.qStart.back() == static_cast<int32_t>(step.kvLength.size());
}

struct Profile {
  Json data, timelines = Json::object();
};

Profile makeProfile(const LoadedModel &loaded, const rt::StepTrace &trace,
                    const ProfileArguments &arguments) {
  const Artifact &artifact = *loaded.model.artifact;
  rt::StepTrace prefill{trace.entry, {}}, decode{trace.entry, {}};
  for (const rt::TracedStep &step : trace.steps)
    (isDecode(step) ? decode : prefill).steps.push_back(step);
  unsigned threads = loaded.runner->threads();
  const rt::StepTrace &some = decode.steps.empty() ? prefill : decode;
  uint64_t bytes = bytesOfToken(profileSteps(artifact, some, {}));
  MachineLimits limits = measureLimits(threads, bytes);

  Profile profile;
  profile.data = {{"model", artifact.program().model()->name()->str()},
                  {"cpu", rt::cpuName()},
                  {"target", loaded.runner->target()},
                  {"threads", threads},
                  {"limits",
                   {{"read_bytes", bytes},
                    {"read_gb_s", limits.readBytesPerSecond * 1e-9},
                    {"int8_gop_s", limits.int8OperationsPerSecond * 1e-9},
                    {"f32_gop_s", limits.floatOperationsPerSecond * 1e-9}}},
                  {"phases", Json::array()}};
  auto add = [&](const char *name, std::string title,
                 const rt::StepTrace &steps) {
    if (steps.steps.empty())
      return;
    Json phase = {{"name", name}, {"title", std::move(title)}};
    phase.update(profileSteps(artifact, steps, limits));
    profile.data["phases"].push_back(std::move(phase));
    profile.timelines[name] = timeline(artifact, steps, steps.steps.size() / 2);
  };
  add("prefill",
      concat("prefill, ", arguments.sequences, " x ", arguments.prompt,
             " tokens in ", prefill.steps.size(), " steps"),
      prefill);
  add("decode",
      concat("decode, ", decode.steps.size(), " steps of ", arguments.sequences,
             " tokens"),
      decode);
  return profile;
}

Status profile(ProfileArguments &arguments) {
  arguments.runner.maxSequences = arguments.sequences;
  PAGODA_ASSIGN_OR_RETURN(LoadedModel loaded,
                          loadModel(arguments.model, arguments.runner));
  int32_t context = loaded.runner->limits().maxContext;
  if (arguments.prompt + arguments.steps >= context)
    return invalidArgument("--prompt ", arguments.prompt, " and --steps ",
                           arguments.steps,
                           " do not fit the model's context of ", context,
                           " tokens; ask for fewer");
  PAGODA_ASSIGN_OR_RETURN(rt::StepTrace trace,
                          traceRequests(loaded, arguments.sequences,
                                        arguments.prompt, arguments.steps + 1));
  Profile made = makeProfile(loaded, trace, arguments);
  if (!arguments.html.empty())
    PAGODA_RETURN_IF_ERROR(
        writePage(arguments.html, profilePage(made.data, made.timelines)));
  if (!arguments.trace.empty())
    PAGODA_RETURN_IF_ERROR(writePage(
        arguments.trace, perfettoTrace(*loaded.model.artifact, trace).dump()));
  if (arguments.json)
    std::cout << made.data.dump(2, ' ', false,
                                nlohmann::json::error_handler_t::replace)
              << '\n';
  else
    std::cout << profileText(made.data, arguments.layers);
  return {};
}

} // namespace

void addProfile(CLI::App &app, const Choose &choose) {
  auto arguments = std::make_shared<ProfileArguments>();
  CLI::App *command = app.add_subcommand(
      "profile", "Show where the time of a model's steps goes");
  addModelOptions(*command, arguments->model);
  auto number = [&](const char *name, int &value, const char *help, int least,
                    int most) {
    command->add_option(name, value, help)
        ->check(CLI::Range(least, most))
        ->capture_default_str()
        ->group("What to run");
  };
  number("--prompt", arguments->prompt, "tokens of the prompt", 1, 1 << 20);
  number("--steps", arguments->steps, "decode steps after it", 0, 1 << 20);
  number("--seqs", arguments->sequences, "sequences at once", 1, 1024);
  command->add_flag("--layers", arguments->layers, "each layer by itself")
      ->group("How to show it");
  command->add_flag("--json", arguments->json, "print one JSON object")
      ->group("How to show it");
  command
      ->add_option("--html", arguments->html,
                   "write a page with charts and a timeline")
      ->type_name("FILE")
      ->group("How to show it");
  command
      ->add_option("--trace", arguments->trace,
                   "write every piece of work as a trace that Perfetto opens")
      ->type_name("FILE")
      ->group("How to show it");
  addRunnerOptions(*command, arguments->runner, /*chunk=*/true);
  addExamples(*command, {"pagoda profile model.gguf",
                         "pagoda profile model.pgd --steps 64 --layers",
                         "pagoda profile model.pgd --html profile.html "
                         "--trace trace.json"});
  command->callback([=] { choose([=] { return profile(*arguments); }); });
}

} // namespace pagoda::cli
