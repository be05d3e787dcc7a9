#include "pate/numerics/chebyshev.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>

#include "support/random.hpp"

using namespace pate;

namespace {

template <class Function>
chebyshev::Nodes at_points(const Function& function) {
  chebyshev::Nodes values{};
  for (std::size_t k = 0; k < chebyshev::kNodes; ++k) values[k] = function(chebyshev::points()[k]);
  return values;
}

}  // namespace

TEST_CASE("chebyshev: polynomials of degree 11 are what their values say, and no others") {
  pate_test::Random random(7);
  for (std::size_t degree = 0; degree <= chebyshev::kNodes; ++degree) {
    const auto function = [&](double s) {
      return std::cos(static_cast<double>(degree) * std::acos(s)) + 0.25 * s;
    };
    const chebyshev::Nodes values = at_points(function);
    double largest = 0.0;
    for (int trial = 0; trial < 50; ++trial) {
      const double s = random.uniform(-1, 1);
      const double found = chebyshev::interpolate(chebyshev::weights_at(s), values);
      largest = std::max(largest, std::abs(found - function(s)));
    }
    CAPTURE(degree);
    if (degree < chebyshev::kNodes) {
      CHECK(largest < 1e-12);
    } else {
      CHECK(largest > 0.5);  // T_12 is nothing at its zeros
    }
    CHECK(chebyshev::converged(values, 1.0) == (degree < 10 || degree == chebyshev::kNodes));
    CHECK(chebyshev::tail(values) == doctest::Approx(degree == 10 || degree == 11 ? 1.0 : 0.0));
  }
  CHECK(chebyshev::interpolate(chebyshev::weights_at(chebyshev::points()[3]),
                               at_points([](double s) { return s; })) == chebyshev::points()[3]);
  chebyshev::Nodes infinite = at_points([](double) { return 1.0; });
  infinite[4] = INFINITY;
  CHECK_FALSE(chebyshev::converged(infinite, 1.0));
}

TEST_CASE("chebyshev: a sum over places is one over the points") {
  pate_test::Random random(8);
  const auto function = [](double s) { return std::exp(0.5 * s); };
  chebyshev::Nodes moments{};
  double sum = 0.0;
  for (int place = 0; place < 300; ++place) {
    const double s = random.uniform(-1, 1);
    const double times = random.uniform(0, 3);
    chebyshev::add(times, chebyshev::polynomials(s), moments);
    sum += times * function(s);
  }
  const double found = chebyshev::dot(chebyshev::weights(moments), at_points(function));
  CHECK(std::abs(found - sum) < 1e-12 * sum);
}
