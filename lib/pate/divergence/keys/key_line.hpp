#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pate/divergence/keys/count_rows.hpp"

namespace pate {

/// Votes that move between classes of a key, the three largest counts (v, x2, x3), and others: by
/// how many times S, one vote or several, each changes. `others` are so many classes beside the
/// three.
struct KeyMove {
  int top = 0, second = 0, third = 0;
  std::size_t others = 0;
  std::array<int, 2> changes{};

  /// Whether it gives away what is there: y is the most that one of the others may have.
  [[nodiscard]] bool exists(std::int64_t x2, std::int64_t x3, std::int64_t y) const {
    return (second >= 0 || x2 > 0) && (third >= 0 || x3 > 0) &&
           ((others < 1 || changes[0] >= 0) || y > 0);
  }
};

/// All kinds of moves. Which of them a key has: `KeyLine::exists`.
[[nodiscard]] std::span<const KeyMove> key_moves();

/// Who wins, by key: along a line of keys where v + x2 = s and x3 stay. Classes behind the third
/// are as uneven as they can be: full ones of x3 votes, one of the remainder, and empty ones. A
/// class that takes part in a move beside the three has y = min(x3, votes that are left), and the
/// others share all that is left.
///
/// Along the line those classes stay, so that their probabilities at every node are multiplied
/// once; a key adds two rows. All terms are products of probabilities and positive: sums have a
/// relative accuracy of 2e-13, down to 1e-280.
class KeyLine {
 public:
  /// `rows` must outlive it. One for each thread.
  explicit KeyLine(const CountRows& rows);

  /// The line of s and x3 for keys with v from `first` to `last`, which some histogram has.
  void start(std::int64_t s, std::int64_t x3, std::int64_t first, std::int64_t last);
  /// The key (v, x2) whatever x3 is: full classes have x2 votes, and all moves are those of the
  /// first two classes and of others. Computed with third_apart = true.
  void start_pair(std::int64_t v, std::int64_t x2);
  /// The most that a class beside those of the key may have.
  [[nodiscard]] std::int64_t y() const { return y_; }

  /// Computes the key of v: `third_apart` says whether x3 is told apart on tilted counts, or is one
  /// of those that `rest` gives.
  void compute(std::int64_t v, bool third_apart);

  /// Probabilities that the top class, the second, the third, and any other wins.
  struct Wins {
    double top = 0.0, second = 0.0, third = 0.0, rest = 0.0;
  };
  /// Before a move, which may be of those with so many classes beside the three.
  [[nodiscard]] const Wins& before(std::size_t others) const { return before_[others]; }
  /// After move number `move` of `key_moves`. Only where it exists.
  [[nodiscard]] const Wins& after(std::size_t move) const { return after_[move]; }
  /// The probability, by order, that none of those that are told apart wins on counts lambda n + (1
  /// - lambda) n'.
  [[nodiscard]] std::span<const double> tilted(std::size_t move) const {
    return {tilted_.data() + move * orders_, orders_};
  }
  [[nodiscard]] bool exists(std::size_t move) const { return exists_[move]; }

 private:
  static constexpr std::size_t kMostMoves = 13;
  static constexpr std::size_t kScenes = 3;
  using Row = std::vector<double>;
  struct Products {
    Row below, third_wins, rest_wins;
    [[nodiscard]] CellWinRows from(std::size_t offset) const {
      return {below.data() + offset, third_wins.data() + offset, rest_wins.data() + offset};
    }
  };
  // Where classes beside those of the key have `left` votes, each at most `cap`.
  void prepare(std::int64_t left, std::int64_t cap, std::int64_t first, std::int64_t last);
  // The classes behind that take no part, with so many others that do.
  void set_scene(std::size_t others, std::int64_t left, std::int64_t cap);
  // Multiplies a scene with the third class and others, by their rows.
  void set_products(Products& to, std::size_t others, const CountRow& third,
                    std::span<const CountRow> partners);
  void set_tilted(std::size_t move);

  const CountRows* rows_;
  std::span<const KeyMove> moves_;
  std::size_t orders_;
  std::int64_t s_ = 0, x3_ = 0, y_ = 0;
  CountRows::Nodes nodes_;
  std::array<Row, kScenes> scene_, hazard_;  // all others below; sum of their hazards
  std::array<bool, kScenes> has_scene_{};
  std::array<Products, kScenes> unmoved_;
  std::array<Products, kMostMoves> moved_;
  // By move and order: one of the rest wins and the third is below; or it wins.
  std::vector<Row> tilted_rest_, tilted_third_;
  bool has_third_ = false;  // a class of x3 votes
  std::array<bool, kMostMoves> possible_{};

  std::array<Wins, kScenes> before_{};
  std::array<Wins, kMostMoves> after_{};
  std::array<bool, kMostMoves> exists_{};
  std::vector<double> tilted_;
};

}  // namespace pate
