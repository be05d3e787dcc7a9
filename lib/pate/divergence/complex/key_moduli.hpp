#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pate/divergence/complex/complex_orders.hpp"
#include "pate/divergence/complex/largest_moduli.hpp"
#include "pate/divergence/keys/key_line.hpp"
#include "pate/mechanisms/noisy_max.hpp"
#include "pate/mechanisms/threshold_check.hpp"
#include "pate/numerics/bernoulli_pair.hpp"

namespace pate {

/// log |m(a + i k w)| of an answer by its key, the three largest counts (v, x2, x3), the largest
/// over all moves of a vote; forward, the votes against the neighbour. With two classes x3 is 0.
///
/// For a key and a move the query is dominated by the experiment that reports *refused*, *the top
/// class won*, *x2 won* and *x3 won* as they are and everything else point by point, with the
/// classes behind as uneven as they can be (README). Of the first four the moment is computed, of
/// the rest its modulus is at most the real moment
///
///     (joint weights of an answer) e^{lambda (lambda-1) / sigma2^2} Pr[no cell wins],
///
/// on the counts lambda n + (1 - lambda) n', lambda = a + 1. A partner of the move whose count is
/// not in the key may change the statistic or not; moduli are not monotone in it, so both are
/// looked at, and the larger modulus is taken for each (a, k).
///
/// Above `kMaxTeachersOfThreeKeys` teachers keys are (v, x2), whatever x3: *x3 won* is one of the
/// rest, and every class but x2 may have up to x2 votes.
class KeyModuli {
 public:
  static constexpr std::int64_t kMaxTeachersOfThreeKeys = 400;
  enum class Keys { automatic, three, two };

  /// Throws `parameter_error` as `validate(orders)` does, for fewer than two classes, and for noise
  /// below a sixtieth of the teachers or a hundredth of the largest real part; `validity_error` for
  /// moduli of more than e^(2^20). `both_statistics` false leaves the second statistic out, which
  /// is wrong: for the test that shows so.
  KeyModuli(const GaussianNoisyMax& noise, const std::optional<ThresholdCheck>& check,
            std::int64_t teachers, std::int64_t classes, const ComplexOrders& orders,
            bool both_statistics = true, Keys keys = Keys::automatic);

  [[nodiscard]] bool three_keys() const { return three_; }
  /// What no logarithm is above.
  [[nodiscard]] double largest_log() const;
  [[nodiscard]] const ComplexOrders& orders() const { return orders_; }
  [[nodiscard]] std::int64_t teachers() const { return teachers_; }
  [[nodiscard]] std::int64_t classes() const { return classes_; }

  /// What is needed beside, one for each thread.
  struct Scratch {
    explicit Scratch(const KeyModuli& of) : largest(of.orders_), line(of.rows_) {}
    LargestModuli largest;
    KeyLine line;
    std::int64_t s = 0, x3 = 0;
    std::vector<double> rest;
    // Logarithms by real part, of three cells and of none; -inf: there is nothing.
    std::vector<std::array<double, 4>> log_rest;
  };
  /// The logarithms by real part, then k; never more than a (a+1) (1/sigma2^2 + 1/(2 sigma1^2)).
  /// Domain: v >= x2 >= x3 >= 0, which some histogram has; of two keys x3 is not looked at. Rounded
  /// outwards as `LargestModuli`.
  void logs(std::int64_t v, std::int64_t x2, std::int64_t x3, Scratch& scratch,
            std::span<double> to) const;

  /// The same along a line of three keys with v + x2 = s: quicker than one by one, the same bits.
  static void start_line(std::int64_t s, std::int64_t x3, std::int64_t first, std::int64_t last,
                         Scratch& scratch);
  void logs_on_line(std::int64_t v, Scratch& scratch, std::span<double> to) const;

 private:
  // Of refused or answered, with top count v and w = v - 1, v, v + 1 afterwards.
  [[nodiscard]] static std::size_t place(std::int64_t v, std::int64_t w) {
    return static_cast<std::size_t>(3 * v + w - v + 1);
  }

  // log of a bound on P^(a+1) P'^(-a) of a class so far behind, at real part t.
  [[nodiscard]] double log_far(std::size_t t, std::int64_t gap) const;

  bool has_check_;
  double sigma_;
  std::int64_t teachers_;
  std::int64_t classes_;
  ComplexOrders orders_;
  bool both_statistics_;
  bool three_;
  CountRows rows_;
  std::vector<double> caps_;        // of Renyi divergences, by real part
  std::vector<double> log_growth_;  // a (a + 1) / sigma2^2
  std::vector<LogBernoulliPair> pairs_;
  std::vector<LargestModuli::Answer> answers_;
};

}  // namespace pate
