#include "cli/commands/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "cli/commands/summaries.hpp"
#include "cli/exit_status.hpp"
#include "cli/options/privacy.hpp"
#include "cli/progress.hpp"
#include "pate/reports/votes_reports.hpp"

namespace pate::cli {

namespace {

// The noisy threshold is that of a Gaussian mechanism whose other noise does not matter here; of
// PTR's sparse form that of a round, of whatever many.
MechanismOptions with_any_noise(MechanismOptions options) {
  if (!options.any_ptr()) options.sigma2 = 1.0;
  if (options.ptr_sparse || options.ptr_sparse_sigma) options.max_refusals = 1;
  return options;
}

Inspection inspect_input(const InspectOptions& options, const VotesInput& input,
                         const Mechanism& mechanism, const Streams& streams) {
  const VoteSource& votes = *input.votes;
  const auto* predictions = dynamic_cast<const PredictionVotes*>(&votes);
  Progress progress(streams, "reading votes");
  Inspection result =
      inspect(votes, input.rows, mechanism.answer_rule(), predictions, options.threads,
              progress.callback(), input.student.get(), options.bins);
  if (input.labels) {
    result.accuracy = accuracy(votes, input.rows, *input.labels, predictions, input.student.get());
  }
  return result;
}

}  // namespace

void add_inspect(CommandLine& line, InspectOptions& options) {
  add_votes_input_options(line, options.input, {"--decisions", "--rows-from"});
  const Section threshold = line.section("Threshold (both or neither)");
  threshold.add(
      "--threshold T", options.mechanism.threshold,
      "smallest noisy top count that is answered: votes, or a share of the teachers like 80%");
  threshold.add("--sigma1 S", options.mechanism.sigma1,
                "standard deviation of the noise in the threshold check, in votes");
  const Section ptr = line.section("PTR instead (--ptr-delta and one of the others)");
  ptr.add("--ptr-laplace EPS", options.mechanism.ptr_laplace,
          "propose-test-release: epsilon of a stability test with Laplace noise");
  ptr.add("--ptr-sigma S", options.mechanism.ptr_sigma,
          "propose-test-release: standard deviation of Gaussian noise in the stability test");
  ptr.add("--ptr-sparse EPS", options.mechanism.ptr_sparse,
          "propose-test-release by sparse vector: epsilon that each refusal costs");
  ptr.add("--ptr-sparse-sigma S", options.mechanism.ptr_sparse_sigma,
          "the same with Gaussian noise: standard deviation of a query's noise, in votes");
  ptr.add("--ptr-delta D", options.mechanism.ptr_delta,
          "delta of each query; of the sparse forms, of each refusal");
  line.section("Histograms")
      .add("--bins N", options.bins, "largest number of bins; default: one per vote, up to 1000");
  add_output_options(line, options.output);
  add_threads(line.section("Work"), options.threads);
}

int run_inspect(const InspectOptions& options, const Streams& streams) {
  check_mechanism_options(with_any_noise(options.mechanism),
                          !options.input.student.empty() && options.mechanism.ptr_delta);
  check_output_options(options.output, input_paths(options.input));

  const VotesInput input = open_votes(options.input);
  // Digests read every byte once more: beside the inspection, not after it.
  auto described = input.describe_async(options.threads);
  const Mechanism mechanism = make_aggregator(with_any_noise(options.mechanism),
                                              input.votes->teachers(), input.rows.size(), false);
  Inspection inspection = inspect_input(options, input, mechanism, streams);

  reports::ReportContext context{version(), settings_of("inspect", add_inspect, options),
                                 described.get()};
  input.check_unchanged();
  const std::vector<Notice> first = input.doubts();
  inspection.notices.insert(inspection.notices.begin(), first.begin(), first.end());
  std::ranges::move(slip_notices(thresholds_of(options.mechanism, input.votes->teachers()),
                                 input.votes->teachers(), 0.0, mechanism.ptr()),
                    std::back_inserter(inspection.notices));
  if (const std::string& dtype = context.inputs.front().dtype; dtype.find('f') != dtype.npos) {
    inspection.notices.push_back(
        {"float_votes",
         fmt::format("the votes are stored as floating-point numbers ({}), all of them whole",
                     dtype)});
  }
  deliver_report(options.output, reports::inspect_report_json(inspection, context),
                 inspect_summary(inspection, context.inputs.front()), inspection.notices, streams);
  return kDone;
}

}  // namespace pate::cli
