#include "pate/divergence/complex/largest_moduli.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "pate/numerics/bernoulli_pair.hpp"
#include "support/random.hpp"

using namespace pate;
using pate_test::Random;

namespace {

LogBernoulliPair pair_of(double p, double p_neighbour) {
  return {std::log(p),
          std::log1p(-p),
          std::log(p_neighbour),
          std::log1p(-p_neighbour),
          std::log(p / p_neighbour),
          std::log1p(-p) - std::log1p(-p_neighbour)};
}

}  // namespace

TEST_SUITE("complex") {
  // Turned as a whole, and weights as products; or, where those are no doubles, by the table.
  TEST_CASE("moduli of answers and refusals are those of a table of both") {
    Random random(20);
    const ComplexOrders orders{{0.5, 3.0, 12.0}, 2.5, 12, 0.1};
    const std::vector<double> caps(3, 100.0);
    for (const double scale : {1.0, 30.0, 400.0}) {
      for (const bool refused : {true, false}) {
        LargestModuli by_answer(orders);
        LargestModuli by_table(orders);
        for (int neighbour = 0; neighbour < 3; ++neighbour) {
          const double p = refused ? random.uniform(0.01, 0.99) : 1.0;
          const double q = refused ? random.uniform(0.01, 0.99) : 1.0;
          LogBernoulliPair pair = pair_of(p, q);
          if (scale > 300.0) pair.log_p -= 640.0;  // an outcome without a phase
          std::vector<LargestModuli::LogOutcome> outcomes;
          for (int k = 0; k < 3; ++k) {
            const double log_p = -scale * random.uniform(0.0, 1.0);
            outcomes.push_back({log_p, random.uniform(-0.02, 0.02) * scale});
          }
          const std::vector<double> rest{0.1, 0.02, 0.3};
          by_answer.set_answers(outcomes);
          by_answer.add(LargestModuli::Answer(orders, pair, refused), rest);
          std::vector<LargestModuli::LogOutcome> all;
          if (refused) all.push_back({pair.log_not_p, pair.log_not_ratio});
          for (const auto& its : outcomes) {
            all.push_back({pair.log_p + its.log_p, pair.log_ratio + its.loss});
          }
          by_table.add(all, rest);
          std::vector<double> of_answer(orders.size());
          std::vector<double> of_table(orders.size());
          by_answer.logs(caps, of_answer);
          by_table.logs(caps, of_table);
          for (std::size_t i = 0; i < orders.size(); ++i) {
            CHECK(of_answer[i] == doctest::Approx(of_table[i]).epsilon(1e-11));
          }
        }
      }
    }
  }
}
