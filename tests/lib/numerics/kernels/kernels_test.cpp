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

  TEST_CASE("sums over nodes of keys have the same bits, and are those of long double") {
    Numbers numbers(21);
    for (int trial = 0; trial < 1000; ++trial) {
      CAPTURE(trial);
      const std::size_t nodes = kLanes * (1 + numbers.up_to(12));
      const auto row = [&] { return numbers.many(nodes, 1.0, 0.0); };
      const std::array<std::vector<double>, 7> rows{row(), row(), row(), row(),
                                                    row(), row(), row()};
      const CountRow top{rows[0].data(), rows[1].data()};
      const CountRow second{rows[2].data(), rows[3].data()};
      const CellWinRows behind{rows[4].data(), rows[5].data(), rows[6].data()};
      const std::vector<const double*> all{rows[2].data(), rows[3].data(), rows[4].data(),
                                           rows[5].data(), rows[6].data()};
      const std::size_t count = numbers.up_to(all.size());
      const auto sums = [&](const Kernels& its) {
        std::vector<double> result(4 + all.size());
        its.cell_win_sums(top, second, &behind, 1, nodes, result.data());
        its.product_sums(rows[0].data(), rows[1].data(), all.data(), count, nodes,
                         result.data() + 4);
        return result;
      };
      check_same_bits(sums);
      const std::vector<double> got = sums(kernels());
      const auto is_sum = [&](double x, const double* a, const double* b, const double* c) {
        long double sum = 0.0L;
        for (std::size_t k = 0; k < nodes; ++k) sum += static_cast<long double>(a[k]) * b[k] * c[k];
        if (!std::isfinite(static_cast<double>(sum))) return !std::isfinite(x);
        return std::abs(static_cast<long double>(x) - sum) <= 1e-14L * sum;
      };
      CHECK(is_sum(got[0], top.density, second.below, behind.below));
      CHECK(is_sum(got[1], top.below, second.density, behind.below));
      CHECK(is_sum(got[2], top.below, second.below, behind.third_wins));
      CHECK(is_sum(got[3], top.below, second.below, behind.rest_wins));
      for (std::size_t r = 0; r < count; ++r) {
        CHECK(is_sum(got[4 + r], rows[0].data(), rows[1].data(), all[r]));
      }
    }
  }

  TEST_CASE("excesses of moves have the same bits, and are those of long double") {
    Numbers numbers(22);
    for (int trial = 0; trial < 1000; ++trial) {
      CAPTURE(trial);
      const std::size_t size = 1 + numbers.up_to(12);
      MoveWins wins{};
      wins.log_top = -numbers.any(-1.0);
      wins.log_top_after = -numbers.any(-1.0);
      wins.odds = numbers.any(-1.0);
      wins.odds_after = numbers.any(-1.0);
      wins.cells = numbers.up_to(MoveWins::kMost);
      for (std::size_t i = 0; i < wins.cells; ++i) {
        wins.log_cells[i] = -numbers.any(3.0);
        wins.log_cells_after[i] = wins.log_cells[i] + numbers.uniform(-1.0, 1.0);
      }
      std::vector<double> orders(size);
      for (double& order : orders) order = numbers.uniform(1.1, 30.0);
      const auto rest = numbers.many(size, 1.0, 2.0);
      const auto selection = numbers.many(size, 1.0, 0.0);
      const auto answered = numbers.many(size, 1.0, 0.0);
      const auto start = numbers.many(size, 1.0, 3.0);
      const auto raised = [&](const Kernels& its) {
        std::vector<double> largest = start;
        its.raise_joint_excess(wins, orders.data(), rest.data(), selection.data(), answered.data(),
                               size, largest.data());
        return largest;
      };
      check_same_bits(raised);
      const std::vector<double> got = raised(kernels());
      for (std::size_t k = 0; k < size; ++k) {
        const long double order = orders[k];
        const long double top = std::expm1(order * wins.log_top - (order - 1) * wins.log_top_after);
        long double cells = 0.0L;
        for (std::size_t i = 0; i < wins.cells; ++i) {
          cells += std::exp(order * wins.log_cells[i] - (order - 1) * wins.log_cells_after[i]);
        }
        const long double rounding =
            (1 + top) * (order * wins.odds + (order - 1) * wins.odds_after) +
            (2 * order - 1) * cells + rest[k];
        const long double joint =
            selection[k] + answered[k] * (top + cells + rest[k] + 1e-13L * rounding);
        if (!std::isfinite(static_cast<double>(joint)) || !std::isfinite(start[k])) {
          CHECK((!std::isfinite(got[k]) || got[k] == start[k]));
          continue;
        }
        const auto most = std::max(static_cast<long double>(start[k]), joint);
        const long double parts = std::abs(top) + cells + rest[k] + rounding + 1;
        CHECK(std::abs(got[k] - most) <= 1e-13L * (selection[k] + answered[k] * parts));
      }
    }
  }

  TEST_CASE("exponentials, turned angles and moduli have the same bits, and are those they say") {
    Numbers numbers(23);
    for (int trial = 0; trial < 1000; ++trial) {
      CAPTURE(trial);
      const std::size_t size = kLanes * (1 + numbers.up_to(6));
      std::vector<double> x(size);
      for (double& its : x) its = numbers.uniform(-690.0, 690.0);
      const auto exponentials = [&](const Kernels& its) {
        std::vector<double> result = x;
        its.exponentials(result.data(), size);
        return result;
      };
      check_same_bits(exponentials);
      const std::vector<double> powers = exponentials(kernels());
      for (std::size_t i = 0; i < size; ++i) {
        CHECK(std::abs(powers[i] / std::exp(static_cast<long double>(x[i])) - 1.0L) <= 1e-15L);
      }
      std::array<double, 2> angles{numbers.uniform(-4.0, 4.0), numbers.uniform(-4.0, 4.0)};
      const auto turned = [&](const Kernels& its) {
        std::vector<double> result(4 * size);
        for (std::size_t i = 0; i < 2; ++i) {
          its.multiples_of_angle(std::cos(angles[i]), std::sin(angles[i]), size,
                                 result.data() + 2 * i * size, result.data() + (2 * i + 1) * size);
        }
        return result;
      };
      check_same_bits(turned);
      const std::vector<double> rows = turned(kernels());
      const std::array<const double*, 2> cosines{rows.data(), rows.data() + 2 * size};
      const std::array<const double*, 2> sines{rows.data() + size, rows.data() + 3 * size};
      const std::array<double, 2> weights{numbers.any(3.0), numbers.any(3.0)};
      const ModulusTerms terms{cosines.data(),     sines.data(),      weights.data(), 2,
                               numbers.any(-20.0), numbers.any(-25.0)};
      const auto start = numbers.many(size, 1.0, 3.0);
      const auto moduli = [&](const Kernels& its) {
        std::vector<double> largest = start;
        its.raise_moduli(terms, size, largest.data());
        return largest;
      };
      check_same_bits(moduli);
      const std::vector<double> got = moduli(kernels());
      for (std::size_t k = 0; k < size; ++k) {
        const auto times = static_cast<long double>(k);
        const long double real =
            weights[0] * std::cos(times * angles[0]) + weights[1] * std::cos(times * angles[1]);
        const long double imaginary =
            weights[0] * std::sin(times * angles[0]) + weights[1] * std::sin(times * angles[1]);
        const long double modulus =
            std::hypot(real, imaginary) + terms.error + times * terms.error_step;
        if (!std::isfinite(static_cast<double>(modulus)) || !std::isfinite(start[k])) {
          CHECK((!std::isfinite(got[k]) || (start[k] == got[k] && got[k] >= modulus)));
          continue;
        }
        CHECK(std::abs(got[k] - std::max(modulus, static_cast<long double>(start[k]))) <=
              2e-15L * (8 + times) * (weights[0] + weights[1] + modulus));
      }
      const double most = numbers.uniform(-2.0, 5.0);
      const auto positive = numbers.many(size, 1.0, 5.0);
      const auto logs = [&](const Kernels& its) {
        std::vector<double> result(size);
        its.outward_logs(positive.data(), most, size, result.data());
        its.raise_to(start.data(), size, result.data());
        return result;
      };
      check_same_bits(logs);
      std::vector<double> outward(size);
      kernels().outward_logs(positive.data(), most, size, outward.data());
      for (std::size_t k = 0; k < size; ++k) {
        if (!(positive[k] > 1e-300) || !std::isfinite(positive[k])) {
          if (!(positive[k] <= 1.0)) CHECK(outward[k] == most);
          continue;
        }
        const long double log = std::log(static_cast<long double>(positive[k]));
        if (log >= most) {
          CHECK(outward[k] == most);
          continue;
        }
        CHECK(outward[k] >= log);
        CHECK(outward[k] <= log + 8e-15L * (1.0L + std::abs(log)));
      }
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
