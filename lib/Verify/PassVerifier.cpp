#include "pagoda/Verify/PassVerifier.h"

#include "CompiledProgram.h"
#include "FloatError.h"
#include "LaunchCheck.h"
#include "Observation.h"
#include "RoundingLoss.h"
#include "pagoda/Dialect/LLM/LLMOps.h"
#include "pagoda/Transforms/Passes.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/FileUtilities.h"

#include <cmath>
#include <cstdio>

using namespace mlir;

namespace pagoda {

using namespace verify;

namespace {

/// Two float64 executions of equal programs differ by the rounding of float64
/// alone, 1e-16 for each of some hundred ops on a path; the smallest fault that
/// matters, an epsilon outside the root, moves logits by 1.6e-6.
constexpr double kExactBound = 1e-9;

std::string number(double value) {
  if (std::isnan(value))
    return "NaN";
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", value);
  return text;
}

std::string place(const Difference &difference, const Inputs &inputs) {
  return concat("at sequence ", difference.token.sequence, ", position ",
                difference.token.position, " (schedule '",
                inputs.schedules[difference.schedule].name, "')");
}

/// Roundings in a module; passes that round only add some.
size_t countRoundings(ModuleOp module) {
  size_t count = 0;
  module.walk([&](Operation *op) {
    count += isa<llm::CastOp, llm::QuantizeOp, llm::DequantizeOp>(op);
  });
  return count;
}

/// A version of the program, and what it computed.
struct Version {
  OwningOpRef<ModuleOp> module;
  Entry entry;
  size_t roundings;
  Observation seen;
  /// With roundings transparent; nothing where there are none to be so.
  std::optional<Observation> transparent;

  const Observation &unrounded() const {
    return transparent ? *transparent : seen;
  }
};

class Verifier final : public PassVerifier {
public:
  Verifier(ModuleOp module, VerifyOptions options, Inputs inputs)
      : module(module), options(std::move(options)), inputs(std::move(inputs)),
        files(std::make_shared<reference::WeightFiles>(
            this->options.sourceFolder)),
        fingerprint(module) {}

  std::unique_ptr<PassInstrumentation> instrument() override;
  const Status &status() const override { return failure; }

  Status start();
  void afterPass(StringRef pass, Operation *op);
  Status checkCompiled(const std::string &artifact,
                       const SerializeOptions &serialization) override;

private:
  Status checkPass(const std::string &pass);
  void restore(Operation *op);
  Status checkExact(const std::string &pass, Version &now);
  Status checkRounding(const std::string &pass, Version &now);
  Status changed(const std::string &what, const Difference &difference,
                 const Version &now, bool transparent);
  StatusOr<Version> execute();
  static Status keep(Version &version, ModuleOp module);
  StatusOr<std::string> findOp(const Version &now, bool transparent);
  StatusOr<std::string> findLoss(const Version &now);
  StatusOr<Difference> compareCompiled(const std::string &artifact,
                                       const std::string &target);
  double compiledBound() const;
  void log(const std::string &line) {
    if (options.log)
      options.log("verify " + line);
  }
  static std::string runner(const Version &version) {
    return concat("runner ", runnerName(version.entry.runner).str());
  }
  /// By what a version was executed, and on what; the first line of the log
  /// describes the schedules.
  std::string execution(const Version &version) const {
    return concat(runner(version), ", ", rows());
  }
  std::string rows() const {
    return concat(before.seen.rowCount(), " rows of ", inputs.schedules.size(),
                  inputs.schedules.size() == 1 ? " schedule" : " schedules");
  }

  ModuleOp module;
  VerifyOptions options;
  Inputs inputs;
  std::shared_ptr<reference::WeightFiles> files;
  OperationFingerPrint fingerprint;
  Version before;
  /// What all roundings together cost, of the largest logit.
  double loss = 0;
  Status failure;
};

class Instrumentation final : public PassInstrumentation {
public:
  explicit Instrumentation(Verifier &verifier) : verifier(verifier) {}

  void runAfterPass(Pass *pass, Operation *op) override {
    // Adaptors only nest other passes.
    if (!pass->getName().contains("PassAdaptor"))
      verifier.afterPass(pass->getArgument().empty() ? pass->getName()
                                                     : pass->getArgument(),
                         op);
  }

private:
  Verifier &verifier;
};

std::unique_ptr<PassInstrumentation> Verifier::instrument() {
  return std::make_unique<Instrumentation>(*this);
}

/// The module as it is now, executed.
StatusOr<Version> Verifier::execute() {
  PAGODA_ASSIGN_OR_RETURN(Entry entry, findEntry(module));
  reference::Interpreter interpreter(module, files, {});
  Version version{{}, entry, countRoundings(module), {}, {}};
  PAGODA_ASSIGN_OR_RETURN(version.seen, observe(interpreter, entry, inputs));
  return version;
}

/// Keeps a copy of the module, for when the next version differs.
Status Verifier::keep(Version &version, ModuleOp module) {
  version.module = module.clone();
  PAGODA_ASSIGN_OR_RETURN(version.entry, findEntry(*version.module));
  return {};
}

Status Verifier::start() {
  PAGODA_ASSIGN_OR_RETURN(before, execute());
  PAGODA_RETURN_IF_ERROR(keep(before, module));
  Difference difference = compareSchedules(before.seen);
  if (!std::isfinite(before.seen.largest()))
    return invalidArgument("the program computes logits that are not finite");
  if (difference.exceeds(kExactBound))
    return invalidArgument("the logits of a token depend on the other tokens "
                           "of a step: they differ by ",
                           number(difference.relative), " of max |logit| ",
                           place(difference, inputs));
  log(concat("import: ", runner(before), ", ", inputs.describe(), ", ",
             before.seen.rowCount(), " rows of logits up to ",
             number(before.seen.largest()), "; schedules agree to ",
             number(difference.relative)));
  return {};
}

void Verifier::afterPass(StringRef pass, Operation *op) {
  if (!failure.ok())
    return;
  failure = checkPass(pass.str());
  if (!failure.ok())
    restore(op);
}

/// Puts the program of before the pass back into the op that the pass ran on:
/// the passes behind cannot be kept from running, and must not stumble over
/// what this one left.
void Verifier::restore(Operation *op) {
  Operation *good = before.module->getOperation();
  if (op != module)
    good = SymbolTable::lookupSymbolIn(
        good, cast<SymbolOpInterface>(op).getNameAttr());
  if (!good)
    return;
  op->setAttrs(good->getAttrDictionary());
  for (auto [region, source] : llvm::zip(op->getRegions(), good->getRegions()))
    region.takeBody(source);
}

Status Verifier::checkPass(const std::string &pass) {
  OperationFingerPrint now(module);
  if (now == fingerprint) {
    log(concat(pass, ": ", execution(before), ", unchanged, difference 0"));
    return {};
  }
  fingerprint = now;
  StatusOr<Version> executed = execute();
  if (!executed.ok())
    return std::move(executed).status().withContext(
        concat("pass '", pass, "' leaves a program that cannot be executed"));
  Version version = *std::move(executed);
  bool rounds = getRounding(pass).value_or(Rounding::Exact) == Rounding::Rounds;
  if (rounds && version.roundings != before.roundings)
    PAGODA_RETURN_IF_ERROR(checkRounding(pass, version));
  else
    PAGODA_RETURN_IF_ERROR(checkExact(pass, version));
  PAGODA_RETURN_IF_ERROR(keep(version, module));
  before = std::move(version);
  return {};
}

Status Verifier::checkExact(const std::string &pass, Version &now) {
  Difference difference = compare(before.seen, now.seen);
  if (difference.exceeds(kExactBound))
    return changed(concat("pass '", pass, "' changes the result"), difference,
                   now, /*transparent=*/false);
  now.transparent = before.transparent;
  log(concat(pass, ": ", execution(now), ", difference ",
             number(difference.relative)));
  return {};
}

/// What is left without the roundings is the function that the importer wrote;
/// what they cost is no fault, but is worth knowing.
Status Verifier::checkRounding(const std::string &pass, Version &now) {
  if (now.roundings < before.roundings)
    return internalError("pass '", pass,
                         "' takes roundings away: ", before.roundings,
                         " before, ", now.roundings, " after it");
  reference::InterpreterOptions transparent;
  transparent.transparentRoundings = true;
  {
    reference::Interpreter interpreter(module, files, transparent);
    PAGODA_ASSIGN_OR_RETURN(now.transparent,
                            observe(interpreter, now.entry, inputs));
  }
  Difference difference = compare(before.unrounded(), *now.transparent);
  if (difference.exceeds(kExactBound))
    return changed(concat("pass '", pass, "' does more than round"), difference,
                   now, /*transparent=*/true);
  double own = compare(before.seen, now.seen).relative;
  loss = compare(*now.transparent, now.seen).relative;
  if (!std::isfinite(loss))
    return internalError("pass '", pass,
                         "' rounds to numbers that are not finite");
  PAGODA_ASSIGN_OR_RETURN(std::string layers, findLoss(now));
  log(concat(pass, " (rounds): ", execution(now),
             ", difference without roundings ", number(difference.relative),
             ", they cost ", number(own), " of max |logit|; ", layers));
  return {};
}

/// The error for a version that differs.
Status Verifier::changed(const std::string &what, const Difference &difference,
                         const Version &now, bool transparent) {
  PAGODA_ASSIGN_OR_RETURN(std::string op, findOp(now, transparent));
  return internalError(what, ": ", op, "; the largest difference is ",
                       number(difference.relative), " of max |logit| ",
                       place(difference, inputs), ", ", runner(now));
}

StatusOr<std::string> Verifier::findOp(const Version &now, bool transparent) {
  reference::InterpreterOptions interpretation;
  interpretation.transparentRoundings = transparent;
  reference::Interpreter old(*before.module, files, interpretation);
  reference::Interpreter current(module, files, interpretation);
  reference::Trace oldTrace, currentTrace;
  PAGODA_RETURN_IF_ERROR(trace(old, before.entry, inputs, oldTrace));
  PAGODA_RETURN_IF_ERROR(trace(current, now.entry, inputs, currentTrace));
  return reference::findFault({oldTrace, old}, {currentTrace, current});
}

StatusOr<std::string> Verifier::findLoss(const Version &now) {
  reference::Interpreter old(*before.module, files, {});
  reference::Interpreter current(module, files, {});
  reference::Trace oldTrace, currentTrace;
  PAGODA_RETURN_IF_ERROR(trace(old, before.entry, inputs, oldTrace));
  PAGODA_RETURN_IF_ERROR(trace(current, now.entry, inputs, currentTrace));
  return describeLoss(oldTrace, currentTrace);
}

Status Verifier::checkCompiled(const std::string &path,
                               const SerializeOptions &serialization) {
  if (before.entry.runner != Runner::Exec)
    return unsupported("the last pass leaves no exec entry to compile");
  PAGODA_ASSIGN_OR_RETURN(std::vector<std::string> targets,
                          CompiledProgram::targets(path));
  std::optional<LaunchCheck> launches;
  llvm::FileRemover launchesFile;
  for (const std::string &target : targets) {
    PAGODA_ASSIGN_OR_RETURN(Difference difference,
                            compareCompiled(path, target));
    bool differs = difference.exceeds(compiledBound());
    if (!differs && loss == 0)
      continue;
    if (!launches) {
      SerializeOptions own = serialization;
      own.output = path + ".launches";
      own.progress = nullptr;
      launchesFile.setFile(own.output);
      PAGODA_ASSIGN_OR_RETURN(launches,
                              LaunchCheck::create(*before.module, files, own));
    }
    PAGODA_ASSIGN_OR_RETURN(LaunchReport report, launches->run(inputs, target));
    if (report.isFault())
      return internalError(
          "the program compiled for ", target,
          " does not compute what its IR "
          "says: ",
          report.kernel, " is ", number(report.worst),
          " times as far "
          "from its contract as it may; the largest difference is ",
          number(difference.relative), " of max |logit| ",
          place(difference, inputs));
    if (differs)
      return internalError(
          "the program compiled for ", target,
          " does not compute what its IR "
          "says, though each kernel keeps its contract where no memory is "
          "shared; the largest difference is ",
          number(difference.relative), " of max |logit| ",
          place(difference, inputs));
    log(concat("compiled for ", target,
               ", launch by launch: the largest "
               "difference is ",
               number(report.worst),
               " of what float32 "
               "explains, in ",
               report.kernel));
  }
  return {};
}

/// A float32 error may push a number over the edge of a rounding. What that
/// does to logits is no more than rounding does altogether, once in each of the
/// two programs. It is a wide bound, so launches are looked at one by one then.
double Verifier::compiledBound() const { return kFloatBound + 2 * loss; }

StatusOr<Difference> Verifier::compareCompiled(const std::string &path,
                                               const std::string &target) {
  PAGODA_ASSIGN_OR_RETURN(
      CompiledProgram program,
      CompiledProgram::open(path, inputs, before.entry.block, target));
  PAGODA_ASSIGN_OR_RETURN(Observation seen, program.observe());
  Difference difference = compare(before.seen, seen);
  log(concat("compiled for ", target, ": ", rows(), ", difference ",
             number(difference.relative), " of max |logit|, the bound ",
             number(compiledBound())));
  return difference;
}

} // namespace

StatusOr<std::unique_ptr<PassVerifier>>
PassVerifier::create(ModuleOp module, VerifyOptions options) {
  PAGODA_ASSIGN_OR_RETURN(ModelFacts facts, findFacts(module));
  auto verifier =
      std::make_unique<Verifier>(module, std::move(options), makeInputs(facts));
  PAGODA_RETURN_IF_ERROR(
      verifier->start().withContext("before the first pass"));
  return std::unique_ptr<PassVerifier>(std::move(verifier));
}

} // namespace pagoda
