#include "pate/mechanisms/answer_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pate/base/error.hpp"

namespace pate {

double log_answered(const AnswerRule& rule, std::int64_t v) {
  return std::visit([v](const auto& of) { return log_answered(of, v); }, rule);
}

double log_refused(const AnswerRule& rule, std::int64_t v) {
  return std::visit([v](const auto& of) { return log_refused(of, v); }, rule);
}

AnswerTable::AnswerTable(const AnswerRule& rule, const Neighbours& neighbours, std::int64_t lowest,
                         std::int64_t highest, std::int64_t teachers)
    : AnswerTable(rule, neighbours, std::max<std::int64_t>(lowest - neighbours.teachers, 0),
                  std::min(highest + neighbours.teachers, neighbours.highest_top(teachers))) {}

AnswerTable::AnswerTable(const AnswerRule& rule, const Neighbours& neighbours, std::int64_t first,
                         std::int64_t last)
    : rule_(rule), neighbours_(neighbours), first_(first) {
  validate(neighbours);
  if (const auto* const check = std::get_if<ThresholdCheck>(&rule)) validate(*check);
  constexpr double kBytes = 2 * sizeof(double) + sizeof(LogBernoulliPair);
  const double bytes = kBytes * (static_cast<double>(last - first) + 1.0);
  constexpr double kMost = 1e9;  // some seconds
  if (bytes > kMost) {
    throw input_error(fmt::format(
        "expected votes whose top counts lie close enough to tabulate the answers between them, "
        "found counts {} to {}: the table takes {:.3g} GB, and at most {:.3g} GB are allowed",
        first, last, bytes / 1e9, kMost / 1e9));
  }
  std::visit(
      [&](const auto& of) {
        for (std::int64_t v = first_; v <= last; ++v) {
          log_answered_.push_back(pate::log_answered(of, v));
          log_refused_.push_back(pate::log_refused(of, v));
        }
        for (std::int64_t v = first_ - reach() + 1; v < last; ++v) {
          steps_.push_back(answer_pair(of, std::max(v, first_), std::min(v + reach(), last)));
        }
      },
      rule_);
}

}  // namespace pate
