// Names for fixed-width integers. Kernels include no system header: it would
// cost more time than the kernel takes to compile, and NVRTC has none.

#ifndef PAGODA_KERNELS_CORE_TYPES_H
#define PAGODA_KERNELS_CORE_TYPES_H

namespace pagoda {

using i8 = signed char;
using u8 = unsigned char;
using i16 = short;
using u16 = unsigned short;
using i32 = int;
using u32 = unsigned int;
using i64 = long long;
using u64 = unsigned long long;

} // namespace pagoda

#endif // PAGODA_KERNELS_CORE_TYPES_H
