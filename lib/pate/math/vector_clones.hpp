#pragma once

/// Leaves a loop to itself under the thread sanitizer, which would look at every number it reads,
/// in minutes. For loops that write what their caller alone knows.
#if defined(__SANITIZE_THREAD__)
#define PATE_NOT_WATCHED __attribute__((no_sanitize("thread")))
#else
#define PATE_NOT_WATCHED
#endif

/// Compiles such a loop for wider vectors too, chosen when the program starts, which is before
/// sanitizers do. For loops whose products and sums are the same in each: no result depends on the
/// machine.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PATE_VECTOR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define PATE_VECTOR_CLONES PATE_NOT_WATCHED
#endif
