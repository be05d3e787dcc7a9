#include "pate/mechanisms/answer_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pate/base/error.hpp"

namespace pate {

namespace {

// The largest statistic of a neighbour.
std::int64_t highest_of(const Neighbours& neighbours, std::int64_t teachers) {
  return neighbours.adds_or_removes() ? teachers + neighbours.teachers : teachers;
}

}  // namespace

double log_answered(const AnswerRule& rule, std::int64_t v) {
  return std::visit([v](const auto& of) { return log_answered(of, v); }, rule);
}

double log_refused(const AnswerRule& rule, std::int64_t v) {
  return std::visit([v](const auto& of) { return log_refused(of, v); }, rule);
}

Neighbours neighbours_of(const AnswerRule& rule) {
  const auto* const check = std::get_if<ThresholdCheck>(&rule);
  return check != nullptr ? check->neighbours : Neighbours{};
}

AnswerTable::AnswerTable(const AnswerRule& rule, std::int64_t lowest, std::int64_t highest,
                         std::int64_t teachers)
    : AnswerTable(rule, std::max<std::int64_t>(lowest - neighbours_of(rule).teachers, 0),
                  std::min(highest + neighbours_of(rule).teachers,
                           highest_of(neighbours_of(rule), teachers))) {}

AnswerTable::AnswerTable(const AnswerRule& rule, std::int64_t first, std::int64_t last)
    : rule_(rule), reach_(neighbours_of(rule).teachers), first_(first) {
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
