#include "pate/numerics/kernels/kernels.hpp"

#include <vector>

namespace pate {

// One source each: baseline.cpp, avx2.cpp, avx512f.cpp.
extern const Kernels kBaselineKernels;
#ifdef __x86_64__
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512fKernels;
#endif

std::span<const Kernels> runnable_kernels() {
  static const std::vector<Kernels> runnable = [] {
    std::vector<Kernels> result{kBaselineKernels};
#ifdef __x86_64__
    // The compiler's check asks the operating system too; that of xsimd 8 does not.
    if (__builtin_cpu_supports("avx2")) result.push_back(kAvx2Kernels);
    if (__builtin_cpu_supports("avx512f")) result.push_back(kAvx512fKernels);
#endif
    return result;
  }();
  return runnable;
}

const Kernels& kernels() {
  static const Kernels& widest = runnable_kernels().back();
  return widest;
}

}  // namespace pate
