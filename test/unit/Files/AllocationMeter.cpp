#include "AllocationMeter.h"

#include <algorithm>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace {

size_t alive = 0;
size_t highest = 0;

void *allocate(size_t size) {
  void *memory = std::malloc(size);
  if (!memory)
    throw std::bad_alloc();
  alive += malloc_usable_size(memory);
  highest = std::max(highest, alive);
  return memory;
}

void release(void *memory) {
  alive -= malloc_usable_size(memory);
  std::free(memory);
}

} // namespace

// The forms that take an alignment are not used by the code under test; the
// others call these.
void *operator new(size_t size) { return allocate(size); }
void *operator new[](size_t size) { return allocate(size); }
void operator delete(void *memory) noexcept { release(memory); }
void operator delete[](void *memory) noexcept { release(memory); }
void operator delete(void *memory, size_t) noexcept { release(memory); }
void operator delete[](void *memory, size_t) noexcept { release(memory); }

namespace pagoda {

AllocationMeter::AllocationMeter() : before(alive) { highest = alive; }

size_t AllocationMeter::peak() const { return highest - before; }

} // namespace pagoda
