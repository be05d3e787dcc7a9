#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pate {

/// How many nodes are worked on together: whole strips of those whose sums are in registers at
/// once.
inline constexpr std::size_t kNodeBlock = 64;

/// start + sum over terms of weights[t] * values[i + offsets[t]], added up in the order of the
/// terms: the same bits in vectors of any width.
struct NodeTerms {
  const std::int32_t* offsets;
  const double* weights;
  std::size_t size;
  double start;
};

/// result[i], i < kNodeBlock: that sum.
void node_sums(const double* values, const NodeTerms& terms, double* result);

/// result[i], i < kNodeBlock: the largest of those sums over `tables`, but from 0 to 1.
void largest_sums(const double* values, std::span<const NodeTerms> tables, double* result);

}  // namespace pate
