#include "pate/release/declared/complex_costs.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/kernels/kernels.hpp"

namespace pate {

namespace {

constexpr double kNoModulus = -kInfinity;
// Of sums: what is beyond is more than anybody declares.
constexpr double kMostSum = 0x1p20;
// Planes that are in memory at a time, if that is not too much.
constexpr std::int64_t kPlanes = 8;
constexpr double kPlaneMemory = 200e6;
// Of what is within distances of keys.
constexpr double kKeyMemory = 1e9;

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

CostUnits whole(double units) {
  if (!(std::abs(units) <= 0x1p60)) {
    throw validity_error("the moduli of a query may be more than a declared budget can count");
  }
  return static_cast<CostUnits>(units);
}

// The largest modulus of keys (v, x2, x3) with x2 <= X, x2 + x3 <= S, for one v: in units, whole
// numbers.
class KeyPlane {
 public:
  KeyPlane(const KeyModuli& moduli, std::int64_t v)
      : rows_(rows_of(moduli, v)),
        columns_(std::min(v, moduli.teachers() - v) + 1),
        width_(moduli.orders().size()),
        values_(static_cast<std::size_t>(rows_ * columns_) * width_, kNoModulus) {}

  [[nodiscard]] static double memory(const KeyModuli& moduli, std::int64_t v) {
    return static_cast<double>(rows_of(moduli, v)) *
           static_cast<double>(std::min(v, moduli.teachers() - v) + 1) *
           static_cast<double>(moduli.orders().size() * sizeof(double));
  }

  [[nodiscard]] std::int64_t columns() const { return columns_; }

  // What has been set key by key becomes what rises with S and X.
  void make_rising() {
    for (std::int64_t s = 0; s < rows_; ++s) {
      for (std::int64_t x = 0; x < columns_; ++x) {
        if (s > 0) kernels().raise_to(at(s - 1, x), width_, at(s, x));
        if (x > 0) kernels().raise_to(at(s, x - 1), width_, at(s, x));
      }
    }
  }

  [[nodiscard]] double* at(std::int64_t s, std::int64_t x) {
    return values_.data() + static_cast<std::size_t>(s * columns_ + x) * width_;
  }
  // Of sums up to s and counts up to x, cut to what there is.
  [[nodiscard]] const double* within(std::int64_t s, std::int64_t x) const {
    const std::int64_t place = std::min(s, rows_ - 1) * columns_ + std::min(x, columns_ - 1);
    return values_.data() + static_cast<std::size_t>(place) * width_;
  }
  // Whether there is nothing beyond.
  [[nodiscard]] bool is_all(std::int64_t s, std::int64_t x) const {
    return s >= rows_ - 1 && x >= columns_ - 1;
  }

 private:
  // Of two keys one, whatever the sum.
  [[nodiscard]] static std::int64_t rows_of(const KeyModuli& moduli, std::int64_t v) {
    return moduli.three_keys() ? moduli.teachers() - v + 1 : 1;
  }

  std::int64_t rows_;
  std::int64_t columns_;
  std::size_t width_;
  std::vector<double> values_;
};

// Of two keys, whose planes are rows.
void compute_rows(const KeyModuli& moduli, std::int64_t first, std::vector<KeyPlane>& planes,
                  unsigned threads) {
  const std::size_t width = moduli.orders().size();
  parallel_for(planes.size(), threads, [&](std::size_t p) {
    const std::int64_t v = first + static_cast<std::int64_t>(p);
    KeyModuli::Scratch scratch(moduli);
    for (std::int64_t x2 = ceil_divide(moduli.teachers() - v, moduli.classes() - 1);
         x2 < planes[p].columns(); ++x2) {
      double* const to = planes[p].at(0, x2);
      moduli.logs(v, x2, 0, scratch, {to, width});
      for (std::size_t i = 0; i < width; ++i) to[i] = std::ceil(to[i] * 0x1p40);
    }
    planes[p].make_rising();
  });
}

// Planes of v = first.. first + planes.size() - 1.
void compute(const KeyModuli& moduli, std::int64_t first, std::vector<KeyPlane>& planes,
             unsigned threads) {
  const std::int64_t teachers = moduli.teachers();
  const std::int64_t classes = moduli.classes();
  const std::int64_t last = first + static_cast<std::int64_t>(planes.size()) - 1;
  const std::size_t width = moduli.orders().size();
  // Keys with v + x2 = s and x3 are on a line; each is in one place of one plane.
  const std::int64_t sums = std::min(2 * last, teachers) - first + 1;
  parallel_for(static_cast<std::size_t>(sums), threads, [&](std::size_t task) {
    const std::int64_t s = first + static_cast<std::int64_t>(task);
    const std::int64_t rest = teachers - s;
    KeyModuli::Scratch scratch(moduli);
    const std::int64_t lowest = std::max(first, ceil_divide(s, 2));
    // The third counts that some histogram has.
    const std::int64_t least = classes == 2 ? 0 : ceil_divide(rest, classes - 2);
    for (std::int64_t x3 = least; x3 <= rest && s - x3 >= lowest; ++x3) {
      if (classes == 2 && rest > 0) break;
      const std::int64_t highest = std::min(last, s - x3);
      KeyModuli::start_line(s, x3, lowest, highest, scratch);
      for (std::int64_t v = lowest; v <= highest; ++v) {
        double* const to = planes[static_cast<std::size_t>(v - first)].at(s - v + x3, s - v);
        moduli.logs_on_line(v, scratch, {to, width});
        for (std::size_t i = 0; i < width; ++i) to[i] = std::ceil(to[i] * 0x1p40);
      }
    }
  });
  parallel_for(planes.size(), threads, [&](std::size_t p) { planes[p].make_rising(); });
}

}  // namespace

std::vector<KeyCount> keys_of(const VoteProfile& votes) {
  std::vector<KeyCount> keys;
  for (std::size_t i = 0; i < votes.distinct.size(); ++i) {
    const std::vector<std::int32_t> its = votes.histogram(i);
    const auto count = [&](std::size_t j) { return j < its.size() ? its[j] : 0; };
    keys.push_back({count(0), count(1), count(2), votes.distinct[i].count});
  }
  return keys;
}

namespace {

// Calls use(first, planes) for all planes, some at a time.
template <class Use>
void for_planes(const KeyModuli& moduli, unsigned threads, const Use& use) {
  const std::int64_t teachers = moduli.teachers();
  for (std::int64_t first = ceil_divide(teachers, moduli.classes()); first <= teachers;) {
    std::vector<KeyPlane> planes;
    double memory = 0.0;
    for (std::int64_t v = first; v <= std::min(teachers, first + kPlanes - 1); ++v) {
      memory += KeyPlane::memory(moduli, v);
      if (v > first && memory > kPlaneMemory) break;
      planes.emplace_back(moduli, v);
    }
    if (moduli.three_keys()) {
      compute(moduli, first, planes, threads);
    } else {
      compute_rows(moduli, first, planes, threads);
    }
    use(first, planes);
    first += static_cast<std::int64_t>(planes.size());
  }
}

// A key, and how often it occurs in each of the runs.
struct KeyOfRuns {
  std::int64_t v = 0, x2 = 0, x3 = 0;
  std::vector<std::int64_t> counts;
};

std::vector<KeyOfRuns> keys_of_runs(std::span<const std::vector<KeyCount>> runs) {
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::vector<std::int64_t>> counts;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (const KeyCount& key : runs[r]) {
      auto& its = counts[{key.v, key.x2, key.x3}];
      its.resize(runs.size(), 0);
      its[r] += key.count;
    }
  }
  std::vector<KeyOfRuns> keys;
  for (auto& [key, its] : counts) {
    keys.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), std::move(its)});
  }
  return keys;
}

// Adds to the sums of the runs, by distance, the largest of what is within it of each key; all
// there is becomes `largest`.
void add_keys(const KeyModuli& moduli, std::span<const KeyOfRuns> keys, unsigned threads,
              ProgressCounter& counter, std::span<ComplexCosts> runs,
              std::vector<double>& largest) {
  const std::int64_t teachers = moduli.teachers();
  const std::size_t width = largest.size();
  const std::size_t size = runs.front().units.size();
  const Kernels& its = kernels();
  std::vector<std::vector<double>> within(keys.size(),
                                          std::vector<double>(size * width, kNoModulus));
  for_planes(moduli, threads, [&](std::int64_t first, const std::vector<KeyPlane>& planes) {
    for (const KeyPlane& plane : planes) {
      its.raise_to(plane.within(teachers, teachers), width, largest.data());
    }
    parallel_for(keys.size(), threads, [&](std::size_t q) {
      for (std::size_t p = 0; p < planes.size(); ++p) {
        const std::int64_t moved = first + static_cast<std::int64_t>(p) - keys[q].v;
        for (auto d = static_cast<std::size_t>(std::abs(moved)); d < size; ++d) {
          const std::int64_t free = static_cast<std::int64_t>(d) - std::max<std::int64_t>(moved, 0);
          const std::int64_t s = keys[q].x2 + keys[q].x3 + free;
          const std::int64_t x = keys[q].x2 + free;
          its.raise_to(planes[p].within(s, x), width, within[q].data() + d * width);
          // Further away there is no more: running maxima have it.
          if (planes[p].is_all(s, x)) break;
        }
      }
    });
    counter.add(static_cast<std::int64_t>(planes.size()));
  });
  for (std::size_t q = 0; q < keys.size(); ++q) {
    for (std::size_t d = 0; d < size; ++d) {
      double* const at = within[q].data() + d * width;
      if (d > 0) its.raise_to(at - width, width, at);
      for (std::size_t i = 0; i < width; ++i) {
        const CostUnits units = whole(at[i]);
        for (std::size_t r = 0; r < runs.size(); ++r) {
          runs[r].units[d][i] += units * keys[q].counts[r];
        }
      }
    }
  }
}

}  // namespace

std::vector<ComplexCosts> complex_costs(const KeyModuli& moduli,
                                        std::span<const std::vector<KeyCount>> runs,
                                        std::size_t distances, unsigned threads,
                                        const ProgressCallback& progress) {
  if (runs.empty()) return {};
  const std::int64_t teachers = moduli.teachers();
  const std::size_t width = moduli.orders().size();
  const std::size_t size = std::min(distances, static_cast<std::size_t>(teachers) + 1);
  std::vector<std::int64_t> queries;
  for (const std::vector<KeyCount>& keys : runs) {
    std::int64_t& its = queries.emplace_back(0);
    for (const KeyCount& key : keys) its += key.count;
    // Moduli are not below e^-32: what they may be wrong by is added to them.
    if (!(static_cast<double>(its) * std::max(moduli.largest_log(), 32.0) < kMostSum)) {
      throw validity_error("the run may cost more than a declared budget can count");
    }
  }
  ComplexCosts nothing;
  nothing.teachers = teachers;
  nothing.orders = moduli.orders();
  nothing.units.assign(size, std::vector<CostUnits>(width, 0));
  std::vector<ComplexCosts> result(runs.size(), nothing);
  const std::vector<KeyOfRuns> keys = keys_of_runs(runs);
  // As many keys at a time as memory holds: planes are computed again for the others.
  const auto at_once = static_cast<std::size_t>(
      std::max(1.0, kKeyMemory / static_cast<double>(size * width * sizeof(double))));
  const std::size_t passes = (keys.size() + at_once - 1) / at_once;
  const std::int64_t least = ceil_divide(teachers, moduli.classes());
  ProgressCounter counter(progress, static_cast<std::int64_t>(passes) * (teachers - least + 1));
  std::vector<double> largest(width, kNoModulus);
  for (std::size_t first = 0; first < keys.size(); first += at_once) {
    add_keys(moduli, std::span(keys).subspan(first, std::min(at_once, keys.size() - first)),
             threads, counter, result, largest);
  }
  if (size == static_cast<std::size_t>(teachers) + 1) {
    for (std::size_t r = 0; r < result.size(); ++r) {
      for (std::size_t i = 0; i < width; ++i) {
        result[r].units.back()[i] = whole(largest[i]) * queries[r];
      }
    }
  }
  return result;
}

ComplexCosts complex_costs(const KeyModuli& moduli, const std::vector<KeyCount>& keys,
                           std::size_t distances, unsigned threads,
                           const ProgressCallback& progress) {
  return std::move(
      complex_costs(moduli, std::span(&keys, 1), distances, threads, progress).front());
}

ComplexCertificate ComplexCosts::certificate(std::size_t d) const {
  const std::size_t at = std::min(d, units.size() - 1);
  std::vector<double> logs;
  for (const CostUnits sum : units[at]) logs.push_back(cost_of_units(sum));
  return {orders, logs, static_cast<std::int64_t>(at)};
}

}  // namespace pate
