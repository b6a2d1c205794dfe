#include "WatchedMemory.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <sys/mman.h>
#include <sys/ucontext.h>

namespace pagoda::test {

namespace {

/// The ones that watch now; for the handler, so nothing here allocates then.
constexpr size_t kMost = 4;
WatchedMemory *watching[kMost];
struct sigaction previous;

} // namespace

struct FaultHandler {
  static void handle(int signal, siginfo_t *info, void *context) {
    auto *address = static_cast<std::byte *>(info->si_addr);
    for (WatchedMemory *memory : watching) {
      if (!memory || address < memory->memory ||
          address >= memory->memory + memory->size())
        continue;
      size_t page =
          static_cast<size_t>(address - memory->memory) / WatchedMemory::kPage;
      // Bit 1 of the error code of a page fault says that it was a write.
      auto *registers = static_cast<ucontext_t *>(context);
      bool isWrite = registers->uc_mcontext.gregs[REG_ERR] & 2;
      memory->accesses[page] |= isWrite ? 2 : 1;
      ::mprotect(memory->memory + page * WatchedMemory::kPage,
                 WatchedMemory::kPage,
                 isWrite ? PROT_READ | PROT_WRITE : PROT_READ);
      return;
    }
    // Somebody else's fault.
    ::sigaction(signal, &previous, nullptr);
  }
};

WatchedMemory::WatchedMemory(size_t pages) : pages(pages), accesses(pages) {
  void *mapping = ::mmap(nullptr, pages * kPage, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED)
    std::abort();
  memory = static_cast<std::byte *>(mapping);
}

WatchedMemory::~WatchedMemory() {
  unwatch();
  ::munmap(memory, size());
}

void WatchedMemory::watch() {
  auto *free = std::find(watching, watching + kMost, nullptr);
  if (free == watching + kMost)
    std::abort();
  if (std::all_of(watching, watching + kMost,
                  [](auto *memory) { return memory == nullptr; })) {
    struct sigaction action = {};
    action.sa_sigaction = FaultHandler::handle;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGSEGV, &action, &previous);
  }
  *free = this;
  std::fill(accesses.begin(), accesses.end(), uint8_t{0});
  ::mprotect(memory, size(), PROT_NONE);
}

void WatchedMemory::unwatch() {
  auto *own = std::find(watching, watching + kMost, this);
  if (own == watching + kMost)
    return;
  *own = nullptr;
  ::mprotect(memory, size(), PROT_READ | PROT_WRITE);
  if (std::all_of(watching, watching + kMost,
                  [](auto *memory) { return memory == nullptr; }))
    ::sigaction(SIGSEGV, &previous, nullptr);
}

std::set<size_t> WatchedMemory::touched(uint8_t how) const {
  std::set<size_t> found;
  for (size_t page = 0; page < pages; ++page)
    if (accesses[page] & how)
      found.insert(page);
  return found;
}

} // namespace pagoda::test
