#include "pate/profile/node_sums.hpp"

#include <cstring>

#include "pate/math/vector_clones.hpp"

// The loops are compiled for wider vectors too; the additions are the same in each.
#if defined(__x86_64__) && defined(__GNUC__)
#define PATE_WIDER_VECTORS
#endif

namespace pate {

namespace {

using Two [[gnu::vector_size(16)]] = double;
using Four [[gnu::vector_size(32)]] = double;
using Eight [[gnu::vector_size(64)]] = double;

// What follows the first of `value`, before the first of `next`. Vectors are passed by reference:
// wider ones have no agreed registers.
[[gnu::always_inline]] inline void shift(Two& value, const Two& next) {
  value = __builtin_shufflevector(value, next, 1, 2);
}
[[gnu::always_inline]] inline void shift(Four& value, const Four& next) {
  value = __builtin_shufflevector(value, next, 1, 2, 3, 4);
}
[[gnu::always_inline]] inline void shift(Eight& value, const Eight& next) {
  value = __builtin_shufflevector(value, next, 1, 2, 3, 4, 5, 6, 7, 8);
}

template <class Vector>
[[gnu::always_inline]] inline void load(const double* from, Vector& value) {
  std::memcpy(&value, from, sizeof value);
}

// A strip of nodes whose sums are in registers at once.
template <class Vector>
struct Strip {
  static constexpr std::size_t kWidth = sizeof(Vector) / sizeof(double);
  static constexpr std::size_t kVectors = 8;
  static constexpr std::size_t kNodes = kWidth * kVectors;
  static_assert(kNodeBlock % kNodes == 0);

  Vector of[kVectors];  // NOLINT(*-avoid-c-arrays): std::array drops the attribute

  [[gnu::always_inline]] explicit Strip(double start) {
#pragma GCC unroll 8
    for (Vector& sum : of) sum = Vector{} + start;
  }
  [[gnu::always_inline]] PATE_NOT_WATCHED void add(const NodeTerms& terms, const double* values) {
    std::size_t t = 0;
    while (t < terms.size) {
      const double* const from = values + terms.offsets[t];
      const Vector weight = Vector{} + terms.weights[t];
      Vector value;
      load(from, value);
      // A loss between two nodes has a term at each: the second is read with the first.
      if (t + 1 < terms.size && terms.offsets[t + 1] == terms.offsets[t] + 1) {
        const Vector second = Vector{} + terms.weights[t + 1];
#pragma GCC unroll 8
        for (std::size_t j = 0; j + 1 < kVectors; ++j) {
          of[j] += weight * value;
          Vector next;
          load(from + (j + 1) * kWidth, next);
          shift(value, next);
          of[j] += second * value;
          value = next;
        }
        of[kVectors - 1] += weight * value;
        load(from + kNodes - kWidth + 1, value);
        of[kVectors - 1] += second * value;
        t += 2;
        continue;
      }
#pragma GCC unroll 8
      for (std::size_t j = 0; j < kVectors; ++j) {
        load(from + j * kWidth, value);
        of[j] += weight * value;
      }
      ++t;
    }
  }
  [[gnu::always_inline]] void write(double* result) const {
#pragma GCC unroll 8
    for (std::size_t j = 0; j < kVectors; ++j) {
      std::memcpy(result + j * kWidth, &of[j], sizeof(Vector));
    }
  }
};

template <class Vector>
[[gnu::always_inline]] PATE_NOT_WATCHED inline void sums_of(const double* values,
                                                            const NodeTerms& terms,
                                                            double* result) {
  for (std::size_t i = 0; i < kNodeBlock; i += Strip<Vector>::kNodes) {
    Strip<Vector> sums(terms.start);
    sums.add(terms, values + i);
    sums.write(result + i);
  }
}

template <class Vector>
[[gnu::always_inline]] PATE_NOT_WATCHED inline void largest_of(const double* values,
                                                               std::span<const NodeTerms> tables,
                                                               double* result) {
  for (std::size_t i = 0; i < kNodeBlock; i += Strip<Vector>::kNodes) {
    Strip<Vector> most(0.0);
    for (const NodeTerms& terms : tables) {
      Strip<Vector> sums(terms.start);
      sums.add(terms, values + i);
#pragma GCC unroll 8
      for (std::size_t j = 0; j < Strip<Vector>::kVectors; ++j) {
        most.of[j] = most.of[j] > sums.of[j] ? most.of[j] : sums.of[j];
      }
    }
    const Vector one = Vector{} + 1.0;
#pragma GCC unroll 8
    for (std::size_t j = 0; j < Strip<Vector>::kVectors; ++j) {
      most.of[j] = most.of[j] < one ? most.of[j] : one;
    }
    most.write(result + i);
  }
}

struct Loops {
  void (*sums)(const double*, const NodeTerms&, double*);
  void (*largest)(const double*, std::span<const NodeTerms>, double*);
};

PATE_NOT_WATCHED void sums_narrow(const double* values, const NodeTerms& terms, double* result) {
  sums_of<Two>(values, terms, result);
}
PATE_NOT_WATCHED void largest_narrow(const double* values, std::span<const NodeTerms> tables,
                                     double* result) {
  largest_of<Two>(values, tables, result);
}

#ifdef PATE_WIDER_VECTORS
PATE_NOT_WATCHED __attribute__((target("avx2"))) void sums_wide(const double* values,
                                                                const NodeTerms& terms,
                                                                double* result) {
  sums_of<Four>(values, terms, result);
}
PATE_NOT_WATCHED __attribute__((target("avx2"))) void largest_wide(
    const double* values, std::span<const NodeTerms> tables, double* result) {
  largest_of<Four>(values, tables, result);
}
PATE_NOT_WATCHED __attribute__((target("avx512f"))) void sums_widest(const double* values,
                                                                     const NodeTerms& terms,
                                                                     double* result) {
  sums_of<Eight>(values, terms, result);
}
PATE_NOT_WATCHED __attribute__((target("avx512f"))) void largest_widest(
    const double* values, std::span<const NodeTerms> tables, double* result) {
  largest_of<Eight>(values, tables, result);
}
#endif

Loops fastest() {
#ifdef PATE_WIDER_VECTORS
  if (__builtin_cpu_supports("avx512f")) return {sums_widest, largest_widest};
  if (__builtin_cpu_supports("avx2")) return {sums_wide, largest_wide};
#endif
  return {sums_narrow, largest_narrow};
}

const Loops& loops() {
  static const Loops result = fastest();
  return result;
}

}  // namespace

void node_sums(const double* values, const NodeTerms& terms, double* result) {
  loops().sums(values, terms, result);
}

void largest_sums(const double* values, std::span<const NodeTerms> tables, double* result) {
  loops().largest(values, tables, result);
}

}  // namespace pate
