#include "pate/divergence/exact/sample_mixture.hpp"

#include <cmath>
#include <limits>

namespace pate {

namespace {

// Half of the last of 64 bits.
constexpr double kUnit = 0x1p-64;
// Samples that are as unlikely as this are left out of the sum over m, and counted as uncertain.
const auto kUnlikely = Extended(1e-60);

}  // namespace

SampleMixture::SampleMixture(const SampledQuery& query, const GroupedVotes& votes)
    : query_(query),
      votes_(votes),
      top_(votes.groups.front().count),
      points_(query.noise.sigma2, top_, classes()) {
  for (const VoteGroup& group : votes.groups) {
    for (const int by : {-1, 0, 1}) {
      SampledCount& count = counts_.emplace_back();
      if (group.count + by < 0) continue;
      count.mass = binomial_masses(group.count + by, query.noise.rate);
      count.below.assign(points_.size(), Extended(0));
      count.density.assign(points_.size(), Extended(0));
    }
  }
  all_.push_back({0, 0});
  for (const int by : {1, -1}) {
    for (std::size_t g = 0; g < votes.groups.size(); ++g) {
      if (votes.groups[g].count + by >= 0) all_.push_back({g, by});
    }
  }
  outcomes_.resize(all_.size());
  for (MixedOutcomes& one : outcomes_) one.classes.resize(votes.groups.size());
}

void SampleMixture::integrate() {
  if (query_.noise.has_check()) {
    integrate_checked();
    return;
  }
  for (std::int64_t m = 0; m <= top_ + 1; ++m) grow(m);
  add(Extended(1));
}

double SampleMixture::accuracy() const {
  const double votes = static_cast<double>(top_) + 1.0;
  const double rarest = 100.0 - 2.0 * votes * std::log1p(-query_.noise.rate);
  return kUnit * (static_cast<double>(points_.size()) + 16.0 * (votes + classes()) + 4.0 * rarest +
                  256.0) +
         2e-16;
}

double SampleMixture::classes() const {
  double result = 0.0;
  for (const VoteGroup& group : votes_.groups) result += group.classes;
  return result;
}

Extended SampleMixture::at_most(const VoteChange& change) const {
  Extended product(1);
  for (std::size_t g = 0; g < votes_.groups.size(); ++g) {
    const bool is_changed = change.by != 0 && change.group == g;
    product *= whole_power(count(g, 0).at_most, votes_.groups[g].classes - (is_changed ? 1 : 0));
    if (is_changed) product *= count(g, change.by).at_most;
  }
  return product;
}

void SampleMixture::add(const Extended& times, bool also_left_out) {
  const std::size_t groups = votes_.groups.size();
  std::vector<std::vector<Extended>> sums(all_.size(), std::vector<Extended>(groups + 1));
  std::vector<Extended> hazard(groups);
  std::vector<Extended> inverse(groups);  // divisions take as long as all else
  for (std::size_t i = 0; i < points_.size(); ++i) {
    Extended product(1);
    for (std::size_t g = 0; g < groups; ++g) {
      product *= whole_power(count(g, 0).below[i], votes_.groups[g].classes);
    }
    // What is divided below must not have lost digits: what is left out here is less than
    // `kLeast` of `SampledOutcomes` by far.
    if (!(product >= std::numeric_limits<Extended>::min())) continue;
    for (std::size_t g = 0; g < groups; ++g) {
      inverse[g] = 1 / count(g, 0).below[i];
      hazard[g] = count(g, 0).density[i] * inverse[g];
    }
    for (std::size_t n = 0; n < all_.size(); ++n) {
      const VoteChange& change = all_[n];
      std::vector<Extended>& to = sums[n];
      Extended its = product;
      if (change.by != 0) {
        const SampledCount& changed = count(change.group, change.by);
        const Extended others = product * inverse[change.group];
        its = others * changed.below[i];
        to[groups] += others * changed.density[i];
      }
      for (std::size_t g = 0; g < groups; ++g) to[g] += its * hazard[g];
    }
  }
  for (std::size_t n = 0; n < all_.size(); ++n) {
    const auto take = [&](SummedProbability& to, const Extended& sum) {
      to.add(times * sum);
      if (also_left_out) to.left_out += sum;
    };
    for (std::size_t g = 0; g < groups; ++g) take(outcomes_[n].classes[g], sums[n][g]);
    take(outcomes_[n].changed, sums[n][groups]);
  }
}

void SampleMixture::add_refused(const Extended& times, bool of_all) {
  for (std::size_t n = 0; n < all_.size(); ++n) {
    outcomes_[n].refused.add(of_all ? times : Extended(times * at_most(all_[n])));
  }
}

void SampleMixture::integrate_checked() {
  const SampledCheck check(query_);
  const std::int64_t last = top_ + 1;
  const SampledCount& fewest = count(0, top_ > 0 ? -1 : 0);
  // Pr[B > m] of a class with most votes and one more: no other class has a likelier one.
  std::vector<Extended> beyond(count(0, 1).mass.size(), Extended(0));
  for (std::size_t m = beyond.size() - 1; m > 0; --m) {
    beyond[m - 1] = beyond[m] + count(0, 1).mass[m];
  }
  bool begun = false;
  for (std::int64_t m = 0; m <= last; ++m) {
    grow(m);
    const bool is_last =
        m == last || beyond[static_cast<std::size_t>(m)] * Extended(classes()) < kUnlikely;
    if (!is_last) {
      add_refused(check.rise(m), false);
      // Samples with a smaller top count: what they would take away is at most what is added.
      if (!begun && fewest.at_most < kUnlikely) continue;
      add(-check.rise(m), !begun && m > 0);
      begun = true;
      continue;
    }
    add_refused(check.fails(m), true);
    add(check.passes(m));
    break;
  }
  for (MixedOutcomes& one : outcomes_) {
    for (SummedProbability& sum : one.classes) sum.left_out += kUnlikely;
    one.changed.left_out += kUnlikely;
    one.refused.left_out += kUnlikely;
  }
}

}  // namespace pate
