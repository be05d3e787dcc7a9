#include "pate/numerics/kernels/generic/all.hpp"

#ifdef __x86_64__
namespace pate {
extern const Kernels kAvx512fKernels = kernels_of<xsimd::avx512f>();
}
#endif
