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
/// distribution): n (most + 1) steps, relative accuracy 1e-9. Entries below 1e-300 are dropped; of
/// more than 20,000 trials those below 1e-30, which lowers the result by less than 1e-24.
[[nodiscard]] double poisson_binomial_tail(std::span<const Trial> trials, std::int64_t most);

/// Returns a doubt about decisions that the noise of the run's own threshold check hardly gives on
/// its votes: their number, by its exact tail at 6e-9; which queries they are, sum_i (d_i - p_i)
/// w_i with w_i = log(p_i / (1 - p_i)) in -8..8, by Bernstein's inequality at 2e-9; or the least
/// likely of them, by the union bound at 2e-9. Tails that the theorem of Berry and Esseen (constant
/// 0.56, Shevtsova 2010) has above 6e-9 are not computed.
///
/// path: what the message calls the decisions. None without decisions or a threshold check, and of
/// PTR. Throws as `QueryReader` does.
[[nodiscard]] std::optional<ContentDoubt> decisions_doubt(const Run& run, std::string_view path);

/// Returns the same of released labels (by row of the votes, -1: none): of how often, and where,
/// they are the plurality. None of PTR and with a student, whose answers may be among them.
[[nodiscard]] std::optional<ContentDoubt> labels_doubt(const Run& run,
                                                       std::span<const std::int32_t> labels,
                                                       std::string_view path);

/// Returns a doubt about a list of rows without decisions, of a run with a threshold check; a
/// certain one where that all of them are answered is improbable (6e-9) and they have more of the
/// answers than rows drawn at random (4 standard deviations). whole: what all rows cost, "" or a
/// sentence; line: what makes a file of decisions of the list.
[[nodiscard]] std::optional<ContentDoubt> rows_doubt(const Run& run, std::string_view path,
                                                     std::string_view whole, std::string_view line);

}  // namespace pate
