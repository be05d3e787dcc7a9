#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pate/accounting/run.hpp"
#include "pate/bounds/direction.hpp"
#include "pate/exact/exact_run.hpp"
#include "pate/math/upward_sum.hpp"
#include "pate/votes/prediction_votes.hpp"

namespace pate {

/// The exact RDP of a run, or of a part of one, for one teacher at one order: the sum over the
/// queries of the largest divergence from a neighbour whose vote moved from the class this teacher
/// voted for. Exact sums: parts add up to the same bits however the queries were cut.
struct TeacherSum {
  UpwardSum forward, reverse;

  void add(const TeacherSum& other) {
    forward.add(other.forward);
    reverse.add(other.reverse);
  }
  [[nodiscard]] BothDirections rdp() const { return {forward.value(), reverse.value()}; }
};

/// These sums by order, then teacher. `run.votes` must be `predictions`, `costs`
/// made of its distinct queries, and `distinct_of_query` says which of them each query is
/// (`ExactTally::of_query`). Reads the votes once.
[[nodiscard]] std::vector<std::vector<TeacherSum>> teacher_sums(
    const Run& run, const PredictionVotes& predictions,
    std::span<const std::uint32_t> distinct_of_query, ExactRun& costs,
    std::span<const double> orders, unsigned threads);

}  // namespace pate
