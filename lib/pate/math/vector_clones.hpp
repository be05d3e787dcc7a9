#pragma once

/// Compiles a loop for wider vectors too, chosen when the program starts, which is before
/// sanitizers do. For loops whose products and sums are the same in each: no result depends on the
/// machine.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PATE_VECTOR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define PATE_VECTOR_CLONES
#endif
