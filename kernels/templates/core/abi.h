// What kernels, the code generator and the runtime agree on. Plain C structs
// without headers, so that every compiler that sees them lays them out alike.

#ifndef PAGODA_KERNELS_CORE_ABI_H
#define PAGODA_KERNELS_CORE_ABI_H

// Raised whenever a struct below or the meaning of an argument changes.
#define PAGODA_KERNEL_ABI 2

// The dims of a step, in the order in which a launch has them.
enum PagodaStepDim {
  PagodaTokens,
  PagodaSequences,
  PagodaRows,
  PagodaTableWidth, // entries of one sequence in the block table
  PagodaBlocks,     // blocks of the cache
  PagodaStepDims
};

// One launch: the kernel's arguments in the order of its unit (inputs,
// outputs, pools of the cache, fields of the batch), the step's dims, the rows
// of this launch (one of the dims), memory of the calling thread's own, how
// many bytes ahead a stream of weights is to be asked for (0: not at all), and
// what this CPU has beyond its level, a sum of PagodaFeature.
struct PagodaLaunch {
  void *const *arguments;
  const long long *dims;
  long long rows;
  void *scratch;
  long long prefetch;
  long long features;
};

enum PagodaFeature {
  PagodaMatrixUnit = 1, // AMX with 8-bit integers, and the system lets us
};

// The number of tiles that a launch is split into, given its dims.
typedef long long PagodaTiles(const struct PagodaLaunch *launch);
// Computes tiles [first, last). Any split of all tiles over threads gives the
// same bits.
typedef void PagodaRun(const struct PagodaLaunch *launch, long long first,
                       long long last);

// A row of an image's table of entries: where the functions and the number of
// scratch bytes (an unsigned) lie, as offsets from the start of the image.
struct PagodaKernelEntry {
  unsigned tiles;
  unsigned run;
  unsigned scratch;
  unsigned abi;
};

#ifdef __cplusplus
static_assert(sizeof(PagodaLaunch) == 48, "three pointers and three numbers");
static_assert(sizeof(PagodaKernelEntry) == 16, "four words");
#endif

#endif // PAGODA_KERNELS_CORE_ABI_H
