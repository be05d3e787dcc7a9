#include <fmt/format.h>

#include <string>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/commands/summaries.hpp"
#include "cli/exit_status.hpp"
#include "pate/release/as_published/release.hpp"
#include "pate/release/smooth/release_cost.hpp"
#include "pate/reports/release_report.hpp"
#include "pate/reports/run_reports.hpp"

namespace pate::cli {

namespace {

// What is wrong with S18's procedure for this run.
Notice not_valid(const AsPublishedRelease& release, GuaranteeKind reading,
                 const Mechanism& mechanism) {
  const Gnss& gnss = release.gnss;
  const double valid = release_cost(release.order, gnss.beta, gnss.sigma_ss, 0.0);
  std::string text = "this reproduces a published procedure that under-reports: ";
  if (gnss.cost < valid) {
    text += fmt::format(
        "Theorem 23 charges {:.5g} for what costs {:.5g}, as it leaves out that unequal variances "
        "amplify the difference of the means (beta <= 1/(4 order) = {:.5g} makes it valid), ",
        gnss.cost, valid, 0.25 / release.order);
  }
  if (reading == GuaranteeKind::expected && mechanism.refuses()) {
    text += "Pr[answered] is taken for a constant, ";
  }
  return {"not_valid", text + "half of all values lie below the cost"};
}

}  // namespace

int run_as_published(const ReleaseOptions& options, const Streams& streams) {
  AsPublishedSettings settings;
  settings.delta = options.settings.delta;
  settings.reading = options.reading.value_or(GuaranteeKind::expected);
  settings.order = options.order;
  settings.beta = options.beta;
  settings.sigma_ss = options.sigma_ss;
  settings.threads = options.settings.threads;
  settings.curve = options.sensitivity_curve;
  VotesInput input = open_votes(options.input);
  const Run run = make_run(input, options.mechanism);
  doubt_decisions(run, options.input, input);
  ReleaseOptions in_force = options;
  in_force.bound = Bound::published;
  in_force.reading = settings.reading;
  const reports::ReportContext context{version(), settings_of("release", add_release, in_force),
                                       input.describe()};
  const AsPublishedRelease release = release_as_published(run, settings);
  input.check_unchanged();
  std::vector<Notice> notices{not_valid(release, settings.reading, run.aggregator)};
  prepend_input_warnings(input, thresholds_of(options.mechanism, run.votes.teachers()),
                         settings.delta, notices);
  deliver_report(options.output,
                 reports::as_published_report_json(release, settings.reading, notices, context),
                 as_published_summary(release, notices, options.input.votes), notices, streams);
  return kDone;
}

}  // namespace pate::cli
