#include "pate/divergence/complex/key_moduli.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/numerics/infinity.hpp"

namespace pate {

namespace {

constexpr double kKeyCapRounding = 1e-13;
// More than sums over nodes are wrong by, relative.
constexpr double kTiltedMargin = 1e-9;
// In standard deviations of the noise: of differences of counts, and of tilts.
constexpr double kMostReach = 60.0;
constexpr double kMostTilt = 100.0;
// Of logarithms: what is beyond is more than anybody declares.
constexpr double kMostModulus = 0x1p20;

const GaussianNoisyMax& checked(const GaussianNoisyMax& noise, std::int64_t teachers,
                                std::int64_t classes, const ComplexOrders& orders) {
  validate(orders);
  validate(noise);
  require(classes >= 2 && teachers >= 1, "moments by key need two classes and one teacher");
  const double most = *std::ranges::max_element(orders.reals);
  require(static_cast<double>(teachers + 2) / noise.sigma <= kMostReach &&
              most / noise.sigma <= kMostTilt,
          "complex orders of votes within a distance need noise of a sixtieth of the "
          "teachers, and orders of less than 100 times it: sigma is {} for {} teachers, "
          "the largest real part {}",
          noise.sigma, teachers, most);
  return noise;
}

constexpr std::array<double, 4> kNoRest{-kInfinity, -kInfinity, -kInfinity, -kInfinity};

// Below, sums over nodes have too few digits.
constexpr double kLeastProbability = 1e-290;

// Logarithms of who wins, of the classes that are told apart; NaN of a class that has too few
// digits.
std::array<double, 3> log_wins(const KeyLine::Wins& wins) {
  const double q = wins.second + wins.third + wins.rest;
  const auto log = [](double p) {
    return p > kLeastProbability ? std::log(p) : std::numeric_limits<double>::quiet_NaN();
  };
  return {q < 0.5 ? std::log1p(-q) : log(wins.top), log(wins.second), log(wins.third)};
}

}  // namespace

KeyModuli::KeyModuli(const GaussianNoisyMax& noise, const std::optional<ThresholdCheck>& check,
                     std::int64_t teachers, std::int64_t classes, const ComplexOrders& orders,
                     bool both_statistics, Keys keys)
    : has_check_(check.has_value()),
      sigma_(noise.sigma),
      teachers_(teachers),
      classes_(classes),
      orders_(orders),
      both_statistics_(both_statistics),
      three_(keys == Keys::three ||
             (keys == Keys::automatic && teachers <= kMaxTeachersOfThreeKeys)),
      rows_(checked(noise, teachers, classes, orders), teachers, classes, orders.renyi()) {
  if (check) validate(*check);
  for (const double a : orders.reals) {
    const double selection = check ? 0.5 / (check->sigma1 * check->sigma1) : 0.0;
    const double each = 1.0 / (noise.sigma * noise.sigma);
    caps_.push_back((a + 1.0) * (each + selection) * (1.0 + kKeyCapRounding));
    log_growth_.push_back(a * (a + 1.0) * each);
    if (!(a * caps_.back() <= kMostModulus)) {
      throw validity_error("the moduli of a query may be more than a declared budget can count");
    }
  }
  for (std::int64_t v = 0; v <= teachers; ++v) {
    for (const std::int64_t w : {v - 1, v, v + 1}) {
      pairs_.push_back(check && w >= 0 ? answer_pair(*check, v, w) : LogBernoulliPair{});
      answers_.emplace_back(orders, pairs_.back(), has_check_);
    }
  }
}

double KeyModuli::largest_log() const {
  double largest = 0.0;
  for (std::size_t i = 0; i < caps_.size(); ++i) {
    largest = std::max(largest, orders_.reals[i] * caps_[i]);
  }
  return largest;
}

double KeyModuli::log_far(std::size_t t, std::int64_t gap) const {
  // As of no cell: the moment of the noise times the probability to win on tilted counts, where it
  // is behind by 2 a less at most; to win against the top class alone.
  const double behind = std::max(static_cast<double>(gap) - 2.0 * orders_.reals[t], 0.0) / sigma_;
  return log_growth_[t] - 0.25 * behind * behind;
}

void KeyModuli::start_line(std::int64_t s, std::int64_t x3, std::int64_t first, std::int64_t last,
                           Scratch& scratch) {
  scratch.s = s;
  scratch.x3 = x3;
  scratch.line.start(s, x3, first, last);
}

void KeyModuli::logs_on_line(std::int64_t v, Scratch& scratch, std::span<double> to) const {
  const std::int64_t x2 = scratch.s - v;
  const std::int64_t x3 = scratch.x3;
  const KeyLine& line = scratch.line;
  const std::int64_t y = line.y();
  scratch.line.compute(v, true);
  scratch.largest.clear();
  const std::size_t reals = orders_.reals.size();
  const std::size_t cells = three_ && classes_ > 2 ? 3 : 2;
  const std::span<const KeyMove> moves = key_moves();
  for (std::size_t i = 0; i < moves.size(); ++i) {
    if (!line.exists(i)) continue;
    const KeyMove& move = moves[i];
    const std::array<double, 3> before = log_wins(line.before(move.others));
    const std::array<double, 3> after = log_wins(line.after(i));
    // The largest count afterwards of those that are known; the one that a real order needs. A
    // class beside the three that gets a vote may have the largest, or fewer than y.
    std::int64_t known = std::max(v + move.top, x2 + move.second);
    if (cells > 2) known = std::max(known, x3 + move.third);
    const bool may_rise = std::ranges::any_of(move.changes, [](int change) { return change > 0; });
    const std::int64_t raised = may_rise && both_statistics_ ? std::max(known, y + 1) : known;
    // Of an answer: who wins, and what is of none of the cells.
    std::array<LargestModuli::LogOutcome, 3> outcomes{};
    std::size_t size = 0;
    scratch.log_rest.assign(reals, kNoRest);
    for (std::size_t j = 0; j < cells; ++j) {
      if (!std::isnan(before[j]) && !std::isnan(after[j])) {
        outcomes[size++] = {before[j], before[j] - after[j]};
        continue;
      }
      for (std::size_t t = 0; t < reals; ++t) {
        scratch.log_rest[t][j] = log_far(t, j == 0 ? 0 : v - (j == 1 ? x2 : x3));
      }
    }
    for (std::size_t t = 0; t < reals; ++t) {
      const double no_cell = std::min(line.tilted(i)[t] * (1.0 + kTiltedMargin), 1.0);
      if (no_cell != 0.0) scratch.log_rest[t][3] = log_growth_[t] + std::log(no_cell);
    }
    scratch.largest.set_answers({outcomes.data(), size});
    for (std::int64_t w = known; w <= raised; ++w) {
      const std::size_t at = place(v, w);
      const LogBernoulliPair& pair = pairs_[at];
      scratch.rest.assign(reals, 0.0);
      for (std::size_t t = 0; t < reals; ++t) {
        for (const double log : scratch.log_rest[t]) {
          if (log == -kInfinity) continue;
          // p_v^lambda p_w^(1 - lambda) of an answer.
          const double its = pair.log_p + orders_.reals[t] * pair.log_ratio + log;
          scratch.rest[t] += std::exp(its) * (1.0 + kKeyCapRounding * (1.0 + std::abs(its)));
        }
      }
      scratch.largest.add(answers_[at], scratch.rest);
    }
  }
  scratch.largest.logs(caps_, to);
}

void KeyModuli::logs(std::int64_t v, std::int64_t x2, std::int64_t x3, Scratch& scratch,
                     std::span<double> to) const {
  if (three_) {
    start_line(v + x2, x3, v, v, scratch);
  } else {
    scratch.s = v + x2;
    scratch.line.start_pair(v, x2);
  }
  logs_on_line(v, scratch, to);
}

}  // namespace pate
