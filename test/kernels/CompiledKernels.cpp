#include "CompiledKernels.h"

#include "pagoda/Runtime/Device/CpuFeatures.h"
#include "pagoda/Tools/RegisterAll.h"

#include "mlir/Parser/Parser.h"

#include <cstdlib>
#include <cstring>
#include <future>
#include <iostream>
#include <sys/mman.h>

namespace pagoda::test {

namespace {

[[noreturn]] void giveUp(const std::string &message) {
  std::cerr << "kernel tests: " << message << '\n';
  std::exit(1);
}

std::byte *mapCode(const std::vector<std::byte> &bytes) {
  void *code = ::mmap(nullptr, bytes.size(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (code == MAP_FAILED)
    giveUp("no memory for an image");
  std::memcpy(code, bytes.data(), bytes.size());
  if (::mprotect(code, bytes.size(), PROT_READ | PROT_EXEC) != 0)
    giveUp("an image cannot be made executable");
  return static_cast<std::byte *>(code);
}

} // namespace

std::string kernelCacheFolder() {
  const char *folder = std::getenv("XDG_CACHE_HOME");
  return folder && *folder ? std::string(folder) + "/pagoda/kernels" : "";
}

CompiledKernels::CompiledKernels(const std::vector<std::string> &kernels,
                                 std::vector<KernelUnit> written) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  context = std::make_unique<mlir::MLIRContext>(registry);
  context->loadAllAvailableDialects();
  std::string text;
  for (const std::string &kernel : kernels)
    text += kernel + "\n";
  module = mlir::parseSourceString<mlir::ModuleOp>(text, context.get());
  if (!module)
    giveUp("a kernel is no valid IR");
  for (auto kernel : module->getOps<exec::KernelOp>()) {
    StatusOr<KernelUnit> unit = printKernel(kernel);
    if (!unit.ok())
      giveUp(unit.status().message());
    allUnits.push_back(*std::move(unit));
  }
  for (KernelUnit &unit : written)
    allUnits.push_back(std::move(unit));
  for (unsigned number = 0; number < allUnits.size(); ++number)
    numbers[allUnits[number].name] = number;

  auto builder = ImageBuilder::create({{}, {}, kernelCacheFolder(), {}});
  if (!builder.ok())
    giveUp(builder.status().message());
  std::vector<std::future<StatusOr<KernelImage>>> pending;
  for (std::string_view target : cpuTargets())
    if (rt::cpuRuns(target)) {
      names.emplace_back(target);
      pending.push_back(
          std::async(std::launch::async, [this, &builder, target] {
            return builder->build(allUnits, target);
          }));
    }
  for (size_t i = 0; i < names.size(); ++i) {
    StatusOr<KernelImage> image = pending[i].get();
    if (!image.ok())
      giveUp(image.status().message());
    std::byte *code = mapCode(image->bytes);
    images.emplace(names[i], Mapped{*std::move(image), code});
  }
}

CompiledKernels::~CompiledKernels() {
  for (auto &[target, mapped] : images)
    ::munmap(mapped.code, mapped.image.bytes.size());
}

CompiledKernel CompiledKernels::find(const std::string &kernel,
                                     const std::string &target) const {
  unsigned number = numbers.at(kernel);
  const Mapped &mapped = images.at(target);
  const KernelEntryPoint &point = mapped.image.entryPoints.at(number);
  return {reinterpret_cast<PagodaTiles *>(mapped.code + point.tiles),
          reinterpret_cast<PagodaRun *>(mapped.code + point.run),
          point.scratchBytes, &allUnits[number], op(kernel)};
}

exec::KernelOp CompiledKernels::op(const std::string &kernel) const {
  return mlir::SymbolTable(*module).lookup<exec::KernelOp>(kernel);
}

const KernelImage &CompiledKernels::image(const std::string &target) const {
  return images.at(target).image;
}

} // namespace pagoda::test
