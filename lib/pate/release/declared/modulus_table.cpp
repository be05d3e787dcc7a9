#include "pate/release/declared/modulus_table.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "pate/base/require.hpp"
#include "pate/divergence/keys/random_key.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/whole_division.hpp"

namespace pate {

namespace {

KeyPlanes all_planes(const KeyModuli& moduli) {
  return {moduli, ceil_divide(moduli.teachers(), moduli.classes()), moduli.teachers()};
}

// By how much another processor may round a modulus otherwise: of its logarithm, in units.
double processor_rounding(double units) {
  return 1e-9 * std::abs(units) + 16.0;
}

}  // namespace

double ModulusTable::memory(const KeyModuli& moduli) {
  double places = 0.0;
  for (std::int64_t v = ceil_divide(moduli.teachers(), moduli.classes()); v <= moduli.teachers();
       ++v) {
    places += static_cast<double>(KeyPlane(moduli, v).size());
  }
  return places * static_cast<double>(moduli.orders().size() * sizeof(ModulusUnits));
}

ModulusTable::ModulusTable(const KeyModuli& moduli, unsigned threads,
                           const ProgressCallback& progress)
    : planes_(all_planes(moduli)), own_(planes_.size()), values_(own_) {
  planes_.compute(moduli, own_, threads);
  if (progress) progress(1, 1);
}

ModulusTable::ModulusTable(const KeyModuli& moduli, std::shared_ptr<const void> owner,
                           std::span<const ModulusUnits> values, std::uint64_t seed,
                           unsigned threads)
    : planes_(all_planes(moduli)), owner_(std::move(owner)), values_(values) {
  require(values.size() == planes_.size(),
          "the stored numbers are not as many as the keys have moduli");
  check(moduli, seed, threads);
}

void ModulusTable::check(const KeyModuli& moduli, std::uint64_t seed, unsigned threads) const {
  const std::vector<KeyPlane>& planes = planes_.planes();
  const std::size_t width = planes_.width();
  std::vector<char> rises(planes.size(), 0);
  parallel_for(planes.size(), threads, [&](std::size_t p) {
    rises[p] = planes[p].is_rising(values_.data() + planes_.start(p), width) ? 1 : 0;
  });
  require(std::ranges::find(rises, 0) == rises.end(),
          "stored moduli fall where the counts behind the top one grow");
  std::mt19937_64 random(seed);
  KeyModuli::Scratch scratch(moduli);
  std::vector<double> logs(width);
  for (int i = 0; i < kChecked; ++i) {
    const std::size_t plane = random() % planes.size();
    const std::int64_t v = planes[plane].v();
    const auto [x2, x3] = random_counts_behind(random, v, moduli.teachers(), moduli.classes());
    moduli.logs(v, x2, moduli.three_keys() ? x3 : 0, scratch, logs);
    const ModulusUnits* const its =
        values_.data() + planes_.start(plane) + planes[plane].place(x2 + x3, x2) * width;
    for (std::size_t k = 0; k < width; ++k) {
      const double units = logs[k] * 0x1p40;
      require(static_cast<double>(its[k]) >= units - processor_rounding(units),
              "a stored modulus is less than the one that is computed now");
    }
  }
}

}  // namespace pate
