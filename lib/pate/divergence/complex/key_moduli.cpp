#include "pate/divergence/complex/key_moduli.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "pate/base/error.hpp"
#include "pate/numerics/infinity.hpp"

namespace pate {

namespace {

constexpr std::size_t kCells = 3;
constexpr double kCapRounding = 1e-13;

}  // namespace

KeyModuli::KeyModuli(const GaussianNoisyMax& noise, const std::optional<ThresholdCheck>& check,
                     std::int64_t teachers, std::int64_t classes, const ComplexOrders& orders,
                     bool both_statistics)
    : check_(check.value_or(ThresholdCheck{})),
      has_check_(check.has_value()),
      sigma_(noise.sigma),
      teachers_(teachers),
      classes_(classes),
      orders_(orders),
      both_statistics_(both_statistics),
      wins_(noise, teachers, classes, orders.reals) {
  validate(orders);
  if (classes < 2 || teachers < 1) {
    throw parameter_error("moments by key need two classes and one teacher");
  }
  if (check) validate(*check);
  for (const double a : orders.reals) {
    const double selection = check ? 0.5 / (check->sigma1 * check->sigma1) : 0.0;
    caps_.push_back((a + 1.0) * (1.0 / (sigma_ * sigma_) + selection) * (1.0 + kCapRounding));
  }
}

void KeyModuli::add(const Key& key, const Move& move, Scratch& scratch) const {
  std::vector<ClassKind>& kinds = scratch.kinds;
  kinds.assign({{key.v, move.top, 1}, {key.x2, move.second, 1}});
  if (classes_ > 2) kinds.push_back({key.x3, move.third, 1});
  const std::size_t cells = kinds.size();
  for (const int change : move.others) kinds.push_back({key.y, change, 1});
  // The other classes: full ones, one of the remainder, and those without a vote.
  const std::int64_t slots = classes_ - static_cast<std::int64_t>(kinds.size());
  const std::int64_t full = key.x3 == 0 ? 0 : std::min(key.left / key.x3, slots);
  const std::int64_t remainder = full < slots ? std::min(key.left - full * key.x3, key.x3) : 0;
  const std::int64_t empty = slots - full - (remainder > 0 ? 1 : 0);
  if (full > 0) kinds.push_back({key.x3, 0, full});
  if (remainder > 0) kinds.push_back({remainder, 0, 1});
  if (empty > 0) kinds.push_back({0, 0, empty});

  std::array<double, kCells> before{};
  std::array<double, kCells> after{};
  for (std::size_t i = 0; i < cells; ++i) {
    before[i] = wins_.log_wins(kinds, i, false);
    after[i] = wins_.log_wins(kinds, i, true);
  }
  scratch.moments.assign(orders_.reals.size(), 0.0);
  for (std::size_t t = 0; t < orders_.reals.size(); ++t) {
    double no_cell = 0.0;
    for (std::size_t i = cells; i < kinds.size(); ++i) {
      no_cell += wins_.wins_tilted(kinds, i, t);
    }
    const double a = orders_.reals[t];
    scratch.moments[t] =
        no_cell == 0.0 ? 0.0 : a * (a + 1.0) / (sigma_ * sigma_) + std::log(std::min(no_cell, 1.0));
  }
  const bool rest = kinds.size() > cells;
  for (const std::int64_t w : move.statistics) {
    LogBernoulliPair pair{};
    scratch.cells.clear();
    if (has_check_) {
      pair = answer_pair(check_, key.v, w);
      scratch.cells.push_back(
          {std::exp(pair.log_not_p), std::exp(pair.log_not_p_neighbour), pair.log_not_ratio});
    }
    for (std::size_t i = 0; i < cells; ++i) {
      scratch.cells.push_back({std::exp(pair.log_p + before[i]),
                               std::exp(pair.log_p_neighbour + after[i]),
                               pair.log_ratio + before[i] - after[i]});
    }
    scratch.rest.assign(orders_.reals.size(), 0.0);
    for (std::size_t t = 0; rest && t < orders_.reals.size(); ++t) {
      // p_v^lambda p_w^(1 - lambda) of an answer.
      const double log = pair.log_p + orders_.reals[t] * pair.log_ratio + scratch.moments[t];
      scratch.rest[t] = std::exp(log) * (1.0 + kCapRounding * (1.0 + std::abs(log)));
    }
    scratch.largest.add(scratch.cells, scratch.rest);
  }
}

void KeyModuli::logs(std::int64_t v, std::int64_t x2, std::int64_t x3, Scratch& scratch,
                     std::span<double> to) const {
  const std::int64_t left = teachers_ - v - x2 - x3;
  const Key key{v, x2, x3, left, std::min(x3, left)};
  const std::int64_t y = key.y;
  scratch.largest.clear();
  const auto go = [&](int top, int second, int third, std::initializer_list<int> others,
                      std::initializer_list<std::int64_t> statistics) {
    // The first is the one that a real order needs.
    const std::size_t size = both_statistics_ ? statistics.size() : 1;
    add(key, {top, second, third, {others.begin(), others.size()}, {statistics.begin(), size}},
        scratch);
  };
  const bool three = classes_ >= 3;
  const bool four = classes_ >= 4;
  // To the top.
  if (v < teachers_) {
    if (x2 > 0) go(1, -1, 0, {}, {v + 1});
    if (three && x3 > 0) go(1, 0, -1, {}, {v + 1});
    if (four && y > 0) go(1, 0, 0, {-1}, {v + 1});
  }
  // From the top; the statistic is the largest count afterwards.
  go(-1, 1, 0, {}, {std::max(v - 1, x2 + 1)});
  if (three) go(-1, 0, 1, {}, {std::max({v - 1, x2, x3 + 1})});
  if (four) go(-1, 0, 0, {1}, {std::max(v - 1, x2), std::max({v - 1, x2, y + 1})});
  // Aside.
  if (three && x2 > 0) go(0, -1, 1, {}, {std::max(v, x3 + 1)});
  if (three && x3 > 0) go(0, 1, -1, {}, {std::max(v, x2 + 1)});
  if (four) {
    const std::int64_t raised = std::max(v, y + 1);
    if (x2 > 0) go(0, -1, 0, {1}, {v, raised});
    if (x3 > 0) go(0, 0, -1, {1}, {v, raised});
    if (y > 0) go(0, 1, 0, {-1}, {std::max(v, x2 + 1)});
    if (y > 0) go(0, 0, 1, {-1}, {std::max(v, x3 + 1)});
    if (classes_ >= 5 && y > 0) go(0, 0, 0, {-1, 1}, {v, raised});
  }
  scratch.largest.logs(caps_, to);
}

}  // namespace pate
