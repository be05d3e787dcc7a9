#include "pate/numerics/kernels/generic/all.hpp"

namespace pate {
extern const Kernels kBaselineKernels = kernels_of<xsimd::default_arch>();
}
