#include "cli/options/privacy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <system_error>

#include "cli/exit_status.hpp"
#include "pate/math/decimal.hpp"
#include "pate/rdp/conversion.hpp"
#include "pate/rdp/orders.hpp"
#include "pate/reports/ledger.hpp"

namespace pate::cli {

namespace {

constexpr double kLargestDelta = 0.1;  // without --any-delta
constexpr double kFinestProfile = 0x1p-20;

// Completes what is wanted of the profile: its grid is of powers of two.
void check_profile(AccountSettings& settings) {
  const char* const option = settings.profile_deltas ? "--deltas"
                             : settings.profile_step ? "--profile-resolution"
                             : settings.conversion == ReportedConversion::profile
                                 ? "--conversion profile"
                                 : nullptr;
  if (option != nullptr && !settings.exact) {
    throw usage_error(fmt::format("{} needs --exact, which computes the privacy profile", option));
  }
  if (settings.profile_deltas) {
    for (const double delta : *settings.profile_deltas) {
      if (delta > 0.0 && delta < 1.0) continue;
      throw usage_error(fmt::format("--deltas must be > 0 and < 1, got {}", delta));
    }
  }
  if (!settings.profile_step) return;
  double& step = *settings.profile_step;
  if (!(step >= kFinestProfile && step <= 1.0)) {
    throw usage_error(fmt::format("--profile-resolution must be from 2^-20 to 1, got {}", step));
  }
  step = std::exp2(std::floor(std::log2(step)));
}

void check_limit(const std::optional<double>& limit, const char* option) {
  if (limit && !(*limit >= 0.0)) {
    throw usage_error(fmt::format("{} must be >= 0, got {}", option, *limit));
  }
}

}  // namespace

void add_privacy_options(CommandLine& line, PrivacyOptions& options,
                         const std::vector<std::string_view>& without) {
  const Section privacy = line.section("Privacy", without);
  add_delta(privacy, options.account.delta, options.any_delta);
  privacy.add("--bound LIST", options.bounds, {Bound::published, Bound::tradeoff, Bound::tilted},
              "published,tradeoff: what is computed;\ntilted too: Gaussian noise, one direction",
              {.instead = {"exact", "exact costs come with --exact"}});
  privacy.add("--exact", options.account.exact, "also the exact costs: the smallest there are");
  privacy.add("--deltas LIST", options.account.profile_deltas,
              "with --exact: where the profile tells epsilon");
  privacy.add("--profile-resolution H", options.account.profile_step,
              "with --exact: losses of the profile are at most\nH apart; default: fine enough");
  add_headline(privacy, options.account.reading, options.account.conversion);
  add_orders(privacy, options.account.orders);
  add_threads(privacy, options.account.threads);
}

void add_limit_options(CommandLine& line, Limits& limits) {
  const Section section = line.section("Limits on the headline (exit status 1 when missed)");
  add_epsilon_and_answers(section, limits.max_epsilon, limits.min_answered);
  section.add("--require-releasable", limits.require_releasable, "must be publishable as is");
}

void add_delta(const Section& section, double& delta, bool& any_delta, const char* help) {
  section.add("--delta D", delta, help, {.required = true});
  add_any_delta(section, any_delta);
}

void add_any_delta(const Section& section, bool& any_delta) {
  section.add("--any-delta", any_delta, "a delta above 0.1 is meant");
}

void add_headline(const Section& section, std::optional<Reading>& reading,
                  std::optional<ReportedConversion>& conversion) {
  section.add("--reading NAME", reading, {Reading::joint, Reading::expected, Reading::realized},
              "headline: joint, expected or realized");
  section.add("--conversion NAME", conversion,
              {ReportedConversion::optimal, ReportedConversion::improved,
               ReportedConversion::classic, ReportedConversion::profile, ReportedConversion::gdp,
               ReportedConversion::pure, ReportedConversion::kov},
              "headline: the smallest, or optimal,\nimproved, classic, profile, gdp, ...");
}

void add_orders(const Section& section, std::optional<std::vector<double>>& orders) {
  section.add("--orders LIST", orders,
              "only these Renyi orders: 2,4,8.5; moments:\n2 to 9, as in the 2017 paper (S17)");
}

void add_threads(const Section& section, unsigned& threads) {
  section.add("--threads N", threads, "threads; 0, the default: all processors",
              {.recorded = false});
}

void add_ensemble(const Section& section, std::string& ensemble) {
  section.add(
      "--ensemble NAME", ensemble,
      "these teachers, in the ledger; default: as\nit calls them, or as the file is called");
}

void add_epsilon_and_answers(const Section& section, std::optional<double>& max_epsilon,
                             std::optional<double>& min_answered) {
  section.add("--max-epsilon E", max_epsilon, "largest epsilon allowed");
  section.add("--min-answered A", min_answered, "smallest number of answers");
}

void check_delta(double delta, bool any_delta, std::string_view called) {
  validate_delta(delta);
  if (any_delta || !(delta > kLargestDelta)) return;
  throw usage_error(
      fmt::format("{} {} is above {}: a guarantee that fails so often is hardly one; if it is "
                  "meant, add --any-delta",
                  called, decimal(delta), kLargestDelta));
}

void check_ensemble(const std::string& ensemble, const std::string& ledger) {
  if (!ensemble.empty() && ledger.empty()) {
    throw usage_error("--ensemble needs --ledger FILE, which is the account of one ensemble");
  }
}

void check_no_labels_yet(const std::string& labels, bool force) {
  std::error_code ignored;
  if (force || !std::filesystem::exists(labels, ignored)) return;
  throw usage_error(fmt::format(
      "--write-labels {} is there already: its labels may be those of an earlier run; name another "
      "file, or add --force to replace it",
      labels));
}

std::vector<Notice> ledger_notices(const reports::Ledger& ledger, const std::string& called,
                                   const reports::LedgerEntry& entry) {
  std::vector<Notice> notices;
  if (const auto line = ledger.torn_line()) {
    notices.push_back({"ledger_torn",
                       fmt::format("{}: line {} is the beginning of an entry that a crash cut off; "
                                   "it does not count",
                                   called, *line)});
  }
  const auto earlier = ledger.earlier(entry.kind, entry.votes_digest);
  if (earlier.empty()) return notices;
  notices.push_back({"labelled_before",
                     fmt::format("{}: these queries were labelled before, {}, the last time on {}; "
                                 "what that cost comes on top",
                                 called,
                                 earlier.size() == 1 ? std::string("once")
                                                     : fmt::format("{} times", earlier.size()),
                                 earlier.back().time)});
  return notices;
}

Notice no_ledger() {
  return {"no_ledger",
          "no ledger keeps the account: whatever else was or will be released of these teachers' "
          "votes costs on top; --ledger FILE counts it"};
}

void check_limits(const Limits& limits) {
  check_limit(limits.max_epsilon, "--max-epsilon");
  check_limit(limits.min_answered, "--min-answered");
}

AccountSettings make_account_settings(const PrivacyOptions& options) {
  AccountSettings settings = options.account;
  check_delta(settings.delta, options.any_delta);
  check_limits(options.limits);
  const auto computes = [&](Bound bound) {
    return std::find(options.bounds.begin(), options.bounds.end(), bound) != options.bounds.end();
  };
  settings.published = computes(Bound::published);
  settings.tradeoff = computes(Bound::tradeoff);
  settings.tilted = computes(Bound::tilted);
  if (settings.orders) settings.orders = validated_orders(*settings.orders);
  check_profile(settings);
  return settings;
}

std::vector<std::string> missed_limits(const Limits& limits, const CostEntry& headline,
                                       std::optional<double> answered_expected,
                                       std::optional<std::int64_t> answered_realized) {
  double answered = answered_expected.value_or(std::numeric_limits<double>::quiet_NaN());
  if (headline.reading == Reading::realized && answered_realized) {
    answered = static_cast<double>(*answered_realized);
  }
  std::vector<std::string> missed;
  if (limits.max_epsilon && !(headline.epsilon <= *limits.max_epsilon)) {
    missed.push_back(fmt::format("epsilon is {}, above --max-epsilon {}", headline.epsilon,
                                 *limits.max_epsilon));
  }
  if (limits.min_answered && !(answered >= *limits.min_answered)) {
    missed.push_back(fmt::format("answered queries are {}, below --min-answered {}", answered,
                                 *limits.min_answered));
  }
  if (limits.require_releasable && !headline.releasable) {
    missed.emplace_back(headline.data_dependent
                            ? "the headline depends on the votes and may not be published as it is"
                            : "parameters of a release in the headline were chosen from votes, not "
                              "fixed in advance");
  }
  return missed;
}

}  // namespace pate::cli
