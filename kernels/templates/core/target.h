// The target that a unit is compiled for. Both halves define the same names,
// so that templates outside core/ are one text for all of them:
//
//   PG_FN            before every function: inline, and on the device for CUDA
//   Lanes            the lanes that work on one row together, with
//     F, I           a float and an int per lane
//     each<N>(body)  calls body(at) so that the `at`s cover 0 … N-1
//     sum(F), max(F) over all lanes, in one fixed order
//   load(p, at), store(p, at, F)   elements `at` of a row of f32 or f16
//   fma, round_even, select, as_int, as_float, …   on F and I

#ifndef PAGODA_KERNELS_CORE_TARGET_H
#define PAGODA_KERNELS_CORE_TARGET_H

#ifdef __CUDACC__
#include "core/target_cuda.h"
#else
#include "core/target_cpu.h"
#endif

#endif // PAGODA_KERNELS_CORE_TARGET_H
