#include "pate/numerics/kernels/kernels.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

// Every instruction set that this machine has: each against long double, at arguments of every size
// and of one size together, and all against the first one, bit for bit.

namespace pate {

namespace {

long double expm1_tail(long double z) {
  if (std::abs(z) > 0.1L) return std::expm1(z) - z;
  long double sum = 0.0L;
  long double term = z * z / 2.0L;
  for (int k = 3; k < 40; ++k) {
    sum += term;
    term *= z / static_cast<long double>(k);
  }
  return sum;
}

std::vector<std::uint64_t> bits_of(const std::vector<double>& numbers) {
  std::vector<std::uint64_t> bits;
  // Which NaN it is may differ.
  for (const double x : numbers) {
    bits.push_back(std::isnan(x) ? ~std::uint64_t{0} : std::bit_cast<std::uint64_t>(x));
  }
  return bits;
}

// Numbers of every size, ordinary and not.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : random_(seed) {}

  std::size_t up_to(std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(0, most)(random_);
  }
  double uniform(double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random_);
  }
  double any(double largest_log) {
    static constexpr std::array kOdd{0.0, -0.0, std::numeric_limits<double>::infinity(),
                                     std::numeric_limits<double>::quiet_NaN(),
                                     std::numeric_limits<double>::denorm_min()};
    if (up_to(40) == 0) return kOdd.at(up_to(kOdd.size() - 1));
    return std::exp(uniform(-40.0, largest_log));
  }
  std::vector<double> many(std::size_t size, double sign, double largest_log) {
    std::vector<double> result(size);
    for (double& x : result) x = sign * any(largest_log);
    return result;
  }

 private:
  std::mt19937_64 random_;
};

// f(kernels) gives the same bits for each.
template <class Function>
void check_same_bits(const Function& f) {
  const std::vector<std::uint64_t> first = bits_of(f(runnable_kernels().front()));
  for (const Kernels& its : runnable_kernels().subspan(1)) {
    CAPTURE(std::string(its.name));
    CHECK(bits_of(f(its)) == first);
  }
}

}  // namespace

TEST_SUITE("kernels") {
  TEST_CASE("the widest is used, and each has its own name") {
    CHECK(std::string(kernels().name) == runnable_kernels().back().name);
    std::set<std::string> names;
    for (const Kernels& its : runnable_kernels()) names.insert(its.name);
    CHECK(names.size() == runnable_kernels().size());
  }

  TEST_CASE("vectors of any width give the same bits") {
    Numbers numbers(11);
    for (int trial = 0; trial < 3000; ++trial) {
      const std::size_t size = numbers.up_to(70);
      CAPTURE(trial);
      CAPTURE(size);
      const std::vector<double> positive = numbers.many(size, 1.0, 300.0);
      check_same_bits([&](const Kernels& its) {
        std::vector<double> x = positive;
        its.log1p_positive(x.data(), size);
        return x;
      });
      std::vector<double> small(size);
      for (double& x : small) x = numbers.uniform(-0.2, 0.25);
      check_same_bits([&](const Kernels& its) {
        std::vector<double> x = small;
        its.log1p_near_zero(x.data(), size);
        return x;
      });
      const double factor = numbers.uniform(-30.0, 30.0);
      const std::vector<double> l = numbers.many(size, -1.0, std::log(0.5));
      check_same_bits([&](const Kernels& its) {
        std::vector<double> result(size);
        its.expm1_minus_x(l.data(), factor, 16.0, size, result.data());
        return result;
      });
    }
  }

  TEST_CASE("sums have the same bits in vectors of any width") {
    Numbers numbers(12);
    for (int trial = 0; trial < 3000; ++trial) {
      CAPTURE(trial);
      const std::size_t nodes = 1 + numbers.up_to(90);
      std::vector<std::vector<double>> rows(numbers.up_to(12));
      std::vector<WeightedRow> terms;
      for (auto& row : rows) {
        row = numbers.many(nodes + kLanes, -1.0, 7.0);
        terms.push_back({row.data(), static_cast<double>(1 + numbers.up_to(9))});
      }
      std::vector<double> weights = numbers.many(nodes, 1.0, 0.0);
      weights.resize(nodes + kLanes);
      const std::size_t first = numbers.up_to(nodes);
      check_same_bits([&](const Kernels& its) {
        return std::vector{
            its.sum_one_minus_exp(terms.data(), terms.size(), weights.data(), first, nodes)};
      });
      const std::size_t cells = numbers.up_to(std::min(rows.size(), CellRows::kMost));
      std::vector<std::vector<double>> densities(cells);
      std::vector<const double*> starts;
      for (auto& density : densities) {
        density = numbers.many(nodes, 1.0, 0.0);
        density.resize(nodes + kLanes);
        starts.push_back(density.data());
      }
      const CellRows of_cells{starts.data(), cells};
      check_same_bits([&](const Kernels& its) {
        std::vector<double> sums(1 + CellRows::kMost);
        its.win_sums(terms.data(), terms.size(), of_cells, weights.data(), first, nodes,
                     sums.data());
        sums.push_back(its.sum_behind_cells(terms.data(), terms.size(), of_cells, weights.data(),
                                            first, nodes));
        return sums;
      });

      const std::vector<double> values = numbers.many(kNodeBlock + 50, 1.0, 0.0);
      std::vector<std::vector<std::int32_t>> offsets(1 + numbers.up_to(3));
      std::vector<std::vector<double>> factors;
      std::vector<NodeTerms> tables;
      for (auto& its : offsets) {
        its.resize(numbers.up_to(9));
        for (auto& offset : its) offset = static_cast<std::int32_t>(numbers.up_to(50));
        factors.push_back(numbers.many(its.size(), 1.0, 0.0));
        tables.push_back({its.data(), factors.back().data(), its.size(), numbers.uniform(0, 0.5)});
      }
      check_same_bits([&](const Kernels& its) {
        std::vector<double> sums(2 * kNodeBlock);
        its.node_sums(values.data(), tables.front(), sums.data());
        its.largest_sums(values.data(), tables.data(), tables.size(), sums.data() + kNodeBlock);
        return sums;
      });
    }
  }

  TEST_CASE("sums over outcomes have the same bits in vectors of any width") {
    Numbers numbers(14);
    for (int trial = 0; trial < 3000; ++trial) {
      CAPTURE(trial);
      const std::size_t size = numbers.up_to(40);
      const std::vector<double> weights = numbers.many(size, 1.0, 0.0);
      const std::vector<double> l = numbers.many(size, trial % 2 == 0 ? 1.0 : -1.0, 3.0);
      const std::vector<double> a = numbers.many(size, 1.0, 3.0);
      const std::vector<double> b = numbers.many(size, 1.0, 3.0);
      const double order = numbers.uniform(1.0, 50.0);
      check_same_bits([&](const Kernels& its) {
        std::vector<double> result{its.largest_size(l.data(), size),
                                   its.sum_changes(weights.data(), l.data(), a.data(), size), 0, 0};
        its.sum_excess(weights.data(), a.data(), b.data(), l.data(), size, order, &result[2]);
        return result;
      });
      const std::size_t nodes = numbers.up_to(18);
      const std::size_t width = kLanes * numbers.up_to(4);
      const std::vector<double> node_weights = numbers.many(nodes, 1.0, 0.0);
      const std::vector<double> up = numbers.many(nodes * width, 1.0, 0.0);
      const std::vector<double> down = numbers.many(nodes * width, 1.0, 0.0);
      std::vector<std::uint32_t> rows(width == 0 ? 0 : numbers.up_to(5));
      for (auto& row : rows) row = static_cast<std::uint32_t>(numbers.up_to(width - 1));
      const std::vector<double> start = numbers.many(rows.size() * width, 1.0, 0.0);
      check_same_bits([&](const Kernels& its) {
        std::vector<double> sums = start;
        its.add_products(node_weights.data(), nodes, up.data(), down.data(), width, rows.data(),
                         rows.size(), sums.data());
        for (std::size_t i = 0; i < nodes; ++i) {
          its.add_columns(node_weights[i], up.data() + i * width, down.data() + i * width, width,
                          rows.data(), rows.size(), sums.data());
        }
        return sums;
      });
      const std::size_t zero = numbers.up_to(nodes);
      const std::vector<double> gammas = numbers.many(nodes, 1.0, 2.0);
      const std::vector<double> p = numbers.many(nodes * kLanes, 1.0, 0.0);
      const std::vector<double> q = numbers.many(nodes * kLanes, 1.0, 0.0);
      const std::vector<double> before = numbers.many(nodes * kLanes, 1.0, 0.0);
      check_same_bits([&](const Kernels& its) {
        std::vector<double> excess = before;
        its.raise_excess(gammas.data(), zero, nodes, p.data(), q.data(), excess.data());
        return excess;
      });
    }
  }

  TEST_CASE("an excess that is not a number stays that, and what is not a number makes it so") {
    const double nan = std::nan("");
    for (const Kernels& its : runnable_kernels()) {
      CAPTURE(std::string(its.name));
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::vector<double> gammas{0.5, 1.0, 2.0};
        const std::vector<double> q(3 * kLanes, 0.0);
        std::vector<double> p(3 * kLanes, 0.25);
        std::vector<double> excess(3 * kLanes, 0.0);
        excess[kLanes + lane] = nan;
        its.raise_excess(gammas.data(), 1, 3, p.data(), q.data(), excess.data());
        for (std::size_t i = 0; i < excess.size(); ++i) {
          CHECK(std::isnan(excess[i]) == (i == kLanes + lane));
        }
        // From the last to the second it is part of both sums.
        p[2 * kLanes + lane] = nan;
        std::fill(excess.begin(), excess.end(), 0.0);
        its.raise_excess(gammas.data(), 1, 3, p.data(), q.data(), excess.data());
        for (std::size_t i = 0; i < excess.size(); ++i) {
          CHECK(std::isnan(excess[i]) == (i % kLanes == lane && i >= kLanes));
        }
      }
    }
  }

  TEST_CASE("products, and sums over outcomes, are what they say") {
    Numbers numbers(15);
    const auto some = [&](std::size_t size, double from, double to) {
      std::vector<double> result(size);
      for (double& x : result) x = numbers.uniform(from, to);
      return result;
    };
    for (const Kernels& its : runnable_kernels()) {
      CAPTURE(std::string(its.name));
      for (int trial = 0; trial < 200; ++trial) {
        const std::size_t nodes = 1 + numbers.up_to(17);
        const std::size_t width = kLanes * (1 + numbers.up_to(3));
        const std::vector<double> weights = some(nodes, 0.0, 1.0);
        const std::vector<double> up = some(nodes * width, -0.5, 0.5);
        const std::vector<double> down = some(nodes * width, -0.5, 0.5);
        std::vector<std::uint32_t> rows(1 + numbers.up_to(4));
        for (auto& row : rows) row = static_cast<std::uint32_t>(numbers.up_to(width - 1));
        std::vector<double> by_row(rows.size() * width);
        std::vector<double> by_column(rows.size() * width);
        its.add_products(weights.data(), nodes, up.data(), down.data(), width, rows.data(),
                         rows.size(), by_row.data());
        for (std::size_t i = 0; i < nodes; ++i) {
          its.add_columns(weights[i], up.data() + i * width, down.data() + i * width, width,
                          rows.data(), rows.size(), by_column.data());
        }
        for (std::size_t r = 0; r < rows.size(); ++r) {
          for (std::size_t b = 0; b < width; ++b) {
            double row = 0.0;
            double column = 0.0;
            for (std::size_t i = 0; i < nodes; ++i) {
              row += weights[i] * (1.0 + up[i * width + rows[r]]) * down[i * width + b];
              column += weights[i] * (1.0 + up[i * width + b]) * down[i * width + rows[r]];
            }
            CHECK(std::abs(by_row[r * width + b] - row) < 1e-14);
            CHECK(std::abs(by_column[r * width + b] - column) < 1e-14);
          }
        }
        const std::vector<double> l = some(nodes, -2.0, 1.0);
        const std::vector<double> tail = some(nodes, 0.0, 1.0);
        const std::vector<double> other = some(nodes, 0.0, 1.0);
        double largest = 0.0;
        double change = 0.0;
        std::array<double, 2> excess{};
        for (std::size_t i = 0; i < nodes; ++i) {
          largest = std::max(largest, std::abs(l[i]));
          change += weights[i] * (l[i] + tail[i]);
          excess[0] += weights[i] * (tail[i] + 2.0 * l[i]);
          excess[1] += weights[i] * (other[i] - 3.0 * l[i]);
        }
        std::array<double, 2> sums{};
        its.sum_excess(weights.data(), tail.data(), other.data(), l.data(), nodes, 3.0,
                       sums.data());
        CHECK(its.largest_size(l.data(), nodes) == largest);
        CHECK(std::abs(its.sum_changes(weights.data(), l.data(), tail.data(), nodes) - change) <
              1e-13);
        CHECK(std::abs(sums[0] - excess[0]) < 1e-13);
        CHECK(std::abs(sums[1] - excess[1]) < 1e-13);
        // One table after the other.
        const std::size_t zero = numbers.up_to(nodes);
        const std::vector<double> gammas = some(nodes, 0.5, 2.0);
        const std::vector<double> p = some(nodes * kLanes, 0.0, 1.0);
        const std::vector<double> q = some(nodes * kLanes, 0.0, 1.0);
        std::vector<double> raised(nodes * kLanes);
        its.raise_excess(gammas.data(), zero, nodes, p.data(), q.data(), raised.data());
        for (std::size_t i = 0; i < kLanes; ++i) {
          for (std::size_t k = 0; k < nodes; ++k) {
            double sum = 0.0;
            for (std::size_t o = k < zero ? 0 : k; o < (k < zero ? k + 1 : nodes); ++o) {
              sum += p[o * kLanes + i] - gammas[k] * q[o * kLanes + i];
            }
            const double reference = std::max(0.0, k < zero ? -sum : sum);
            CHECK(std::abs(raised[k * kLanes + i] - reference) < 1e-13);
          }
        }
      }
    }
  }

  TEST_CASE("sums of 1 - e^x are those of long double") {
    Numbers numbers(13);
    for (const Kernels& its : runnable_kernels()) {
      CAPTURE(std::string(its.name));
      for (int trial = 0; trial < 400; ++trial) {
        const std::size_t nodes = 1 + numbers.up_to(90);
        std::vector<double> row(nodes + kLanes);
        std::vector<double> weights(nodes + kLanes);
        long double reference = 0.0L;
        for (std::size_t k = 0; k < nodes; ++k) {
          row[k] = -std::exp(numbers.uniform(-40.0, 8.0));
          weights[k] = numbers.uniform(0.0, 1.0);
          reference -= static_cast<long double>(weights[k]) *
                       std::expm1(3.0L * static_cast<long double>(row[k]));
        }
        const WeightedRow term{row.data(), 3.0};
        const double sum = its.sum_one_minus_exp(&term, 1, weights.data(), 0, nodes);
        CHECK(std::abs(static_cast<long double>(sum) - reference) <= 2e-15L * reference);

        // Two cells, behind the first of which there is a row of its own.
        std::vector<double> other(nodes + kLanes);
        std::vector<std::vector<double>> densities(2, std::vector<double>(nodes + kLanes));
        std::array<long double, 2> wins{};
        long double behind = 0.0L;
        for (std::size_t k = 0; k < nodes; ++k) {
          other[k] = -std::exp(numbers.uniform(-40.0, 8.0));
          const long double x = 3.0L * static_cast<long double>(row[k]);
          long double density = weights[k];
          for (std::size_t i = 0; i < 2; ++i) {
            densities[i][k] = numbers.uniform(0.0, 1.0);
            density += densities[i][k];
            wins[i] += densities[i][k] * std::exp(x + other[k] + other[k]);
          }
          behind -=
              density * std::exp(x + other[k]) * std::expm1(static_cast<long double>(other[k]));
        }
        const std::array terms{term, WeightedRow{other.data(), 1.0},
                               WeightedRow{other.data(), 1.0}};
        const std::array<const double*, 2> starts{densities[0].data(), densities[1].data()};
        std::array<double, 3> sums{};
        its.win_sums(terms.data(), terms.size(), {starts.data(), 2}, weights.data(), 0, nodes,
                     sums.data());
        // Of e^x what is lost is beside 1, not beside itself.
        const long double room = 2e-15L * static_cast<long double>(nodes);
        for (std::size_t i = 0; i < 2; ++i) {
          CHECK(std::abs(static_cast<long double>(sums[i + 1]) - wins[i]) <= room);
        }
        const double behind_cells = its.sum_behind_cells(
            terms.data(), terms.size(), {starts.data(), 2}, weights.data(), 0, nodes);
        CHECK(std::abs(static_cast<long double>(behind_cells) - behind) <= room);
      }
    }
  }

  TEST_CASE("e^z - 1 - z is that of long double") {
    for (const Kernels& its : runnable_kernels()) {
      CAPTURE(std::string(its.name));
      std::mt19937_64 random(7);
      std::uniform_real_distribution<double> unit(0.0, 1.0);
      for (int trial = 0; trial < 400; ++trial) {
        const double most =
            std::exp(std::log(1e-12) + unit(random) * std::log(kMaxExpArgument / 1e-12));
        const double factor = (trial % 2 == 0 ? 1.0 : -1.0) * std::exp(6.0 * unit(random));
        std::vector<double> l(1 + static_cast<std::size_t>(trial % 67));
        for (double& value : l) {
          const double size = trial % 3 == 0 ? std::exp(-40.0 * unit(random)) : unit(random);
          value = (unit(random) < 0.5 ? -1.0 : 1.0) * size * most / std::abs(factor);
        }
        l.front() = trial % 5 == 0 ? 0.0 : most / factor * (1.0 - 1e-15);
        std::vector<double> result(l.size());
        its.expm1_minus_x(l.data(), factor, most, l.size(), result.data());
        for (std::size_t i = 0; i < l.size(); ++i) {
          const double z = factor * l[i];
          CAPTURE(z);
          CAPTURE(most);
          const long double reference = expm1_tail(z);
          CHECK(std::abs(static_cast<long double>(result[i]) - reference) <= 2e-14L * reference);
          CHECK(result[i] >= 0.0);
        }
      }
    }
  }

  TEST_CASE("what is not finite stays that") {
    for (const Kernels& its : runnable_kernels()) {
      CAPTURE(std::string(its.name));
      const double infinity = std::numeric_limits<double>::infinity();
      const std::vector<double> l{0.1, infinity, -0.2, std::nan("")};
      std::vector<double> result(l.size());
      its.expm1_minus_x(l.data(), 3.0, 2.0, l.size(), result.data());
      CHECK(result[0] == doctest::Approx(std::expm1(0.3) - 0.3).epsilon(1e-13));
      CHECK_FALSE(std::isfinite(result[1]));
      CHECK_FALSE(std::isfinite(result[3]));
    }
  }

  TEST_CASE("logarithms of one and more are those of long double") {
    for (const Kernels& its : runnable_kernels()) {
      CAPTURE(std::string(its.name));
      std::vector<double> x{0.0, 1.0, std::numeric_limits<double>::denorm_min(),
                            std::numeric_limits<double>::max(), std::sqrt(2.0) - 1.0};
      std::mt19937_64 random(82);
      for (int i = 0; i < 20'000; ++i) {
        const double range = i % 2 == 0 ? 2.0 : 700.0;
        x.push_back(std::exp(std::uniform_real_distribution<double>(-range, range)(random)));
      }
      std::vector<double> result = x;
      its.log1p_positive(result.data(), result.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        CAPTURE(x[i]);
        const long double reference = std::log1p(static_cast<long double>(x[i]));
        CHECK(std::abs(static_cast<long double>(result[i]) - reference) <= 1e-15L * reference);
      }
      std::vector<double> beyond{std::numeric_limits<double>::infinity(), std::nan("")};
      its.log1p_positive(beyond.data(), beyond.size());
      for (const double value : beyond) CHECK_FALSE(std::isfinite(value));
    }
  }

  TEST_CASE("logarithms near one are those of long double") {
    for (const Kernels& its : runnable_kernels()) {
      CAPTURE(std::string(its.name));
      std::vector<double> x;
      for (double size = 0.25; size > 1e-300; size *= 0.37) {
        x.push_back(size);
        if (size <= 0.2) x.push_back(-size);
      }
      x.push_back(-0.2);
      x.push_back(0.0);
      std::vector<double> result = x;
      its.log1p_near_zero(result.data(), result.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        CAPTURE(x[i]);
        CHECK(is_near_zero(x[i]));
        const long double reference = std::log1p(static_cast<long double>(x[i]));
        CHECK(std::abs(static_cast<long double>(result[i]) - reference) <=
              1e-15L * std::abs(reference));
      }
      CHECK_FALSE(is_near_zero(-0.21));
      CHECK_FALSE(is_near_zero(0.26));
      CHECK_FALSE(is_near_zero(std::nan("")));
    }
  }
}

}  // namespace pate
