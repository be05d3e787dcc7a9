#include "cli/options/privacy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/options/setting.hpp"
#include "cli/options/validators.hpp"
#include "cli/usage_error.hpp"
#include "pate/rdp/conversion.hpp"
#include "pate/rdp/orders.hpp"

namespace pate::cli {

namespace {

constexpr std::array kReadings{Reading::joint, Reading::expected, Reading::realized};
constexpr std::array kConversions{ReportedConversion::improved, ReportedConversion::classic,
                                  ReportedConversion::gdp, ReportedConversion::pure,
                                  ReportedConversion::kov};

template <class Values>
std::vector<std::string> names(const Values& values) {
  std::vector<std::string> result;
  for (const auto value : values) result.emplace_back(name(value));
  return result;
}

template <class Values>
auto by_name(const Values& values, const std::string& text)
    -> std::optional<typename Values::value_type> {
  for (const auto value : values) {
    if (name(value) == text) return value;
  }
  return std::nullopt;
}

void check_limit(const std::optional<double>& limit, const char* option) {
  if (limit && !(*limit >= 0.0)) {
    throw usage_error(fmt::format("{} must be >= 0, got {}", option, *limit));
  }
}

}  // namespace

void add_privacy_options(CLI::App& command, PrivacyOptions& options) {
  const std::string group = "Privacy";
  command.add_option("--delta", options.delta, "failure probability of (epsilon, delta)")
      ->required()
      ->type_name("D")
      ->group(group);
  command.add_option("--bound", options.bounds, "published,tradeoff: what is computed")
      ->delimiter(',')
      ->check(CLI::IsMember({"published", "tradeoff"}))
      ->type_name("LIST")
      ->group(group);
  command.add_flag("--exact", options.exact, "also the exact costs: the smallest there are")
      ->group(group);
  command.add_option("--reading", options.reading, "headline: joint, expected or realized")
      ->check(CLI::IsMember(names(kReadings)))
      ->type_name("NAME")
      ->group(group);
  command.add_option("--conversion", options.conversion, "headline: improved, classic, gdp, ...")
      ->check(CLI::IsMember(names(kConversions)))
      ->type_name("NAME")
      ->group(group);
  command.add_option("--orders", options.orders, "only these Renyi orders: 2,4,8.5")
      ->delimiter(',')
      ->type_name("LIST")
      ->group(group);
  command.add_option("--threads", options.threads, "threads; 0, the default: all processors")
      ->check(decimal())
      ->type_name("N")
      ->group(group);
  add_limit_options(command, options.max_epsilon, options.min_answered, options.require_releasable);
}

void add_limit_options(CLI::App& command, std::optional<double>& max_epsilon,
                       std::optional<double>& min_answered, bool& require_releasable) {
  const std::string limits = "Limits on the headline (exit status 1 when missed)";
  command.add_option("--max-epsilon", max_epsilon, "largest epsilon allowed")
      ->type_name("E")
      ->group(limits);
  command.add_option("--min-answered", min_answered, "smallest number of answers")
      ->type_name("A")
      ->group(limits);
  command.add_flag("--require-releasable", require_releasable, "must be publishable as is")
      ->group(limits);
}

void check_limits(const PrivacyOptions& options) {
  check_limit(options.max_epsilon, "--max-epsilon");
  check_limit(options.min_answered, "--min-answered");
}

void append_settings(const PrivacyOptions& options, Settings& settings) {
  settings.emplace_back("delta", options.delta);
  settings.emplace_back("bound", options.bounds);
  settings.emplace_back("exact", options.exact);
  settings.emplace_back("reading", setting(options.reading));
  settings.emplace_back("conversion", setting(options.conversion));
  settings.emplace_back("orders", setting(options.orders));
  settings.emplace_back("max_epsilon", setting(options.max_epsilon));
  settings.emplace_back("min_answered", setting(options.min_answered));
  settings.emplace_back("require_releasable", options.require_releasable);
}

AccountSettings make_account_settings(const PrivacyOptions& options) {
  validate_delta(options.delta);
  check_limits(options);
  const auto computes = [&](const char* bound) {
    return std::find(options.bounds.begin(), options.bounds.end(), bound) != options.bounds.end();
  };
  AccountSettings settings;
  settings.delta = options.delta;
  settings.published = computes("published");
  settings.tradeoff = computes("tradeoff");
  settings.exact = options.exact;
  settings.reading = by_name(kReadings, options.reading);
  settings.conversion = by_name(kConversions, options.conversion);
  if (!options.orders.empty()) settings.orders = validated_orders(options.orders);
  settings.threads = options.threads;
  return settings;
}

std::vector<std::string> missed_limits(const PrivacyOptions& options, const Account& account) {
  const CostEntry& headline = account.costs[account.headline];
  const double answered = headline.reading == Reading::realized && account.answered_realized
                              ? static_cast<double>(*account.answered_realized)
                              : account.answered_expected;
  return missed_limits(options, headline, answered);
}

std::vector<std::string> missed_limits(const PrivacyOptions& options, const CostEntry& headline,
                                       double answered) {
  std::vector<std::string> missed;
  if (options.max_epsilon && !(headline.epsilon <= *options.max_epsilon)) {
    missed.push_back(fmt::format("epsilon is {}, above --max-epsilon {}", headline.epsilon,
                                 *options.max_epsilon));
  }
  if (options.min_answered && !(answered >= *options.min_answered)) {
    missed.push_back(fmt::format("answered queries are {}, below --min-answered {}", answered,
                                 *options.min_answered));
  }
  if (options.require_releasable && !headline.releasable) {
    missed.emplace_back("the headline depends on the votes and may not be published as it is");
  }
  return missed;
}

}  // namespace pate::cli
