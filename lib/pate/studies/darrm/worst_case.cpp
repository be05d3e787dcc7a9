#include "pate/studies/darrm/worst_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/studies/darrm/vote_distribution.hpp"

namespace pate {

namespace {

constexpr double kMaxSearched = 0x1p26;  // half a minute
// Twice the unit roundoff: the certificate says what it is worth with any `long double` that rounds
// like IEEE's (a sum of two doubles does not); with one of 53 bits it is refused at larger epsilon.
static_assert(std::numeric_limits<long double>::is_iec559 &&
              std::numeric_limits<long double>::digits != 106);
constexpr long double kUlp = std::numeric_limits<long double>::epsilon();

bool is_nondecreasing(std::span<const double> gamma) {
  return std::ranges::is_sorted(gamma);
}

// n choose k.
double choices(std::int64_t n, std::int64_t k) {
  double result = 1.0;
  for (std::int64_t i = 1; i <= k; ++i) {
    result *= static_cast<double>(n - k + i) / static_cast<double>(i);
  }
  return std::round(result);
}

// The work of going through all eight corners: leaves, and how long those are that the numbers at
// 0/0 and 1/1 leave open.
double searched(const PrivateTeachers& teachers) {
  return choices(teachers.affected + 6, 6) *
         (1.0 + static_cast<double>(teachers.teachers - teachers.affected) / 8.0);
}

// x <- E[x(u + Bernoulli(p))], in place; one value fewer counts.
template <class Real>
void shift_by(std::vector<Real>& x, std::size_t size, Real p) {
  if (p == Real(0)) return;
  const Real rest = Real(1) - p;
  for (std::size_t u = 0; u + 1 < size; ++u) x[u] = rest * x[u] + p * x[u + 1];
}

}  // namespace

void validate(const PrivateTeachers& teachers) {
  require(teachers.teachers >= 1 && teachers.teachers <= kMaxMajorityTeachers,
          "the number of teachers must be in 1 .. {}, got {}", kMaxMajorityTeachers,
          teachers.teachers);
  require(teachers.affected >= 1 && teachers.affected <= teachers.teachers,
          "the number of teachers that a record affects must be in 1 .. {}, got {}",
          teachers.teachers, teachers.affected);
  require(teachers.epsilon > 0.0 && teachers.epsilon <= kMaxAnswerEpsilon,
          "a teacher's epsilon must be > 0 and <= {}, got {}", kMaxAnswerEpsilon, teachers.epsilon);
  require(teachers.delta >= 0.0 && teachers.delta < 1.0,
          "a teacher's delta must be >= 0 and < 1, got {}", teachers.delta);
}

void validate(const AnswerTarget& target) {
  require(target.epsilon > 0.0 && target.epsilon <= kMaxAnswerEpsilon,
          "the epsilon of an answer must be > 0 and <= {}, got {}", kMaxAnswerEpsilon,
          target.epsilon);
  require(target.delta >= 0.0 && target.delta < 1.0,
          "the delta of an answer must be >= 0 and < 1, got {}", target.delta);
}

std::pair<long double, long double> probabilities(Corner corner, const PrivateTeachers& teachers) {
  const long double odds = std::exp(static_cast<long double>(teachers.epsilon));
  const auto delta = static_cast<long double>(teachers.delta);
  const long double low = (1 - delta) / (1 + odds);
  const long double high = (odds + delta) / (1 + odds);
  switch (corner) {
    case Corner::zero:
      return {0, 0};
    case Corner::one:
      return {1, 1};
    case Corner::high_low:
      return {high, low};
    case Corner::low_high:
      return {low, high};
    case Corner::delta_zero:
      return {delta, 0};
    case Corner::zero_delta:
      return {0, delta};
    case Corner::one_shy:
      return {1, 1 - delta};
    case Corner::shy_one:
      return {1 - delta, 1};
  }
  return {0, 0};
}

WorstCase::WorstCase(const PrivateTeachers& teachers, const AnswerTarget& target, bool monotone)
    : teachers_(teachers), target_(target), at_corners_(teachers) {
  validate(teachers);
  validate(target);
  auto delta = static_cast<long double>(target.delta);
  const std::int64_t affected = teachers.affected;
  if (monotone) {
    corners_ = CornerSet::monotone;
    moving_ = {Corner::high_low};
    if (teachers.delta > 0.0) {
      moving_ = {Corner::delta_zero, Corner::high_low, Corner::one_shy};
      full_ = affected == teachers.teachers;
    }
  } else {
    moving_ = {Corner::high_low, Corner::low_high};
    if (teachers.delta > 0.0 && searched(teachers) <= kMaxSearched) {
      moving_.insert(moving_.end(),
                     {Corner::delta_zero, Corner::zero_delta, Corner::one_shy, Corner::shy_one});
    } else if (teachers.delta > 0.0) {
      corners_ = CornerSet::lifted;
      at_corners_.delta = 0.0;
      // log of (1 - delta) / (1 - D)^s, from above: less is left of delta.
      const long double kept = -std::log1p(-delta);
      const long double spent = -static_cast<long double>(affected) *
                                std::log1p(-static_cast<long double>(teachers.delta));
      delta = -std::expm1(spent - kept + 8 * kUlp * (spent + kept));
      delta -= 4 * kUlp * std::abs(delta);
    }
  }
  const long double excess = std::expm1(static_cast<long double>(target.epsilon)) * (1 - 8 * kUlp);
  factor_ = std::nextafter(1 + excess, 0.0L);
  const long double whole = factor_ - 1 + 2 * static_cast<long double>(target.delta);
  bound_ = factor_ - 1 + 2 * delta;
  // Of a difference, what its terms lose.
  bound_ -= 4 * kUlp * (factor_ - 1 + 2 * std::abs(delta));
  if (corners_ == CornerSet::lifted) {
    require(
        bound_ > 0,
        "all corners of {} teachers with delta {} are too many to look at, and those of delta = "
        "0 suffice only for answers whose epsilon and delta leave room for 1 - (1 - {})^{}: ask "
        "for a monotone noise function, or for more epsilon or delta of an answer",
        teachers.teachers, teachers.delta, teachers.delta, affected);
    lift_ = static_cast<double>(whole / bound_) * (1.0 + 1e-15);
  }
  // A level of the recursion loses at most 13/2 of kUlp, the binomials of the last corner as much
  // once more, and the differences at the end a few.
  error_ = 32 * static_cast<long double>(teachers.teachers + 1) * kUlp * (1 + factor_);
  require(error_ < 0.5L * bound_,
          "epsilon = {} of an answer of {} teachers is too small to be certified", target.epsilon,
          teachers.teachers);
}

// Depth first over the numbers of teachers at each moving corner. What is kept along the way are
// E[h(u + ones of the teachers placed)] under p and under p', for every u that those at 0/0 and 1/1
// may still add.
template <class Real>
class WorstCase::Search {
 public:
  Search(const WorstCase& worst, std::size_t most, Real above)
      : worst_(worst), most_(most), above_(above), factor_(static_cast<Real>(worst.factor_)) {
    const auto size = static_cast<std::size_t>(worst.teachers_.teachers) + 1;
    for (const Corner corner : worst.moving_) {
      const auto [p, q] = probabilities(corner, worst.at_corners_);
      p_.push_back(static_cast<Real>(p));
      q_.push_back(static_cast<Real>(q));
      by_p_.emplace_back(size);
      by_q_.emplace_back(size);
    }
    if (worst.full_) {
      // Binomial(r, p) and Binomial(r, p') of the last corner, for every r.
      last_p_ = binomials(p_.back());
      last_q_ = binomials(q_.back());
    }
  }

  std::vector<std::pair<Real, Multiset>> run(const std::vector<Real>& h) {
    descend(0, 0, h, h);
    keep_most_costly(most_);
    return std::move(found_);
  }

 private:
  std::vector<std::vector<Real>> binomials(Real p) const {
    std::vector<std::vector<Real>> result{{Real(1)}};
    for (std::int64_t r = 1; r <= worst_.teachers_.teachers; ++r) {
      const std::vector<Real>& before = result.back();
      std::vector<Real> law(before.size() + 1);
      for (std::size_t j = 0; j < law.size(); ++j) {
        const Real stays = j < before.size() ? before[j] * (Real(1) - p) : Real(0);
        law[j] = j > 0 ? stays + before[j - 1] * p : stays;
      }
      result.push_back(std::move(law));
    }
    return result;
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as there are moving corners.
  void descend(std::size_t type, std::int64_t placed, const std::vector<Real>& by_p,
               const std::vector<Real>& by_q) {
    const std::int64_t all = worst_.teachers_.teachers;
    const Corner corner = worst_.moving_[type];
    auto& count = now_[static_cast<std::size_t>(corner)];
    const bool last = type + 1 == worst_.moving_.size();
    if (last && worst_.full_) {
      const auto rest = static_cast<std::size_t>(all - placed);
      count = static_cast<std::int32_t>(rest);
      Real first(0);
      Real second(0);
      for (std::size_t j = 0; j <= rest; ++j) {
        first += last_p_[rest][j] * by_p[j];
        second += last_q_[rest][j] * by_q[j];
      }
      take(first - factor_ * second, 0, 0);
      count = 0;
      return;
    }
    std::vector<Real>& mine_p = by_p_[type];
    std::vector<Real>& mine_q = by_q_[type];
    auto size = static_cast<std::size_t>(all - placed) + 1;
    std::copy_n(by_p.begin(), size, mine_p.begin());
    std::copy_n(by_q.begin(), size, mine_q.begin());
    for (std::int64_t n = placed; n <= worst_.teachers_.affected; ++n) {
      if (n > placed) {
        shift_by(mine_p, size, p_[type]);
        shift_by(mine_q, size, q_[type]);
        --size;
        ++count;
      }
      if (!last) {
        descend(type + 1, n, mine_p, mine_q);
        continue;
      }
      for (std::size_t u = 0; u < size; ++u) {
        take(mine_p[u] - factor_ * mine_q[u], size - 1 - u, u);
      }
    }
    count = 0;
  }

  void take(Real cost, std::size_t zeros, std::size_t ones) {
    if (!(cost > above_)) return;
    Multiset multiset = now_;
    multiset[static_cast<std::size_t>(Corner::zero)] = static_cast<std::int32_t>(zeros);
    multiset[static_cast<std::size_t>(Corner::one)] = static_cast<std::int32_t>(ones);
    found_.emplace_back(cost, multiset);
    if (found_.size() >= 8 * most_) keep_most_costly(most_);
  }

  // Ties are broken by the multiset, so that the order of the search does not show.
  void keep_most_costly(std::size_t most) {
    std::ranges::sort(found_, [](const auto& a, const auto& b) {
      return std::tie(b.first, b.second) < std::tie(a.first, a.second);
    });
    if (found_.size() < most) return;
    found_.resize(most);
    above_ = found_.back().first;
  }

  const WorstCase& worst_;
  std::size_t most_;
  Real above_;
  Real factor_;
  std::vector<Real> p_, q_;
  std::vector<std::vector<Real>> by_p_, by_q_;
  std::vector<std::vector<Real>> last_p_, last_q_;
  Multiset now_{};
  std::vector<std::pair<Real, Multiset>> found_;
};

std::vector<CornerCost> WorstCase::most_costly(std::span<const double> gamma, std::size_t most,
                                               double above) const {
  std::vector<double> h;
  for (std::int64_t l = 0; l <= teachers_.teachers; ++l) {
    h.push_back(signed_value(gamma, teachers_.teachers, l));
  }
  std::vector<CornerCost> result;
  for (const auto& [cost, multiset] : Search<double>(*this, most, above).run(h)) {
    result.push_back({cost, multiset});
  }
  return result;
}

std::vector<double> WorstCase::coefficients(const Multiset& multiset) const {
  std::vector<long double> first;
  std::vector<long double> second;
  for (std::size_t corner = 0; corner < multiset.size(); ++corner) {
    const auto [p, q] = probabilities(static_cast<Corner>(corner), at_corners_);
    first.insert(first.end(), static_cast<std::size_t>(multiset[corner]), p);
    second.insert(second.end(), static_cast<std::size_t>(multiset[corner]), q);
  }
  const auto alpha = ones_distribution<long double>(first);
  const auto beta = ones_distribution<long double>(second);
  const auto all = static_cast<std::size_t>(teachers_.teachers);
  std::vector<double> result;
  for (auto l = static_cast<std::size_t>(least_majority(teachers_.teachers)); l <= all; ++l) {
    result.push_back(static_cast<double>((alpha[l] - factor_ * beta[l]) -
                                         (alpha[all - l] - factor_ * beta[all - l])));
  }
  return result;
}

WorstCase::Certificate WorstCase::certify(std::span<const double> gamma) const {
  std::vector<long double> h;
  for (std::int64_t l = 0; l <= teachers_.teachers; ++l) {
    h.push_back(static_cast<long double>(signed_value(gamma, teachers_.teachers, l)));
  }
  const auto found =
      Search<long double>(*this, 1, -std::numeric_limits<long double>::infinity()).run(h);
  Certificate result;
  const long double worst = found.front().first + error_;
  result.worst = std::nextafter(static_cast<double>(worst), std::numeric_limits<double>::max());
  result.bound = std::nextafter(static_cast<double>(bound_), 0.0);
  result.holds = worst <= bound_;
  result.at = {static_cast<double>(found.front().first), found.front().second};
  // Of all, reflections too: choices of a multiset of the corners for the teachers.
  const auto kinds = static_cast<std::int64_t>(moving_.size());
  result.multisets = full_ ? choices(teachers_.teachers + kinds - 1, kinds - 1) : 0.0;
  for (std::int64_t n = 0; !full_ && n <= teachers_.affected; ++n) {
    result.multisets +=
        choices(n + kinds - 1, kinds - 1) * static_cast<double>(teachers_.teachers - n + 1);
  }
  return result;
}

CertifiedGamma certified(std::span<const double> gamma, const PrivateTeachers& teachers,
                         const AnswerTarget& target) {
  validate(teachers);
  if (gamma.size() != majority_sizes(teachers.teachers)) {
    throw parameter_error(fmt::format("a noise function of {} teachers must have {} values, got {}",
                                      teachers.teachers, majority_sizes(teachers.teachers),
                                      gamma.size()));
  }
  for (const double value : gamma) {
    require(value >= 0.0 && value <= 1.0, "a noise function must have values in [0, 1], got {}",
            value);
  }
  const WorstCase worst(teachers, target, is_nondecreasing(gamma));
  CertifiedGamma result{{}, 1.0 - 0x1p-36, worst.corners(), {}};
  const WorstCase::Certificate given = worst.certify(gamma);
  if (!given.holds) result.scale *= given.bound / given.worst;
  for (int attempt = 0; attempt < 64; ++attempt) {
    result.gamma.assign(gamma.begin(), gamma.end());
    for (double& value : result.gamma) value *= result.scale;
    result.certificate = worst.certify(result.gamma);
    if (result.certificate.holds) return result;
    result.scale *= 1.0 - 0x1p-40;
  }
  throw parameter_error(
      fmt::format("epsilon = {} of an answer is too small to be certified", target.epsilon));
}

}  // namespace pate
