#include "cli/options/mechanism.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string_view>

#include "cli/options/setting.hpp"
#include "cli/options/validators.hpp"
#include "cli/usage_error.hpp"

namespace pate::cli {

namespace {

struct Threshold {
  double value;
  bool share;  // of the teachers, in percent
};

Threshold parse_threshold(const std::string& text) {
  std::string_view number = text;
  const bool share = number.ends_with('%');
  if (share) number.remove_suffix(1);
  double value = 0.0;
  const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (code != std::errc() || end != number.data() + number.size() || !std::isfinite(value)) {
    throw usage_error(fmt::format(
        "--threshold must be a number of votes or a share of the teachers like 80%, got '{}'",
        text));
  }
  return {value, share};
}

}  // namespace

void add_mechanism_options(CLI::App& command, MechanismOptions& options) {
  const std::string group = "Mechanism";
  command.add_option("--sigma2", options.sigma2, "Gaussian noise of the maximum, in votes")
      ->type_name("S")
      ->group(group);
  command.add_option("--threshold", options.threshold, "threshold: votes, or a share like 80%")
      ->check(not_empty())
      ->type_name("T")
      ->group(group);
  command.add_option("--sigma1", options.sigma1, "Gaussian noise of the threshold, in votes")
      ->type_name("S")
      ->group(group);
  command.add_option("--laplace-scale", options.laplace_scale, "Laplace noise instead: LNMax")
      ->type_name("B")
      ->group(group);
}

void append_settings(const MechanismOptions& options, Settings& settings) {
  settings.emplace_back("laplace_scale", setting(options.laplace_scale));
  settings.emplace_back("sigma2", setting(options.sigma2));
  settings.emplace_back("sigma1", setting(options.sigma1));
  settings.emplace_back(
      "threshold", options.threshold.empty() ? SettingValue{} : SettingValue{options.threshold});
}

void check_threshold(const std::string& text) {
  (void)parse_threshold(text);
}

void check_mechanism_options(const MechanismOptions& options, bool has_student) {
  const bool has_threshold = !options.threshold.empty();
  if (options.laplace_scale) {
    if (options.sigma2 || options.sigma1 || has_threshold || has_student) {
      throw usage_error(
          "--laplace-scale (LNMax) excludes --sigma2, --threshold, --sigma1 and --student");
    }
    validate(LaplaceNoisyMax{*options.laplace_scale}, "--laplace-scale");
    return;
  }
  if (!options.sigma2) {
    throw usage_error("the noise is missing: add --sigma2 S (GNMax) or --laplace-scale B (LNMax)");
  }
  if (has_threshold && !options.sigma1) throw usage_error("--threshold needs --sigma1: add it");
  if (options.sigma1 && !has_threshold) throw usage_error("--sigma1 needs --threshold: add it");
  if (has_student && !has_threshold) {
    throw usage_error("--student (Interactive) needs --threshold and --sigma1: add them");
  }
  validate(GaussianNoisyMax{*options.sigma2}, "--sigma2");
  if (has_threshold) {
    check_threshold(options.threshold);
    validate(GaussianNoisyMax{*options.sigma1}, "--sigma1");
  }
}

Aggregator make_aggregator(const MechanismOptions& options, std::int64_t teachers,
                           bool has_student) {
  check_mechanism_options(options, has_student);
  Aggregator aggregator;
  if (options.laplace_scale) {
    aggregator.noisy_max = LaplaceNoisyMax{*options.laplace_scale};
    return aggregator;
  }
  aggregator.noisy_max = GaussianNoisyMax{*options.sigma2};
  if (!options.threshold.empty()) {
    const Threshold threshold = parse_threshold(options.threshold);
    const double votes =
        threshold.share ? threshold.value / 100.0 * static_cast<double>(teachers) : threshold.value;
    aggregator.selection = ThresholdCheck{votes, *options.sigma1};
    aggregator.interactive = has_student;
  }
  return aggregator;
}

}  // namespace pate::cli
