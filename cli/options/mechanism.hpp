#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/options/command_line.hpp"
#include "cli/options/votes_input.hpp"
#include "pate/accounting/run.hpp"
#include "pate/mechanisms/aggregator.hpp"
#include "pate/mechanisms/supports.hpp"

namespace pate::cli {

/// The aggregator as the command line describes it.
struct MechanismOptions {
  std::optional<double> laplace_scale;
  std::optional<double> sigma2;
  std::optional<double> sigma1;
  std::string threshold;  ///< votes, or a share of the teachers: "80%"
  std::optional<double> ptr_laplace, ptr_sigma, ptr_sparse, ptr_sparse_sigma, ptr_delta;
  std::optional<std::int64_t> max_refusals;
  bool one_noise = false;  ///< the noise of the maximum is one noise on one of two counts
  Neighbours neighbours;   ///< whose costs are asked for
  std::optional<double> sample_teachers, sample_records;

  /// Whether any of PTR's is there.
  [[nodiscard]] bool any_ptr() const {
    return ptr_laplace || ptr_sigma || ptr_sparse || ptr_sparse_sigma || ptr_delta || max_refusals;
  }
  /// The samples that answer queries, if any do. Throws `usage_error` where both options are given.
  [[nodiscard]] std::optional<Sampling> sampling() const;
  /// Whose costs follow: of a record that is added or removed those of a vote that moves.
  [[nodiscard]] Neighbours counted() const {
    return sample_records ? Neighbours{Adjacency::replace, neighbours.teachers} : neighbours;
  }
  /// What costs of this mechanism are asked for with.
  [[nodiscard]] Circumstances circumstances(bool has_student = false) const;
};

/// Throws `usage_error` naming what of PTR is missing or too much; `solved` are options that are
/// looked for, and must not be given.
void check_ptr(const MechanismOptions& options, const MechanismOptions& solved = {});

/// `without` the options named.
void add_mechanism_options(CommandLine& line, MechanismOptions& options,
                           const std::vector<std::string_view>& without = {});

/// Whose costs are asked for: of commands that know others than one teacher that votes otherwise.
void add_neighbours(CommandLine& line, Neighbours& neighbours);

/// `--sample-teachers` and, `with_records`, `--sample-records`.
void add_sample_options(const Section& section, MechanismOptions& options, bool with_records);

/// Where samples answer: throws `usage_error` for a threshold as a share of all teachers, and
/// `parameter_error` for a mechanism whose queries they cannot answer, or what else excludes them.
void check_sampled(const MechanismOptions& options, const Circumstances& circumstances);

/// Which of the options that describe an aggregator are there.
struct GivenNoise {
  bool laplace_scale = false, sigma2 = false, threshold = false, sigma1 = false, student = false;
  bool ptr = false;  ///< any of PTR's
  bool max_answers = false;
};

/// Throws `usage_error` naming the option that is missing or contradicts; `choices` are the options
/// that give the noise.
void check_noise(const GivenNoise& given, const char* choices);

/// Throws `usage_error` unless `text` is a number of votes or a share of the teachers.
void check_threshold(const std::string& text);

/// Which aggregator the options describe, with everything but the threshold's share of the teachers
/// checked, so that a wrong command line fails before any file is read. Throws `usage_error` naming
/// the option that is missing or contradicts, and `parameter_error` for values out of range.
void check_mechanism_options(const MechanismOptions& options, bool has_student);

/// `--published-sensitivity L` goes with Gaussian noise and an order above 1: throws `usage_error`
/// otherwise.
void check_published_sensitivity(std::optional<double> order, const MechanismOptions& options);

/// The standard deviation of the noise on each of two counts that is as much as one noise of
/// `sigma` on one of them: sqrt 2 sigma, rounded down.
[[nodiscard]] double sigma_of_one_noise(double sigma);

/// The standard deviation of the noise on each count, from --sigma2 and --one-noise.
[[nodiscard]] double sigma_of_maximum(const MechanismOptions& options);

/// Throws `input_error` unless the votes are for two classes, as --one-noise says.
void require_two_classes(const VotesInput& input);

/// The aggregator for an ensemble of `teachers`, of a run of so many queries.
[[nodiscard]] Mechanism make_aggregator(const MechanismOptions& options, std::int64_t teachers,
                                        std::int64_t queries, bool has_student);

/// What is more often a slip than meant: thresholds of at most one vote or above the number of
/// teachers (none: not known), unless the noise of the check makes up for it; a PTR test (or none)
/// whose threshold is above half of it, which is as stable as an answer can be; a delta above 1e-3;
/// of `mechanism` (or null: not known) noise below one vote.
[[nodiscard]] std::vector<Notice> slip_notices(std::span<const double> thresholds,
                                               std::optional<std::int64_t> teachers, double delta,
                                               const StabilityTest* test = nullptr,
                                               const MechanismOptions* mechanism = nullptr);

/// Throws `usage_error` for a threshold of less than one vote, with the share that is likely meant.
void refuse_share_as_votes(const MechanismOptions& options);

/// Throws `usage_error` for noise below one vote, with the reciprocal that is likely meant, unless
/// it is accepted: for commands that spend budget.
void refuse_little_noise(const MechanismOptions& options, std::span<const VotesDoubt> accepted);

/// The threshold in votes, where there is one; none either for a share of unknown teachers.
[[nodiscard]] std::vector<double> thresholds_of(const MechanismOptions& options,
                                                std::optional<std::int64_t> teachers);

/// What bears on the validity of every number of a run, in front of `notices`: how files were read,
/// layouts that do not fit, slips. test: PTR's, or null; mechanism: as of `slip_notices`.
void prepend_input_warnings(const VotesInput& input, std::span<const double> thresholds,
                            double delta, std::vector<Notice>& notices,
                            const StabilityTest* test = nullptr,
                            const MechanismOptions* mechanism = nullptr);

/// The part of a run that `shard` is, with the decisions and labels of the input, which it is left
/// without. The input must outlive it.
[[nodiscard]] Run make_run(VotesInput& input, const MechanismOptions& options, Shard shard = {});

}  // namespace pate::cli
