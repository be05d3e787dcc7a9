#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "pate/accounting/run.hpp"
#include "pate/inspection/content_doubts.hpp"

namespace pate {

/// A yes or no of a run on one of its rows: how likely each was, and which came out.
struct Trial {
  std::int64_t row = -1;
  double yes = 1.0, no = 0.0;  ///< probabilities, each with its own relative accuracy
  bool came_out = true;
};

/// The probability below which what came out is reported.
inline constexpr double kImprobable = 6e-9;

/// Returns Pr[at most `most` of independent trials come out yes] (the Poisson binomial
/// distribution), by adding one trial after the other: n (most + 1) steps, relative accuracy 1e-9.
/// Entries below 1e-300 are dropped; of more than 20,000 trials those below 1e-30, which only
/// lowers the result, by less than 1e-24.
[[nodiscard]] double poisson_binomial_tail(std::span<const Trial> trials, std::int64_t most);

/// Returns a doubt about decisions that the noise of the run's own threshold check hardly gives on
/// its votes: those of another run, of other rows, with 0 and 1 exchanged, or true labels.
///
/// Three statistics of decisions d_i, answered with probability p_i, are looked at: the number of
/// answers, by its exact tails (`poisson_binomial_tail` below 6e-9); whether these are the queries
/// that should be, sum_i (d_i - p_i) w_i with w_i = log(p_i / (1 - p_i)) in -8..8, by Bernstein's
/// inequality at 2e-9; and the least likely of them, by the union bound at 2e-9.
///
/// A number of answers need no exact tail where the theorem of Berry and Esseen (constant 0.56,
/// Shevtsova 2010) says that it is above 6e-9, or Bernstein's inequality that it is below.
///
/// path: what the message calls the decisions. None without decisions or a threshold check, and of
/// PTR. Throws as `QueryReader` does.
[[nodiscard]] std::optional<ContentDoubt> decisions_doubt(const Run& run, std::string_view path);

/// Returns the same of released labels (by row of the votes, -1: none), of which each is the
/// plurality with the probability that the run's noise gives it (`plurality_probability`): too many
/// say that no noise was added, too few that they are of other rows, or true labels. With and
/// without a threshold; none of PTR and with a student, whose answers may be among them.
[[nodiscard]] std::optional<ContentDoubt> labels_doubt(const Run& run,
                                                       std::span<const std::int32_t> labels,
                                                       std::string_view path);

/// Returns a doubt about a list of rows without decisions, of a run with a threshold check: where
/// all of them answered is improbable (6e-9) and they have more of the answers than rows drawn at
/// random (4 standard deviations), they are the answered ones, and the doubt is certain; else
/// doubtful, as it may be so. whole: what all rows cost, "" or a sentence; line: what makes a file
/// of decisions of the list.
[[nodiscard]] std::optional<ContentDoubt> rows_doubt(const Run& run, std::string_view path,
                                                     std::string_view whole, std::string_view line);

}  // namespace pate
