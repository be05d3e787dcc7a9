#include "pate/numerics/kernels/generic/all.hpp"

#ifdef __x86_64__
namespace pate {
extern const Kernels kAvx2Kernels = kernels_of<xsimd::avx2>();
}
#endif
