#include "pate/divergence/exact/sampled_outcomes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/numerics/extended.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/normal.hpp"

namespace pate {

namespace {

using std::exp;
using std::log;
using std::pow;
using std::sqrt;

// Half of the last of 64 bits.
constexpr double kUnit = 0x1p-64;
// Points below no votes, and beyond where all but one class have fallen behind, in sigmas.
constexpr double kEnds = 10.0;
// Standard deviations per point at least, and at most so many points.
constexpr double kPointsPerSigma = 8.0;
constexpr double kMostPoints = 2e5;
// Samples that are as unlikely as this are left out of the sum over m, and counted as uncertain.
const auto kUnlikely = Extended(1e-60);
// Probabilities below it are not told: far above them some of their terms underflow.
const Extended kLeast = [] {
  using std::ldexp;
  return Extended(ldexp(std::numeric_limits<Extended>::min(), 300));
}();
// More uncertainty of a logarithm than this tells nothing.
constexpr double kMostUncertain = 0.02;

Extended normal_below(const Extended& x) {
  static const Extended root_two = sqrt(Extended(2));
  return boost::math::erfc(Extended(-x / root_two)) / 2;
}

Extended power(Extended base, std::int32_t exponent) {
  Extended result(1);
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result *= base;
    base *= base;
  }
  return result;
}

// Pr[B = b] of a binomial number of n: from the likeliest b outwards, of which none underflows that
// matters, and made to add up to 1.
std::vector<Extended> binomial(std::int32_t n, double rate) {
  std::vector<Extended> result(static_cast<std::size_t>(n) + 1);
  const Extended odds = Extended(rate) / (Extended(1) - Extended(rate));
  const auto mode =
      static_cast<std::size_t>(std::min(std::floor((n + 1.0) * rate), static_cast<double>(n)));
  result[mode] = 1;
  Extended sum(1);
  for (std::size_t b = mode; b + 1 < result.size(); ++b) {
    result[b + 1] = result[b] * (Extended(n) - Extended(b)) / Extended(b + 1) * odds;
    sum += result[b + 1];
  }
  for (std::size_t b = mode; b > 0; --b) {
    result[b - 1] = result[b] * Extended(b) / ((Extended(n) - Extended(b - 1)) * odds);
    sum += result[b - 1];
  }
  for (Extended& mass : result) mass /= sum;
  return result;
}

// The check, by the top count m of a sample.
class Check {
 public:
  explicit Check(const SampledQuery& query)
      : sigma_(query.noise.sigma1), threshold_(query.threshold) {}

  // Pr[answered | m].
  [[nodiscard]] Extended passes(std::int64_t m) const { return normal_below(at(m)); }
  // By how much that is more at m + 1.
  [[nodiscard]] Extended rise(std::int64_t m) const {
    const Extended a = at(m);
    const Extended b = at(m + 1);
    return a > 0 ? Extended(normal_below(-a) - normal_below(-b))
                 : Extended(normal_below(b) - normal_below(a));
  }
  [[nodiscard]] Extended fails(std::int64_t m) const { return normal_below(-at(m)); }

 private:
  [[nodiscard]] Extended at(std::int64_t m) const {
    return (Extended(m) - Extended(threshold_)) / Extended(sigma_);
  }

  double sigma_, threshold_;
};

// A class with some number of votes: how many of them are in the sample, and what it looks like
// from the points where no more than m of them are.
struct Count {
  std::vector<Extended> mass;  // by b
  Extended at_most = 0;        // Pr[B <= m]
  std::vector<Extended> below, density;
};

// How many votes the points span, and how many points a vote has.
struct Span {
  double range = 0.0;
  std::int64_t per_vote = 1;
};

Span span_of(double sigma, std::int64_t top, double classes) {
  const double per_sigma = std::max(kPointsPerSigma, std::ceil(std::sqrt(2.0 * classes)));
  const double votes = static_cast<double>(top) + 1.0;
  // Beyond the first, all other classes are below with probability 1/2 at least.
  const double rest = normal_upper_quantile(std::log(0.5 / classes)) + 1.0;
  const double range = votes + (2.0 * kEnds + rest) * sigma + 2.0;
  const double per_vote = std::max(1.0, std::ceil(per_sigma / sigma));
  if (!((range + votes) * per_vote < kMostPoints)) {
    throw parameter_error(fmt::format(
        "exact costs of samples look at the noise from too many points where sigma2 is {} and a "
        "class may have {} votes: without --exact what any votes cost is told",
        sigma, top));
  }
  return {range, static_cast<std::int64_t>(per_vote)};
}

// Where the noise is looked at.
class Points {
 public:
  Points(double sigma, std::int32_t top, double classes)
      : Points(sigma, top, span_of(sigma, top, classes)) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  // Adds the class of exactly b votes in the sample.
  void add(std::int64_t b, Count& to) const {
    if (b >= static_cast<std::int64_t>(to.mass.size())) return;
    const Extended mass = to.mass[static_cast<std::size_t>(b)];
    to.at_most += mass;
    const std::size_t first = shift_ - static_cast<std::size_t>(b * per_vote_);
    for (std::size_t i = 0; i < size_; ++i) {
      to.below[i] += mass * below_[first + i];
      to.density[i] += mass * density_[first + i];
    }
  }

 private:
  Points(double sigma, std::int32_t top, const Span& span)
      : per_vote_(span.per_vote),
        size_(
            static_cast<std::size_t>(static_cast<std::int64_t>(std::ceil(span.range)) * per_vote_)),
        shift_(static_cast<std::size_t>((top + 1) * per_vote_)) {
    const auto below = static_cast<std::int64_t>(std::ceil(kEnds * sigma));
    const Extended step = Extended(1) / Extended(per_vote_) / Extended(sigma);
    static const Extended root = sqrt(2 * boost::math::constants::pi<Extended>());
    for (std::size_t i = 0; i < size_ + shift_; ++i) {
      const Extended steps(static_cast<std::int64_t>(i) - static_cast<std::int64_t>(shift_) -
                           below * per_vote_);
      const Extended x = steps / Extended(per_vote_) / Extended(sigma);
      below_.push_back(normal_below(x));
      density_.push_back(exp(-x * x / 2) / root * step);
    }
  }

  std::int64_t per_vote_;
  std::size_t size_, shift_;
  std::vector<Extended> below_, density_;  // from the point of top + 1 votes less on
};

// A probability that is summed up, and what is cancelled or left out of it.
struct Summed {
  Extended value = 0;
  Extended size = 0;  // sum of the sizes of its terms
  Extended left_out = 0;

  void add(const Extended& term) {
    value += term;
    size += term < 0 ? Extended(-term) : term;
  }
};

// The outcomes of one histogram: of each group a class, of the changed one apart, and refused.
struct Outcomes {
  std::vector<Summed> classes;
  Summed changed, refused;
};

// One vote more or less in a group; none: the votes themselves.
struct Change {
  std::size_t group = 0;
  int by = 0;
};

class Mixture {
 public:
  Mixture(const SampledQuery& query, const GroupedVotes& votes)
      : query_(query),
        votes_(votes),
        top_(votes.groups.front().count),
        points_(query.noise.sigma2, top_, classes()) {
    for (const VoteGroup& group : votes.groups) {
      for (const int by : {-1, 0, 1}) {
        Count& count = counts_.emplace_back();
        if (group.count + by < 0) continue;
        count.mass = binomial(group.count + by, query.noise.rate);
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
    for (Outcomes& one : outcomes_) one.classes.resize(votes.groups.size());
  }

  [[nodiscard]] const std::vector<Change>& changes() const { return all_; }
  [[nodiscard]] const std::vector<Outcomes>& outcomes() const { return outcomes_; }

  void integrate() {
    if (query_.noise.has_check()) {
      integrate_checked();
      return;
    }
    for (std::int64_t m = 0; m <= top_ + 1; ++m) grow(m);
    add(Extended(1));
  }

  // Of a sum of terms >= 0, as a share of it.
  [[nodiscard]] double accuracy() const {
    const double votes = static_cast<double>(top_) + 1.0;
    const double rarest = 100.0 - 2.0 * votes * std::log1p(-query_.noise.rate);
    return kUnit * (static_cast<double>(points_.size()) + 16.0 * (votes + classes()) +
                    4.0 * rarest + 256.0) +
           2e-16;
  }

 private:
  [[nodiscard]] double classes() const {
    double result = 0.0;
    for (const VoteGroup& group : votes_.groups) result += group.classes;
    return result;
  }
  [[nodiscard]] const Count& count(std::size_t group, int by) const {
    return counts_[3 * group + static_cast<std::size_t>(by + 1)];
  }
  void grow(std::int64_t m) {
    for (Count& count : counts_) points_.add(m, count);
  }
  // Pr[no class has more than m in the sample].
  [[nodiscard]] Extended at_most(const Change& change) const {
    Extended product(1);
    for (std::size_t g = 0; g < votes_.groups.size(); ++g) {
      const bool is_changed = change.by != 0 && change.group == g;
      product *= power(count(g, 0).at_most, votes_.groups[g].classes - (is_changed ? 1 : 0));
      if (is_changed) product *= count(g, change.by).at_most;
    }
    return product;
  }

  // Adds `times` the probabilities of all answers where no class has more than m in the sample.
  void add(const Extended& times, bool also_left_out = false) {
    const std::size_t groups = votes_.groups.size();
    std::vector<std::vector<Extended>> sums(all_.size(), std::vector<Extended>(groups + 1));
    std::vector<Extended> hazard(groups);
    std::vector<Extended> inverse(groups);  // divisions take as long as all else
    for (std::size_t i = 0; i < points_.size(); ++i) {
      Extended product(1);
      for (std::size_t g = 0; g < groups; ++g) {
        product *= power(count(g, 0).below[i], votes_.groups[g].classes);
      }
      // What is divided below must not have lost digits: what is left out here is less than
      // `kLeast` by far.
      if (!(product >= std::numeric_limits<Extended>::min())) continue;
      for (std::size_t g = 0; g < groups; ++g) {
        inverse[g] = 1 / count(g, 0).below[i];
        hazard[g] = count(g, 0).density[i] * inverse[g];
      }
      for (std::size_t n = 0; n < all_.size(); ++n) {
        const Change& change = all_[n];
        std::vector<Extended>& to = sums[n];
        Extended its = product;
        if (change.by != 0) {
          const Count& changed = count(change.group, change.by);
          const Extended others = product * inverse[change.group];
          its = others * changed.below[i];
          to[groups] += others * changed.density[i];
        }
        for (std::size_t g = 0; g < groups; ++g) to[g] += its * hazard[g];
      }
    }
    for (std::size_t n = 0; n < all_.size(); ++n) {
      const auto take = [&](Summed& to, const Extended& sum) {
        to.add(times * sum);
        if (also_left_out) to.left_out += sum;
      };
      for (std::size_t g = 0; g < groups; ++g) take(outcomes_[n].classes[g], sums[n][g]);
      take(outcomes_[n].changed, sums[n][groups]);
    }
  }

  void add_refused(const Extended& times, bool of_all) {
    for (std::size_t n = 0; n < all_.size(); ++n) {
      outcomes_[n].refused.add(of_all ? times : Extended(times * at_most(all_[n])));
    }
  }

  void integrate_checked() {
    const Check check(query_);
    const std::int64_t last = top_ + 1;
    const Count& fewest = count(0, top_ > 0 ? -1 : 0);
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
    for (Outcomes& one : outcomes_) {
      for (Summed& sum : one.classes) sum.left_out += kUnlikely;
      one.changed.left_out += kUnlikely;
      one.refused.left_out += kUnlikely;
    }
  }

  const SampledQuery& query_;
  const GroupedVotes& votes_;
  std::int32_t top_;
  Points points_;
  std::vector<Count> counts_;  // of every group with a vote less, as it is, with a vote more
  std::vector<Change> all_;
  std::vector<Outcomes> outcomes_;
};

// The outcomes of a neighbour beside those of the votes; false where they tell nothing.
bool compare(const Mixture& mixture, std::size_t n, const GroupedVotes& votes, bool has_check,
             BallOutcomes::OfNeighbour& result) {
  const Outcomes& p = mixture.outcomes().front();
  const Outcomes& q = mixture.outcomes()[n];
  const Change& change = mixture.changes()[n];
  const double accuracy = mixture.accuracy();
  const auto add = [&](const Summed& of_votes, const Summed& of_neighbour, std::int32_t classes) {
    if (!(of_votes.value > kLeast) || !(of_neighbour.value > kLeast)) return false;
    const auto wrong = [&](const Summed& sum) {
      return static_cast<double>((sum.size * Extended(accuracy) + sum.left_out) / sum.value);
    };
    const double uncertainty = wrong(of_votes) + wrong(of_neighbour);
    if (!(uncertainty < kMostUncertain)) return false;
    const auto mass = static_cast<double>(of_votes.value * classes);
    result.elements.push_back(
        {static_cast<double>(classes), mass, static_cast<double>(log(of_votes.value)),
         static_cast<double>(log(Extended(of_neighbour.value / of_votes.value))), uncertainty});
    return true;
  };
  for (std::size_t g = 0; g < votes.groups.size(); ++g) {
    std::int32_t classes = votes.groups[g].classes;
    if (g == change.group) {
      if (!add(p.classes[g], q.changed, 1)) return false;
      --classes;
    }
    if (classes > 0 && !add(p.classes[g], q.classes[g], classes)) return false;
  }
  return !has_check || add(p.refused, q.refused, 1);
}

}  // namespace

void SampledOutcomes::require(const SampledQuery& query, std::int64_t teachers,
                              std::int64_t classes) {
  validate(query.noise);
  (void)span_of(query.noise.sigma2, teachers, static_cast<double>(classes));
}

std::optional<SampledOutcomes> SampledOutcomes::make(const SampledQuery& query,
                                                     const GroupedVotes& votes) {
  validate(query.noise);
  Mixture mixture(query, votes);
  mixture.integrate();
  SampledOutcomes result;
  const bool has_check = query.noise.has_check();
  const auto& changes = mixture.changes();
  for (std::size_t n = 1; n < changes.size(); ++n) {
    BallOutcomes::OfNeighbour one;
    one.statistic = votes.groups.front().count;
    if (!compare(mixture, n, votes, has_check, one)) return std::nullopt;
    if (changes[n].by > 0) ++result.added_;
    result.neighbours_.push_back(std::move(one));
  }
  if (has_check) {
    result.answered_ = 1.0 - static_cast<double>(mixture.outcomes().front().refused.value);
  }
  return result;
}

BothDirections SampledOutcomes::log_excess(double order) const {
  BothDirections result{-kInfinity, -kInfinity};
  for (const BallOutcomes::OfNeighbour& one : neighbours_) {
    const BothDirections its = one.log_excess(order);
    result.forward = max_or_nan(result.forward, its.forward);
    result.reverse = max_or_nan(result.reverse, its.reverse);
  }
  return result;
}

std::vector<DistributionPair> SampledOutcomes::tables(Direction direction) const {
  std::vector<DistributionPair> result;
  result.reserve(neighbours_.size());
  for (const BallOutcomes::OfNeighbour& one : neighbours_) {
    DistributionPair& table = result.emplace_back();
    for (const BallOutcomes::Element& e : one.elements) {
      const double q = e.classes * std::exp(e.log_p + e.log_ratio);
      // (1 + u)/(1 - u) of each is less: P may be more and Q less.
      const double more = 2.1 * e.uncertainty;
      if (direction == Direction::forward) {
        table.push_back({e.mass * (1.0 + more), q, more - e.log_ratio});
      } else {
        table.push_back({q * (1.0 + more), e.mass, more + e.log_ratio});
      }
    }
  }
  return result;
}

double sampled_answered(const SampledQuery& query, const GroupedVotes& votes) {
  if (!query.noise.has_check()) return 1.0;
  const Check check(query);
  std::vector<std::vector<Extended>> masses;
  for (const VoteGroup& group : votes.groups) {
    masses.push_back(binomial(group.count, query.noise.rate));
  }
  std::vector<Extended> at_most(masses.size(), Extended(0));
  Extended answered(0);
  Extended before(0);
  for (std::int64_t m = 0; m <= votes.groups.front().count; ++m) {
    Extended all(1);
    for (std::size_t g = 0; g < masses.size(); ++g) {
      const auto b = static_cast<std::size_t>(m);
      if (b < masses[g].size()) at_most[g] += masses[g][b];
      all *= power(at_most[g], votes.groups[g].classes);
    }
    answered += check.passes(m) * (all - before);
    before = all;
  }
  return std::min(1.0, static_cast<double>(answered));
}

}  // namespace pate
