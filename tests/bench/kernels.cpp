// Nanoseconds a number that each kernel takes, with each instruction set that this machine has.

#include "pate/numerics/kernels/kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace {

using pate::Kernels;
using pate::kLanes;

// The least of several runs, over `numbers`.
double nanoseconds(std::size_t numbers, const std::function<void()>& run) {
  constexpr int kRuns = 7;
  constexpr std::size_t kNumbersPerRun = 10'000'000;
  const std::size_t repeats = kNumbersPerRun / numbers + 1;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kRuns; ++i) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t k = 0; k < repeats; ++k) run();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    least = std::min(least, took.count() / static_cast<double>(repeats * numbers));
  }
  return least;
}

// Sizes as they are in runs of ten classes.
std::vector<std::pair<std::string, double>> times_of(const Kernels& its) {
  constexpr std::size_t kNodes = 64;
  constexpr std::size_t kTerms = 16;
  std::vector<double> x(kNodes * kLanes + kLanes, -0.01);
  std::vector<double> weights(kNodes * kLanes + kLanes, 0.5);
  std::vector<double> result(kNodes * kLanes + kLanes);
  const std::vector<pate::WeightedRow> rows(9, {x.data(), 1.0});
  std::vector<std::int32_t> offsets;
  for (std::size_t i = 0; i < kTerms; ++i) offsets.push_back(static_cast<std::int32_t>(3 * i));
  const pate::NodeTerms terms{offsets.data(), weights.data(), kTerms, 0.0};
  const std::vector<pate::NodeTerms> tables(4, terms);
  const std::vector<std::uint32_t> columns{0, 3, 5};
  double sum = 0.0;
  std::vector<std::pair<std::string, double>> times;
  const auto time = [&](const char* name, std::size_t numbers, const std::function<void()>& run) {
    times.emplace_back(name, nanoseconds(numbers, run));
  };
  time("sum_one_minus_exp", kNodes,
       [&] { sum += its.sum_one_minus_exp(rows.data(), rows.size(), weights.data(), 0, kNodes); });
  time("node_sums", pate::kNodeBlock * kTerms,
       [&] { its.node_sums(x.data(), terms, result.data()); });
  time("largest_sums", pate::kNodeBlock * kTerms * tables.size(),
       [&] { its.largest_sums(x.data(), tables.data(), tables.size(), result.data()); });
  time("expm1_minus_x", kNodes,
       [&] { its.expm1_minus_x(x.data(), 3.0, 2.0, kNodes, result.data()); });
  time("log1p_positive", kNodes, [&] {
    std::fill_n(result.begin(), kNodes, 0.7);
    its.log1p_positive(result.data(), kNodes);
  });
  time("log1p_near_zero", kNodes, [&] {
    std::fill_n(result.begin(), kNodes, 0.1);
    its.log1p_near_zero(result.data(), kNodes);
  });
  time("add_products", 16 * columns.size() * 16, [&] {
    its.add_products(weights.data(), 16, x.data(), x.data(), 16, columns.data(), columns.size(),
                     result.data());
  });
  time("add_columns", columns.size() * 16, [&] {
    its.add_columns(0.5, x.data(), x.data(), 16, columns.data(), columns.size(), result.data());
  });
  time("largest_size", 12, [&] { sum += its.largest_size(x.data(), 12); });
  time("sum_changes", 12, [&] { sum += its.sum_changes(weights.data(), x.data(), x.data(), 12); });
  time("sum_excess", 12, [&] {
    its.sum_excess(weights.data(), x.data(), x.data(), x.data(), 12, 3.0, result.data());
  });
  time("raise_excess", kNodes * kLanes, [&] {
    its.raise_excess(weights.data(), kNodes / 2, kNodes, x.data(), x.data(), result.data());
  });
  // Looked at, so that the sums are computed.
  if (sum == 1.0) times.clear();
  return times;
}

}  // namespace

int main() {
  std::vector<std::vector<std::pair<std::string, double>>> columns;
  std::string head = fmt::format("{:<20}", "ns a number");
  for (const Kernels& its : pate::runnable_kernels()) {
    head += fmt::format("{:>10}", its.name);
    columns.push_back(times_of(its));
  }
  fmt::print("{}\n", head);
  for (std::size_t i = 0; i < columns.front().size(); ++i) {
    std::string line = fmt::format("{:<20}", columns.front()[i].first);
    for (const auto& column : columns) line += fmt::format("{:>10.3f}", column[i].second);
    fmt::print("{}\n", line);
  }
}
