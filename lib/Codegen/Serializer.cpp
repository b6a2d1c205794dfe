#include "pagoda/Codegen/Serializer.h"

#include "ProgramBuilder.h"
#include "ProgramContract.h"
#include "pagoda/Base/Parallel.h"
#include "pagoda/Codegen/WeightLowering.h"

#include <filesystem>
#include <future>

using namespace mlir;

namespace pagoda {

namespace {

/// Weights are evaluated this many bytes at a time: enough to keep all cores
/// busy, little beside any model.
constexpr uint64_t kWindowBytes = 32 << 20;
/// The least that is worth handing to a thread.
constexpr uint64_t kTaskBytes = 256 << 10;

void report(const SerializeOptions &options, const char *phase,
            double fraction) {
  if (options.progress)
    options.progress(phase, fraction);
}

StatusOr<std::vector<KernelImage>>
buildImages(const std::vector<KernelUnit> &units,
            const SerializeOptions &options) {
  PAGODA_ASSIGN_OR_RETURN(
      ImageBuilder builder,
      ImageBuilder::create({{}, {}, options.kernelCache, options.keepKernels}));
  std::vector<std::future<StatusOr<KernelImage>>> pending;
  for (const std::string &target : options.targets)
    pending.push_back(
        std::async(std::launch::async, [&builder, &units, &target] {
          return builder.build(units, target);
        }));
  std::vector<KernelImage> images;
  Status failed;
  for (auto &image : pending) {
    StatusOr<KernelImage> built = image.get();
    if (built.ok())
      images.push_back(*std::move(built));
    else if (failed.ok())
      failed = std::move(built).status();
    report(options, "kernels", double(images.size()) / pending.size());
  }
  if (!failed.ok())
    return failed;
  return images;
}

/// Evaluates one weight window by window, each on all cores.
Status writeWeight(const LoweredWeight &weight, ArtifactWriter &writer,
                   std::vector<std::byte> &window) {
  uint64_t unitBytes = weight.unitBytes();
  uint64_t perWindow = std::max<uint64_t>(1, kWindowBytes / unitBytes);
  uint64_t perTask = std::max<uint64_t>(1, kTaskBytes / unitBytes);
  for (uint64_t first = 0; first < weight.units(); first += perWindow) {
    uint64_t count = std::min(perWindow, weight.units() - first);
    window.resize(count * unitBytes);
    uint64_t tasks = (count + perTask - 1) / perTask;
    PAGODA_RETURN_IF_ERROR(parallelFor(tasks, [&](size_t task) {
      uint64_t begin = task * perTask;
      return weight.read(first + begin, std::min(perTask, count - begin),
                         window.data() + begin * unitBytes);
    }));
    PAGODA_RETURN_IF_ERROR(writer.append(window));
  }
  return {};
}

/// A full disk shows before the work is done rather than after. What the system
/// does not tell is not held against anybody.
Status checkSpace(const std::string &output, uint64_t weightBytes) {
  std::error_code failure;
  std::filesystem::path folder =
      std::filesystem::absolute(output, failure).parent_path();
  std::filesystem::space_info space = std::filesystem::space(folder, failure);
  if (failure || weightBytes <= space.available)
    return {};
  return resourceExhausted("'", output, "' will have ", weightBytes,
                           " bytes of weights, and '", folder.string(),
                           "' has ", space.available, " bytes free");
}

} // namespace

Status serialize(ModuleOp module, const SerializeOptions &options) {
  PAGODA_RETURN_IF_ERROR(checkProgramContract(module));
  ProgramParts parts;
  for (auto kernel : module.getOps<exec::KernelOp>()) {
    PAGODA_ASSIGN_OR_RETURN(KernelUnit unit, printKernel(kernel));
    parts.kernels.push_back(kernel);
    parts.units.push_back(std::move(unit));
  }
  PAGODA_ASSIGN_OR_RETURN(WeightLowering lowering,
                          WeightLowering::create(module, options.sourceFolder));
  // Everything that can be wrong with a weight shows before the slow part.
  std::vector<LoweredWeight> lowered;
  uint64_t totalBytes = 0, doneBytes = 0;
  for (auto define : module.getOps<llm::DefineOp>()) {
    PAGODA_ASSIGN_OR_RETURN(LoweredWeight weight, lowering.lower(define));
    totalBytes += weight.units() * weight.unitBytes();
    parts.weights.push_back(define);
    lowered.push_back(std::move(weight));
  }

  PAGODA_RETURN_IF_ERROR(checkSpace(options.output, totalBytes));

  report(options, "kernels", 0);
  PAGODA_ASSIGN_OR_RETURN(parts.images, buildImages(parts.units, options));
  PAGODA_ASSIGN_OR_RETURN(ArtifactWriter writer,
                          ArtifactWriter::create(options.output));
  for (const KernelImage &image : parts.images) {
    PAGODA_ASSIGN_OR_RETURN(FileRegion region, writer.addImage(image.bytes));
    parts.imageRegions.push_back(region);
  }
  PAGODA_RETURN_IF_ERROR(writer.addTokenizer(options.tokenizer));

  std::vector<std::byte> window;
  for (const LoweredWeight &weight : lowered) {
    PAGODA_RETURN_IF_ERROR(writer.beginWeight());
    PAGODA_RETURN_IF_ERROR(writeWeight(weight, writer, window));
    PAGODA_ASSIGN_OR_RETURN(FileRegion region, writer.endWeight());
    parts.weightRegions.push_back(region);
    doneBytes += region.bytes;
    report(options, "weights", double(doneBytes) / double(totalBytes));
  }
  PAGODA_ASSIGN_OR_RETURN(flatbuffers::DetachedBuffer program,
                          buildProgram(module, parts));
  return writer.finish(
      {reinterpret_cast<const std::byte *>(program.data()), program.size()});
}

} // namespace pagoda
