#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "pate/accounting/account.hpp"
#include "pate/reports/analyze_report.hpp"

namespace pate::cli {

/// What is computed, what is the headline, and which limits it must keep.
struct PrivacyOptions {
  double delta = 0.0;
  std::vector<std::string> bounds{"published", "tradeoff"};
  bool exact = false;
  std::string reading;
  std::string conversion;
  std::vector<double> orders;
  std::optional<double> max_epsilon;
  std::optional<double> min_answered;
  bool require_releasable = false;
  unsigned threads = 0;
};

void add_privacy_options(CLI::App& command, PrivacyOptions& options);

/// The limits on the headline alone, for commands with other options beside them.
void add_limit_options(CLI::App& command, std::optional<double>& max_epsilon,
                       std::optional<double>& min_answered, bool& require_releasable);

/// Throws `usage_error` for a limit that is negative or no number.
void check_limits(const PrivacyOptions& options);

void append_settings(const PrivacyOptions& options, Settings& settings);

/// The settings of the account. Throws `parameter_error` for values out of range.
[[nodiscard]] AccountSettings make_account_settings(const PrivacyOptions& options);

/// The limits of the command line that the headline does not keep, one message each.
[[nodiscard]] std::vector<std::string> missed_limits(const PrivacyOptions& options,
                                                     const Account& account);

/// The same for a headline without an account; `answered` is NaN where it is not known.
[[nodiscard]] std::vector<std::string> missed_limits(const PrivacyOptions& options,
                                                     const CostEntry& headline, double answered);

}  // namespace pate::cli
