#include "pate/exact/gaussian_lattice.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "pate/math/normal.hpp"

namespace pate {

namespace {

// How far the rule reaches beyond the counts, in sigmas and votes: no class wins further down, and
// the largest of a million noises is below 5 sigma.
constexpr double kBelow = 10.0;
constexpr double kAbove = 15.0;
constexpr double kVotes = 3.0;
// Terms below e^-41 of the largest are left out.
constexpr double kDepth = 41.0;
// Nodes in the table, 80 bytes each.
constexpr double kLargestTable = 600'000;

}  // namespace

GaussianLattice::GaussianLattice(double sigma, std::int64_t teachers, int steps_per_sigma)
    : sigma_(sigma), votes_per_step_(std::floor(sigma / steps_per_sigma)) {
  if (votes_per_step_ < 1.0) {
    per_vote_ = static_cast<std::int64_t>(std::ceil(steps_per_sigma / sigma));
    votes_per_step_ = 1.0 / static_cast<double>(per_vote_);
  }
  const auto most = static_cast<double>(teachers);
  // A whole number of steps below zero, so that the nodes contain the integers.
  lowest_ = -std::ceil((kBelow * sigma + kVotes) / votes_per_step_) * votes_per_step_;
  nodes_ = static_cast<std::int64_t>(
      std::ceil((most + kAbove * sigma + kVotes - lowest_) / votes_per_step_));
  most_steps_ = position(teachers).steps;
  const double residues = std::min(std::max(votes_per_step_, 1.0), most + 1.0);
  const auto row = static_cast<double>(nodes_ + most_steps_);
  if (!(residues * row <= kLargestTable)) return;
  const auto size = static_cast<std::size_t>(nodes_ + most_steps_);
  table_.resize(static_cast<std::size_t>(residues) * size * kNoiseArrays);
  for (std::size_t residue = 0; residue < static_cast<std::size_t>(residues); ++residue) {
    fill(table_.data() + residue * size * kNoiseArrays, static_cast<std::int64_t>(residue),
         -most_steps_, nodes_ + most_steps_);
  }
}

GaussianLattice::Position GaussianLattice::position(std::int64_t count) const {
  if (per_vote_ > 1 || votes_per_step_ == 1.0) return {0, count * per_vote_};
  if (votes_per_step_ > static_cast<double>(count)) return {count, 0};
  const auto step = static_cast<std::int64_t>(votes_per_step_);
  return {count % step, count / step};
}

void GaussianLattice::fill(double* block, std::int64_t residue, std::int64_t first,
                           std::int64_t size) const {
  const double vote = 1.0 / sigma_;
  const double log_weight = std::log(votes_per_step_ / sigma_);
  const auto stride = static_cast<std::size_t>(size);
  for (std::size_t i = 0; i < stride; ++i) {
    const auto steps = static_cast<double>(first + static_cast<std::int64_t>(i));
    const double z =
        lowest_ / sigma_ + (steps * votes_per_step_ - static_cast<double>(residue)) / sigma_;
    const double log_fallen = log_normal_cdf_ratio(z, vote);
    const double log_risen = log_normal_cdf_ratio(z, -vote);
    const double log_fallen_density = -(z + 0.5 * vote) * vote;
    const double log_risen_density = (z - 0.5 * vote) * vote;
    const std::array<double, kNoiseArrays> values{log_normal_cdf(z),
                                                  log_normal_density(z) + log_weight,
                                                  std::expm1(log_fallen),
                                                  -std::expm1(log_risen),
                                                  log_fallen,
                                                  log_risen,
                                                  std::expm1(log_fallen_density),
                                                  std::expm1(log_risen_density),
                                                  log_fallen_density,
                                                  log_risen_density};
    for (std::size_t k = 0; k < kNoiseArrays; ++k) block[k * stride + i] = values[k];
  }
}

void GaussianLattice::at(const GroupedVotes& votes, NoiseAtNodes& result) const {
  const auto highest = static_cast<double>(votes.groups.front().count);
  const std::int64_t first = position(votes.groups.back().count).steps;
  const std::int64_t last = std::min(
      nodes_, static_cast<std::int64_t>(
                  std::ceil((highest + kAbove * sigma_ + kVotes - lowest_) / votes_per_step_)));
  result.nodes = static_cast<std::size_t>(last - first);
  result.depth = kDepth;
  // A moved vote moves the peak of an integrand by no more than two votes.
  result.widening = static_cast<std::size_t>(std::ceil(2.0 / votes_per_step_));
  result.rows.clear();
  if (table_.empty()) result.storage.resize(votes.groups.size() * result.nodes * kNoiseArrays);
  const auto stride = static_cast<std::size_t>(nodes_ + most_steps_);
  std::size_t used = 0;
  for (const VoteGroup& group : votes.groups) {
    const Position at = position(group.count);
    if (table_.empty()) {
      double* const block = result.storage.data() + used;
      fill(block, at.residue, first - at.steps, last - first);
      result.rows.push_back(noise_row(block, result.nodes));
      used += result.nodes * kNoiseArrays;
      continue;
    }
    const double* const block = table_.data() +
                                static_cast<std::size_t>(at.residue) * stride * kNoiseArrays +
                                static_cast<std::size_t>(first - at.steps + most_steps_);
    result.rows.push_back(noise_row(block, stride));
  }
}

}  // namespace pate
