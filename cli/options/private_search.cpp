#include "cli/options/private_search.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <system_error>

#include "cli/exit_status.hpp"
#include "cli/options/exclusions.hpp"
#include "pate/base/read_double.hpp"

namespace pate::cli {

NumberOfTries parse_tries(const std::string& text) {
  const auto colon = text.find(':');
  const std::string word = text.substr(0, colon);
  std::optional<TriesLaw> law;
  for (const Named<TriesLaw>& named : kNames<TriesLaw>) {
    if (word == named.name) law = named.value;
  }
  double expected = 0.0;
  const bool has_number = colon != std::string::npos;
  const char* const end = text.data() + text.size();
  const auto read =
      read_double(text.data() + (has_number ? colon + 1 : text.size()), end, expected);
  refuse(!law || !has_number || read.ec != std::errc() || read.ptr != end,
         "--account: expected geometric:K, poisson:K or logarithmic:K, K tries on average, as in "
         "--account geometric:10; got {}",
         text);
  const bool is_poisson = *law == TriesLaw::poisson;
  if (!(expected <= kMostTries) || !(is_poisson ? expected >= 1.0 : expected > 1.0)) {
    throw usage_error(fmt::format("--account {}: K must be {} 1 and at most {}, got {}", word,
                                  is_poisson ? "at least" : "above", kMostTries,
                                  text.substr(colon + 1)));
  }
  return tries_expecting(*law, expected);
}

TryScore check_private_search(const TuningOptions& options, bool has_labels) {
  const Exclusions exclude("--account");
  const TuneSettings& settings = options.settings;
  const TuningGoal& goal = settings.goal;
  exclude(options.is_ptr(), "PTR, whose queries have deltas that the theorems do not know");
  refuse(options.sigma2.empty() && options.laplace_scale.empty(),
         "--account needs a grid that does not depend on the votes: add --sigma2 SPEC or "
         "--laplace-scale SPEC (LNMax), and --threshold SPEC and --sigma1 SPEC for Confident");
  exclude(options.solve.has_value(), "--solve, which looks at the votes");
  exclude(options.declared_epsilon.has_value(), "--declared-epsilon, which looks at the votes");
  exclude(options.rounds.has_value(), "--rounds");
  exclude(!options.shard.empty(), "--shard");
  exclude(!options.resume.empty(), "--resume");
  exclude(settings.release || options.method.has_value(),
          "--release: what it costs holds for any votes, and may be published as it is");
  exclude(settings.continuum, "--refine, which looks at the votes");
  exclude(options.bound == Bound::published || options.reading || options.conversion,
          "--bound, --reading and --conversion: what it costs is for any votes");
  exclude(options.top.has_value() || !options.csv.empty(),
          "--top and --csv: of all points the best one alone is told");
  exclude(settings.grid.max_answers.has_value(), "--max-answers");
  exclude(goal.min_answered || goal.min_right || goal.min_agreement || goal.min_accuracy,
          "--min-answered, --min-right, --min-agreement and --min-accuracy: the best is released, "
          "whatever it is");
  const Objective objective =
      options.objective.value_or(has_labels ? Objective::correct : Objective::agreeing);
  if (objective == Objective::answered) return TryScore::answered;
  if (objective == Objective::correct && has_labels) return TryScore::correct;
  refuse(objective == Objective::correct,
         "--objective correct needs --labels FILE, with --account public ones: add them");
  throw usage_error(
      "--account must choose by the labels that are released: whether they agree with the "
      "teachers, "
      "or what they cost, is seen from the votes. Add --labels FILE, public labels of these "
      "queries, "
      "or --objective answered");
}

}  // namespace pate::cli
