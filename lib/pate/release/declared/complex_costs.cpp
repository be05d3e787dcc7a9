#include "pate/release/declared/complex_costs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "pate/base/error.hpp"
#include "pate/numerics/infinity.hpp"

namespace pate {

namespace {

constexpr CostUnits kNoModulus = std::numeric_limits<CostUnits>::min();
// Of sums: what is beyond is more than anybody declares.
constexpr double kMostSum = 0x1p20;

CostUnits modulus_units(double log) {
  if (!(std::abs(log) <= kMostSum)) {
    throw validity_error("the moduli of a query may be more than a declared budget can count");
  }
  return static_cast<CostUnits>(std::ceil(std::ldexp(log, -kUnitExponent)));
}

// The largest modulus of keys (v, x2, x3) with x2 <= X, x2 + x3 <= S, for one v.
class KeyPlane {
 public:
  KeyPlane(const KeyModuli& moduli, std::int64_t v) : width_(moduli.orders().size()) {
    const std::int64_t teachers = moduli.teachers();
    const std::int64_t classes = moduli.classes();
    columns_ = std::min(v, teachers - v) + 1;
    rows_ = teachers - v + 1;
    values_.assign(static_cast<std::size_t>(rows_ * columns_) * width_, kNoModulus);
    KeyModuli::Scratch scratch(moduli);
    std::vector<double> logs(width_);
    for (std::int64_t x2 = 0; x2 < columns_; ++x2) {
      for (std::int64_t x3 = 0; x3 <= std::min(x2, rows_ - 1 - x2); ++x3) {
        // Which some histogram has.
        const std::int64_t left = teachers - v - x2 - x3;
        if (classes == 2 ? left + x3 > 0 : left > (classes - 3) * x3) continue;
        moduli.logs(v, x2, x3, scratch, logs);
        CostUnits* const to = at(x2 + x3, x2);
        for (std::size_t i = 0; i < width_; ++i) {
          to[i] = std::max(to[i], modulus_units(logs[i]));
        }
      }
    }
    for (std::int64_t s = 0; s < rows_; ++s) {
      for (std::int64_t x = 0; x < columns_; ++x) {
        if (s > 0) raise(at(s, x), at(s - 1, x), width_);
        if (x > 0) raise(at(s, x), at(s, x - 1), width_);
      }
    }
  }

  static void raise(CostUnits* to, const CostUnits* from, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i) to[i] = to[i] < from[i] ? from[i] : to[i];
  }

  [[nodiscard]] CostUnits* at(std::int64_t s, std::int64_t x) {
    return values_.data() + static_cast<std::size_t>(s * columns_ + x) * width_;
  }
  // Of sums up to s and counts up to x, cut to what there is.
  [[nodiscard]] const CostUnits* within(std::int64_t s, std::int64_t x) const {
    const std::int64_t place = std::min(s, rows_ - 1) * columns_ + std::min(x, columns_ - 1);
    return values_.data() + static_cast<std::size_t>(place) * width_;
  }

 private:
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  std::size_t width_ = 0;
  std::vector<CostUnits> values_;
};

}  // namespace

std::vector<KeyCount> keys_of(const VoteProfile& votes) {
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::int64_t> counts;
  for (std::size_t i = 0; i < votes.distinct.size(); ++i) {
    const std::vector<std::int32_t> its = votes.histogram(i);
    const auto count = [&](std::size_t j) { return j < its.size() ? its[j] : 0; };
    counts[{count(0), count(1), count(2)}] += votes.distinct[i].count;
  }
  std::vector<KeyCount> keys;
  for (const auto& [key, count] : counts) {
    keys.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), count});
  }
  return keys;
}

ComplexCosts complex_costs(const KeyModuli& moduli, std::span<const KeyCount> keys,
                           std::size_t distances, unsigned threads,
                           const ProgressCallback& progress) {
  const std::int64_t teachers = moduli.teachers();
  const std::size_t width = moduli.orders().size();
  const std::size_t size = std::min(distances, static_cast<std::size_t>(teachers) + 1);
  const std::int64_t least = (teachers + moduli.classes() - 1) / moduli.classes();
  std::vector<std::vector<CostUnits>> within(keys.size(),
                                             std::vector<CostUnits>(size * width, kNoModulus));
  std::vector<CostUnits> largest(width, kNoModulus);
  // Some planes are in memory at a time.
  constexpr std::int64_t kPlanes = 4;
  ProgressCounter counter(progress, teachers - least + 1);
  for (std::int64_t first = least; first <= teachers; first += kPlanes) {
    const std::int64_t planes = std::min(kPlanes, teachers + 1 - first);
    std::vector<std::optional<KeyPlane>> at(static_cast<std::size_t>(planes));
    parallel_for(at.size(), threads, [&](std::size_t p) {
      at[p].emplace(moduli, first + static_cast<std::int64_t>(p));
      counter.add(1);
    });
    for (const auto& plane : at) {
      KeyPlane::raise(largest.data(), plane->within(teachers, teachers), width);
    }
    parallel_for(keys.size(), threads, [&](std::size_t q) {
      for (std::int64_t p = 0; p < planes; ++p) {
        const std::int64_t moved = first + p - keys[q].v;
        for (auto d = static_cast<std::size_t>(std::abs(moved)); d < size; ++d) {
          const std::int64_t free = static_cast<std::int64_t>(d) - std::max<std::int64_t>(moved, 0);
          KeyPlane::raise(within[q].data() + d * width,
                          at[static_cast<std::size_t>(p)]->within(keys[q].x2 + keys[q].x3 + free,
                                                                  keys[q].x2 + free),
                          width);
        }
      }
    });
  }
  ComplexCosts result{teachers, moduli.orders(), {}};
  std::int64_t queries = 0;
  for (const KeyCount& key : keys) queries += key.count;
  const CostUnits most = std::ranges::max(largest);
  if (!(static_cast<double>(queries) * std::max(cost_of_units(most), 32.0) < kMostSum)) {
    throw validity_error("the run may cost more than a declared budget can count");
  }
  for (std::size_t d = 0; d < size; ++d) {
    std::vector<CostUnits>& sum = result.units.emplace_back(width, 0);
    for (std::size_t q = 0; q < keys.size(); ++q) {
      const bool is_all = d == static_cast<std::size_t>(teachers);
      const CostUnits* const its = is_all ? largest.data() : within[q].data() + d * width;
      for (std::size_t i = 0; i < width; ++i) sum[i] += its[i] * keys[q].count;
    }
  }
  return result;
}

ComplexCertificate ComplexCosts::certificate(std::size_t d) const {
  const std::size_t at = std::min(d, units.size() - 1);
  std::vector<double> logs;
  for (const CostUnits sum : units[at]) logs.push_back(cost_of_units(sum));
  return {orders, logs, static_cast<std::int64_t>(at)};
}

}  // namespace pate
