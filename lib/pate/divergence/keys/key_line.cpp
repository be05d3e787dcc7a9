#include "pate/divergence/keys/key_line.hpp"

#include <algorithm>
#include <cmath>

#include "pate/numerics/kernels/kernels.hpp"

namespace pate {

namespace {

// Those between the first two classes, then with the third, with one class more, with two.
constexpr std::array<KeyMove, 13> kMoves{{{1, -1, 0, 0, {}},
                                          {-1, 1, 0, 0, {}},
                                          {1, 0, -1, 0, {}},
                                          {-1, 0, 1, 0, {}},
                                          {0, -1, 1, 0, {}},
                                          {0, 1, -1, 0, {}},
                                          {1, 0, 0, 1, {-1}},
                                          {-1, 0, 0, 1, {1}},
                                          {0, -1, 0, 1, {1}},
                                          {0, 1, 0, 1, {-1}},
                                          {0, 0, -1, 1, {1}},
                                          {0, 0, 1, 1, {-1}},
                                          {0, 0, 0, 2, {-1, 1}}}};

// Which of them change the same of the first two classes: they share the product of those.
struct Alike {
  std::size_t size;
  std::array<std::size_t, 3> moves;
};
constexpr std::array<Alike, 7> kAlike{
    {{1, {0}}, {1, {1}}, {2, {2, 6}}, {2, {3, 7}}, {2, {4, 8}}, {2, {5, 9}}, {3, {10, 11, 12}}}};

}  // namespace

std::span<const KeyMove> key_moves() {
  return kMoves;
}

KeyLine::KeyLine(const CountRows& rows)
    : rows_(&rows),
      moves_(kMoves),
      orders_(rows.orders().size()),
      tilted_rest_(moves_.size() * orders_),
      tilted_third_(moves_.size() * orders_),
      tilted_(moves_.size() * orders_) {}

void KeyLine::set_scene(std::size_t others, std::int64_t left, std::int64_t cap) {
  const std::int64_t slots =
      rows_->classes() - (has_third_ ? 3 : 2) - static_cast<std::int64_t>(others);
  has_scene_[others] = slots >= 0;
  if (!has_scene_[others]) return;
  Row& below = scene_[others];
  Row& hazard = hazard_[others];
  below.assign(nodes_.size, 0.0);
  hazard.assign(nodes_.size, 0.0);
  const auto add = [&](std::int64_t count, std::int64_t classes) {
    if (classes <= 0) return;
    const double* const log = rows_->log_below(count, nodes_.first);
    const double* const its = rows_->hazard(count, nodes_.first);
    const auto times = static_cast<double>(classes);
    for (std::size_t k = 0; k < nodes_.size; ++k) {
      below[k] += times * log[k];
      hazard[k] += times * its[k];
    }
  };
  const std::int64_t full = cap == 0 ? 0 : std::min(left / cap, slots);
  const std::int64_t remainder = full < slots ? std::min(left - full * cap, cap) : 0;
  add(cap, full);
  add(remainder, remainder > 0 ? 1 : 0);
  add(0, slots - full - (remainder > 0 ? 1 : 0));
  for (double& its : below) its = std::exp(its);
}

void KeyLine::set_products(Products& to, std::size_t others, const CountRow& third,
                           std::span<const CountRow> partners) {
  const std::size_t size = nodes_.size;
  for (Row* row : {&to.below, &to.third_wins, &to.rest_wins}) row->resize(size);
  const double* const scene = scene_[others].data();
  const double* const hazard = hazard_[others].data();
  for (std::size_t k = 0; k < size; ++k) {
    // All behind the third below; one of them wins.
    double below = scene[k];
    double wins = below * hazard[k];
    for (const CountRow& partner : partners) {
      wins = wins * partner.below[k] + below * partner.density[k];
      below *= partner.below[k];
    }
    to.third_wins[k] = has_third_ ? below * third.density[k] : 0.0;
    to.below[k] = has_third_ ? below * third.below[k] : below;
    to.rest_wins[k] = has_third_ ? wins * third.below[k] : wins;
  }
}

void KeyLine::set_tilted(std::size_t move) {
  const KeyMove& its = moves_[move];
  Products products;
  for (std::size_t t = 0; t < orders_; ++t) {
    std::array<CountRow, 2> partners{};
    for (std::size_t i = 0; i < its.others; ++i) {
      partners[i] = rows_->tilted(t, y_, its.changes[i], nodes_.first);
    }
    set_products(products, its.others, rows_->tilted(t, x3_, its.third, nodes_.first),
                 std::span(partners).first(its.others));
    tilted_rest_[move * orders_ + t].swap(products.rest_wins);
    tilted_third_[move * orders_ + t].swap(products.third_wins);
  }
}

void KeyLine::start(std::int64_t s, std::int64_t x3, std::int64_t first, std::int64_t last) {
  s_ = s;
  x3_ = x3;
  has_third_ = rows_->classes() > 2;
  prepare(rows_->teachers() - s - x3, x3, first, last);
}

void KeyLine::start_pair(std::int64_t v, std::int64_t x2) {
  s_ = v + x2;
  x3_ = 0;
  has_third_ = false;
  prepare(rows_->teachers() - s_, x2, v, v);
}

void KeyLine::prepare(std::int64_t left, std::int64_t cap, std::int64_t first, std::int64_t last) {
  y_ = std::min(cap, left);
  nodes_ = rows_->all_nodes(first, last);
  for (std::size_t others = 0; others < kScenes; ++others) {
    set_scene(others, left, cap);
    if (!has_scene_[others]) continue;
    const CountRow partner = rows_->row(y_, nodes_.first);
    const std::array<CountRow, 2> partners{partner, partner};
    set_products(unmoved_[others], others, rows_->row(x3_, nodes_.first),
                 std::span(partners).first(others));
  }
  const std::int64_t all = rows_->moved();
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    const KeyMove& move = moves_[i];
    // What does not depend on x2.
    possible_[i] =
        has_scene_[move.others] && (move.third == 0 || has_third_) && move.exists(1, x3_, y_);
    if (!possible_[i]) continue;
    std::array<CountRow, 2> partners{};
    for (std::size_t j = 0; j < move.others; ++j) {
      partners[j] = rows_->row(y_ + all * move.changes[j], nodes_.first);
    }
    set_products(moved_[i], move.others, rows_->row(x3_ + all * move.third, nodes_.first),
                 std::span(partners).first(move.others));
    set_tilted(i);
  }
}

void KeyLine::compute(std::int64_t v, bool third_apart) {
  const std::int64_t x2 = s_ - v;
  const CountRows::Nodes nodes = rows_->nodes_for(v, v, 0.0);
  const auto offset = static_cast<std::size_t>(nodes.first - nodes_.first);
  const Kernels& its = kernels();
  const auto wins = [&](std::int64_t top, std::int64_t second, const Products& products) {
    std::array<double, 4> sums{};
    const CellWinRows behind = products.from(offset);
    its.cell_win_sums(rows_->row(v + top * rows_->moved(), nodes.first),
                      rows_->row(x2 + second * rows_->moved(), nodes.first), &behind, 1, nodes.size,
                      sums.data());
    return Wins{sums[0], sums[1], sums[2], sums[3]};
  };
  for (std::size_t others = 0; others < kScenes; ++others) {
    if (has_scene_[others]) before_[others] = wins(0, 0, unmoved_[others]);
  }
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    const KeyMove& move = moves_[i];
    exists_[i] = possible_[i] && move.exists(x2, x3_, y_);
    if (exists_[i]) after_[i] = wins(move.top, move.second, moved_[i]);
  }
  // Each order has nodes of its own: what others are asked for changes no bit.
  for (std::size_t t = 0; t < orders_; ++t) {
    const CountRows::Nodes of_order = rows_->nodes_for(v, v, rows_->tilt(t));
    const auto from = static_cast<std::size_t>(of_order.first - nodes_.first);
    for (const Alike& alike : kAlike) {
      std::array<const double*, 6> rows{};
      std::array<std::size_t, 3> present{};
      std::size_t size = 0;
      for (const std::size_t i : std::span(alike.moves).first(alike.size)) {
        if (exists_[i]) present[size++] = i;
      }
      if (size == 0) continue;
      for (std::size_t j = 0; j < size; ++j) {
        const std::size_t at = present[j] * orders_ + t;
        rows[j] = tilted_rest_[at].data() + from;
        rows[size + j] = tilted_third_[at].data() + from;
      }
      const KeyMove& move = moves_[present[0]];
      const CountRow top = rows_->tilted(t, v, move.top, of_order.first);
      const CountRow second = rows_->tilted(t, x2, move.second, of_order.first);
      std::array<double, 6> sums{};
      its.product_sums(top.below, second.below, rows.data(), third_apart ? size : 2 * size,
                       of_order.size, sums.data());
      for (std::size_t j = 0; j < size; ++j) {
        tilted_[present[j] * orders_ + t] = sums[j] + (third_apart ? 0.0 : sums[size + j]);
      }
    }
  }
}

}  // namespace pate
