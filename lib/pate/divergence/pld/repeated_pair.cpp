// The privacy loss distribution of many equal queries, by squaring that of one.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "pate/base/require.hpp"
#include "pate/divergence/pld/pessimistic_profile.hpp"
#include "pate/numerics/kernels/kernels.hpp"

namespace pate {

namespace {

// Masses at the whole steps from `first` on, of so many queries together.
struct Losses {
  std::int64_t first = 0;
  std::vector<double> mass;
  double infinity_mass = 0.0;
  std::int64_t queries = 0;
};

// What products that underflow may lose.
constexpr double kUnderflow = 1e-290;
// Of a convolution, of which there are two for every digit of the number of queries.
constexpr double kConvolutions = 128.0;

// Moves masses at both ends outwards, upwards in loss, as many as are `beyond` together at most.
void trim(Losses& losses, double beyond) {
  double moved = 0.0;
  while (losses.mass.size() > 1 && moved + losses.mass.back() <= beyond / 2) {
    moved += losses.mass.back();
    losses.mass.pop_back();
  }
  losses.infinity_mass += moved * (1.0 + 1e-12);
  double risen = 0.0;
  std::size_t cut = 0;
  while (cut + 1 < losses.mass.size() && risen + losses.mass[cut] <= beyond / 2) {
    risen += losses.mass[cut++];
  }
  losses.mass.erase(losses.mass.begin(), losses.mass.begin() + static_cast<std::ptrdiff_t>(cut));
  losses.mass.front() += risen * (1.0 + 1e-12);
  losses.first += static_cast<std::int64_t>(cut);
}

// The sum of both losses. Every mass is a sum of terms >= 0, rounded up.
Losses convolved(const Losses& a, const Losses& b) {
  const std::size_t size = a.mass.size() + b.mass.size() - 1;
  const std::size_t rounded = (size + kNodeBlock - 1) / kNodeBlock * kNodeBlock;
  const std::size_t before = b.mass.size() - 1;
  std::vector<double> values(before + rounded);
  std::ranges::copy(a.mass, values.begin() + static_cast<std::ptrdiff_t>(before));
  std::vector<std::int32_t> offsets(b.mass.size());
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = -static_cast<std::int32_t>(i);
  const NodeTerms terms{offsets.data(), b.mass.data(), b.mass.size(), 0.0};
  Losses sum{a.first + b.first, std::vector<double>(rounded),
             a.infinity_mass + b.infinity_mass + kUnderflow, a.queries + b.queries};
  for (std::size_t i = 0; i < rounded; i += kNodeBlock) {
    kernels().node_sums(values.data() + before + i, terms, sum.mass.data() + i);
  }
  sum.mass.resize(size);
  const double growth =
      1.0 + std::numeric_limits<double>::epsilon() * (static_cast<double>(b.mass.size()) + 4.0);
  for (double& mass : sum.mass) mass *= growth;
  sum.infinity_mass *= 1.0 + 1e-15;
  return sum;
}

}  // namespace

std::optional<DiscretizedPairs> DiscretizedPairs::repeated(std::int64_t times, double beyond,
                                                           double most_products) const {
  require(neighbours() == 1 && times >= 1 && beyond >= 0.0,
          "what is repeated is one pair, once at least");
  const auto all = static_cast<double>(times);
  const std::int32_t first = offset_.empty() ? 0 : offset_.front();
  const std::int32_t last = offset_.empty() ? 0 : offset_.back();
  Losses power{first, std::vector<double>(static_cast<std::size_t>(last - first) + 1),
               infinity_mass_.front(), queries_};
  for (std::size_t i = 0; i < offset_.size(); ++i) {
    power.mass[static_cast<std::size_t>(offset_[i] - first)] = weight_[i];
  }
  std::optional<Losses> result;
  double products = 0.0;
  const auto product = [&](const Losses& a, const Losses& b) -> std::optional<Losses> {
    products +=
        static_cast<double>(a.mass.size() + b.mass.size()) * static_cast<double>(b.mass.size());
    if (products > most_products) return std::nullopt;
    Losses both = convolved(a, b);
    const double share = static_cast<double>(both.queries) / (all * static_cast<double>(queries_));
    trim(both, beyond * share / kConvolutions);
    return both;
  };
  for (std::int64_t left = times;; left /= 2) {
    if (left % 2 == 1) {
      result = result ? product(*result, power) : power;
      if (!result) return std::nullopt;
    }
    if (left == 1) break;
    auto next = product(power, power);
    if (!next) return std::nullopt;
    power = *std::move(next);
  }
  DiscretizedPairs repeated;
  repeated.queries_ = result->queries;
  for (std::size_t i = 0; i < result->mass.size(); ++i) {
    if (!(result->mass[i] > 0.0)) continue;
    repeated.offset_.push_back(static_cast<std::int32_t>(result->first) +
                               static_cast<std::int32_t>(i));
    repeated.weight_.push_back(result->mass[i]);
  }
  repeated.first_.push_back(repeated.offset_.size());
  repeated.infinity_mass_.push_back(result->infinity_mass);
  return repeated;
}

}  // namespace pate
