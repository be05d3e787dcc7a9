#include "cli/options/privacy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <ostream>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/exit_status.hpp"
#include "cli/options/exclusions.hpp"
#include "cli/options/output.hpp"
#include "cli/text.hpp"
#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "pate/numerics/decimal.hpp"
#include "pate/reports/ledger.hpp"

namespace pate::cli {

namespace {

constexpr double kMaxDelta = 0.1;  // without --any-delta
constexpr double kFinestProfile = 0x1p-20;

// Completes what is wanted of the profile: its grid is of powers of two.
void check_profile(AccountSettings& settings) {
  const char* const option = settings.profile_deltas ? "--deltas"
                             : settings.profile_step ? "--profile-resolution"
                             : settings.conversion == EpsilonMethod::profile
                                 ? "--conversion profile"
                                 : nullptr;
  const bool is_headline_only = !settings.profile_deltas && !settings.profile_step;
  refuse(option != nullptr && !settings.has(Bound::exact) &&
             !(is_headline_only && settings.has(Bound::complex)),
         "{} needs --exact, which computes the privacy profile", option);
  if (settings.profile_deltas) {
    for (const double delta : *settings.profile_deltas) {
      if (delta > 0.0 && delta < 1.0) continue;
      throw usage_error(fmt::format("--deltas must be > 0 and < 1, got {}", delta));
    }
  }
  if (!settings.profile_step) return;
  double& step = *settings.profile_step;
  require(step >= kFinestProfile && step <= 1.0,
          "--profile-resolution must be from 2^-20 to 1, got {}", step);
  step = std::exp2(std::floor(std::log2(step)));
}

// Bounds that people ask for, and what to do instead.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kBoundsTried{{
    {"exact", "exact costs come with --exact"},
    {"data_independent", "what any votes cost is always computed too"},
    {"data-independent", "what any votes cost is always computed too"},
}};

}  // namespace

void add_privacy_options(CommandLine& line, PrivacyOptions& options,
                         const std::vector<std::string_view>& without) {
  const Section privacy = line.section("Privacy", without);
  add_delta(privacy, options.account.delta, options.any_delta);
  privacy.add(
      "--bound LIST", options.bounds,
      {Bound::published, Bound::tradeoff, Bound::tilted, Bound::complex},
      "bounds to compute: published, tradeoff, tilted (Gaussian noise, forward divergence only), "
      "complex (nearly the exact profile)",
      {.instead = kBoundsTried});
  privacy.add("--exact", options.exact, "also compute exact divergences and the privacy profile");
  privacy.add("--deltas LIST", options.account.profile_deltas,
              "with --exact: deltas at which the privacy profile is evaluated");
  privacy.add(
      "--profile-resolution H", options.account.profile_step,
      "with --exact: discretization interval of the privacy loss; default: chosen for the run");
  add_headline(privacy, options.account.reading, options.account.conversion);
  add_orders(privacy, options.account.orders);
  add_threads(privacy, options.account.threads);
}

void add_limit_options(CommandLine& line, Limits& limits) {
  const Section section = line.section("Limits (exit status 1 when one does not hold)");
  add_epsilon_and_answers(section, limits.max_epsilon, limits.min_answered);
  section.add("--require-releasable", limits.require_releasable,
              "exit with status 1 unless epsilon may be published as is");
}

void add_delta(const Section& section, double& delta, bool& any_delta, const char* help) {
  section.add("--delta D", delta, help, {.required = true});
  add_any_delta(section, any_delta);
}

void add_any_delta(const Section& section, bool& any_delta) {
  section.add("--any-delta", any_delta, "allow delta > 0.1");
}

void add_headline(const Section& section, std::optional<GuaranteeKind>& reading,
                  std::optional<EpsilonMethod>& conversion) {
  section.add("--reading NAME", reading,
              {GuaranteeKind::joint, GuaranteeKind::expected, GuaranteeKind::realized},
              "guarantee to report first: joint or realized; expected is an average, no guarantee");
  section.add("--conversion NAME", conversion,
              {EpsilonMethod::optimal, EpsilonMethod::improved, EpsilonMethod::classic,
               EpsilonMethod::profile, EpsilonMethod::gdp, EpsilonMethod::pure, EpsilonMethod::kov},
              "how to compute the epsilon that is reported first; default: the smallest");
}

void add_orders(const Section& section, std::optional<std::vector<double>>& orders) {
  section.add(
      "--orders LIST", orders,
      "Renyi orders alpha to use: 2,4,8.5; moments means 2 to 9, as in the 2017 paper (S17)");
}

void add_certificate(const Section& section, std::optional<Certificate>& certificate) {
  section.add(
      "--certificate NAME", certificate, {Certificate::renyi, Certificate::complex},
      "what the test looks at: costs at Renyi orders, or moments at complex ones, which pass "
      "at a smaller epsilon; default: complex for Gaussian noise where there are tables");
}

void add_threads(const Section& section, unsigned& threads) {
  section.add("--threads N", threads, "number of threads; 0, the default: all processors",
              {.recorded = false});
}

void add_ensemble(const Section& section, std::string& ensemble, reports::LedgerAccess& access) {
  section.add("--ensemble NAME", ensemble,
              "name of the ensemble in the ledger; default: its name there, else the file name");
  add_trust_ledger(section, access);
  add_lock_timeout(section, access);
}

void add_trust_ledger(const Section& section, reports::LedgerAccess& access) {
  section.add("--trust-ledger", access.trusted, "believe a ledger that others could have written",
              {.recorded = false});
}

void add_lock_timeout(const Section& section, reports::LedgerAccess& access) {
  section.add("--lock-timeout SECONDS", access.lock_timeout,
              "wait so long for a ledger in use; default: until it is free", {.recorded = false});
}

void add_rows_from_answers(const Section& section, bool& rows_from_answers) {
  section.add("--queries-follow WHAT",
              Choice{{"answers"},
                     false,
                     [&rows_from_answers](const auto& /*words*/) { rows_from_answers = true; },
                     [&rows_from_answers] {
                       return std::vector<std::string>(rows_from_answers ? 1U : 0U, "answers");
                     }},
              "state that queries were chosen by answers of this run or of earlier ones, as in "
              "PATE-GAN and text generation: only what any votes cost is promised",
              {.recorded = false});
  section.add("--rows-from-answers", rows_from_answers, "the same as --queries-follow answers");
}

void add_epsilon_and_answers(const Section& section, std::optional<double>& max_epsilon,
                             std::optional<double>& min_answered) {
  section.add("--max-epsilon E", max_epsilon, "largest epsilon allowed");
  section.add("--min-answered A", min_answered, "smallest number of answers allowed");
}

void check_delta(double delta, bool any_delta, std::string_view called) {
  validate_delta(delta);
  if (any_delta || !(delta > kMaxDelta)) return;
  throw usage_error(
      fmt::format("{} {} is above {}: a guarantee that fails so often is hardly one; if it is "
                  "meant, add --any-delta",
                  called, decimal(delta), kMaxDelta));
}

void check_ensemble(const std::string& ensemble, const std::string& ledger,
                    const reports::LedgerAccess& access) {
  if (access.lock_timeout) {
    require(*access.lock_timeout >= 0.0, "--lock-timeout must be >= 0, got {}",
            *access.lock_timeout);
  }
  if (!ledger.empty()) return;
  refuse(!ensemble.empty(), "--ensemble needs --ledger FILE, which is the account of one ensemble");
  refuse(access.trusted || access.lock_timeout, "{} needs --ledger FILE",
         access.trusted ? "--trust-ledger" : "--lock-timeout");
}

void check_no_labels_yet(const std::string& labels, bool force) {
  std::error_code failure;
  const auto type = std::filesystem::status(labels, failure).type();
  if (force || type == std::filesystem::file_type::not_found) return;
  if (type == std::filesystem::file_type::none) {
    throw output_error(fmt::format("{}: cannot be written: {}", labels, failure.message()));
  }
  throw usage_error(fmt::format(
      "--write-labels {} is there already: its labels may be those of an earlier run; name another "
      "file, or add --force to replace it",
      labels));
}

reports::LedgerAccess telling(reports::LedgerAccess access, const std::string& path,
                              const Streams& streams) {
  access.waiting = [path, &streams] {
    streams.err << for_terminal(
                       fmt::format("pate: waiting for {}, which another process holds", path))
                << std::endl;
  };
  return access;
}

std::string open_ledger(std::optional<reports::Ledger>& ledger, const std::string& path,
                        const reports::LedgerAccess& access, const std::string& ensemble,
                        std::int64_t teachers, std::int64_t classes, const io::WritePoints& points,
                        const Neighbours& neighbours) {
  if (path.empty()) return {};
  ledger.emplace(path, points, access);
  return reports::ensemble_of(ledger->entries(), path, ensemble, teachers, classes, neighbours)
      .name;
}

std::optional<Notice> torn_notice(const std::string& called, const reports::LedgerText& ledger) {
  const std::string left_out = ledger.left_out();
  if (left_out.empty()) return {};
  return Notice{"ledger_torn", fmt::format("{}: {}", called, left_out)};
}

std::vector<Notice> ledger_notices(const reports::Ledger& ledger, const std::string& called,
                                   const Event& event) {
  std::vector<Notice> notices;
  std::vector<reports::LedgerEntry> earlier;
  // A test of a declared budget asks as labels do, whether it passes or not.
  const auto asks = [](EventKind kind) {
    return kind == EventKind::run || kind == EventKind::declared;
  };
  std::ranges::copy_if(ledger.entries(), std::back_inserter(earlier), [&](const auto& entry) {
    const EventKind then = entry.event.open.kind;
    const EventKind now = event.open.kind;
    return (then == now || (asks(then) && asks(now))) &&
           entry.event.facts.digests.counts == event.facts.digests.counts;
  });
  if (auto torn = torn_notice(called, ledger.text())) notices.push_back(std::move(*torn));
  if (earlier.empty()) return notices;
  notices.push_back({"labelled_before",
                     fmt::format("{}: these queries were asked before, {}, the last time on {}; "
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
  for (const auto& [limit, option] : {std::pair(limits.max_epsilon, "--max-epsilon"),
                                      std::pair(limits.min_answered, "--min-answered")}) {
    if (limit) require(*limit >= 0.0, "{} must be >= 0, got {}", option, *limit);
  }
}

AccountSettings make_account_settings(const PrivacyOptions& options) {
  AccountSettings settings = options.account;
  check_delta(settings.delta, options.any_delta);
  check_limits(options.limits);
  refuse(options.limits.max_epsilon && options.account.reading == GuaranteeKind::expected,
         "--max-epsilon is kept by a guarantee, and --reading expected asks for an expectation, "
         "which runs may exceed: leave --reading out, or --max-epsilon");
  settings.models = {options.bounds.begin(), options.bounds.end()};
  if (options.exact) settings.models.insert(Bound::exact);
  if (settings.orders) settings.orders = validated_orders(*settings.orders);
  check_profile(settings);
  return settings;
}

std::vector<JudgedLimit> judged_limits(const Limits& limits, const CostEntry& headline,
                                       std::optional<double> answered_expected,
                                       std::optional<std::int64_t> answered_realized) {
  double answered = answered_expected.value_or(std::numeric_limits<double>::quiet_NaN());
  if (headline.reading == GuaranteeKind::realized && answered_realized) {
    answered = static_cast<double>(*answered_realized);
  }
  std::vector<JudgedLimit> judged;
  if (const auto most = limits.max_epsilon) {
    if (headline.promise == Promise::none) {
      throw usage_error(
          fmt::format("--max-epsilon is kept by a guarantee, and the headline, {}/{}/{}, promises "
                      "nothing: leave --reading, --conversion and --bound out, or --max-epsilon",
                      name(headline.bound), name(headline.reading), name(headline.conversion)));
    }
    judged.push_back(
        {{"--max-epsilon", most, headline.epsilon <= *most},
         fmt::format("epsilon is {}, above --max-epsilon {}", headline.epsilon, *most)});
  }
  if (const auto least = limits.min_answered) {
    judged.push_back(
        {{"--min-answered", least, answered >= *least},
         fmt::format("answered queries are {}, below --min-answered {}", answered, *least)});
  }
  if (limits.require_releasable) {
    judged.push_back({{"--require-releasable", {}, headline.releasable},
                      headline.data_dependent
                          ? "the headline depends on the votes and may not be published as it is"
                          : "parameters of a release in the headline were chosen from votes, not "
                            "fixed in advance"});
  }
  return judged;
}

std::vector<reports::LimitVerdict> verdicts_of(const std::vector<JudgedLimit>& judged) {
  std::vector<reports::LimitVerdict> verdicts;
  for (const JudgedLimit& limit : judged) verdicts.push_back(limit.verdict);
  return verdicts;
}

int report_judged(const std::vector<JudgedLimit>& judged, bool may_be_told,
                  const Streams& streams) {
  std::vector<std::string> missed;
  for (const auto& [verdict, told] : judged) {
    if (verdict.holds) continue;
    const bool has_number = verdict.limit.has_value();
    missed.push_back(
        may_be_told || !has_number ? told : fmt::format("{} {}", verdict.option, *verdict.limit));
  }
  return report_missed(missed, streams);
}

}  // namespace pate::cli
