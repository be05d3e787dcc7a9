#include "cli/options/mechanism.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <string_view>
#include <utility>

#include "cli/exit_status.hpp"
#include "cli/options/exclusions.hpp"
#include "pate/accounting/circumstances.hpp"
#include "pate/base/error.hpp"
#include "pate/base/read_double.hpp"

namespace pate::cli {

namespace {

constexpr double kLargeDelta = 1e-3;
// Standard deviations of a check's noise that hardly an answer overcomes.
constexpr double kOutOfReach = 3.0;

struct Threshold {
  double value;
  bool share;  // of the teachers, in percent
};

Threshold parse_threshold(const std::string& text) {
  std::string_view number = text;
  const bool share = number.ends_with('%');
  if (share) number.remove_suffix(1);
  double value = 0.0;
  const auto [end, code] = read_double(number.data(), number.data() + number.size(), value);
  refuse(code != std::errc() || end != number.data() + number.size() || !std::isfinite(value),
         "--threshold must be a number of votes or a share of the teachers like 80%, got '{}'",
         text);
  return {value, share};
}

// The noises that are below one vote, each with what it is.
std::vector<Notice> little_noises(const MechanismOptions& options) {
  std::vector<Notice> notices;
  const auto look = [&](const char* option, const std::optional<double>& noise, const char* slip) {
    if (!noise || !(*noise > 0.0 && *noise < 1.0)) return;
    notices.push_back(
        {"little_noise",
         fmt::format("{0} {1:g} is noise below one vote, which is next to none: votes that "
                     "disagree a little cost much more than these may. If {1:g} is {2}, write "
                     "{0} {3:.6g}",
                     option, *noise, slip, 1.0 / *noise)});
  };
  look("--laplace-scale", options.laplace_scale, "gamma, or the epsilon of a query");
  look("--sigma2", options.sigma2, "one over the noise");
  look("--sigma1", options.sigma1, "one over the noise");
  return notices;
}

// PTR of a run of so many queries; throws `usage_error` for what is missing or too much.
Mechanism tested_aggregator(const MechanismOptions& options, std::int64_t queries) {
  check_ptr(options);
  if (options.ptr_sparse_sigma) {
    return StabilityTest::sparse_gaussian(*options.ptr_sparse_sigma, *options.ptr_delta,
                                          *options.max_refusals,
                                          std::max<std::int64_t>(queries, 1));
  }
  if (options.ptr_sparse) {
    return StabilityTest::sparse(*options.ptr_sparse, *options.ptr_delta, *options.max_refusals);
  }
  return options.ptr_laplace ? StabilityTest::with_laplace(*options.ptr_laplace, *options.ptr_delta)
                             : StabilityTest::with_gaussian(*options.ptr_sigma, *options.ptr_delta);
}

}  // namespace

void add_mechanism_options(CommandLine& line, MechanismOptions& options,
                           const std::vector<std::string_view>& without) {
  const Section mechanism = line.section("Mechanism", without);
  mechanism.add("--sigma2 S", options.sigma2,
                "standard deviation of the Gaussian noise on each count, in votes");
  mechanism.add(
      "--threshold T", options.threshold,
      "smallest noisy top count that is answered: votes, or a share of the teachers like 80%");
  mechanism.add("--sigma1 S", options.sigma1,
                "standard deviation of the noise in the threshold check, in votes",
                {.recorded_before = "threshold"});
  mechanism.add("--laplace-scale B", options.laplace_scale,
                "scale of Laplace noise on each count (LNMax; 1/gamma in the 2017 paper)",
                {.recorded_before = "sigma2"});
  mechanism.add("--one-noise", options.one_noise,
                "two classes: the noise is one noise on one of the counts, as in PATE-GAN");
  mechanism.add("--ptr-laplace EPS", options.ptr_laplace,
                "propose-test-release: epsilon of a stability test with Laplace noise");
  mechanism.add("--ptr-sigma S", options.ptr_sigma,
                "propose-test-release: standard deviation of Gaussian noise in the stability test");
  mechanism.add("--ptr-sparse EPS", options.ptr_sparse,
                "propose-test-release by sparse vector: epsilon that each refusal costs");
  mechanism.add("--ptr-sparse-sigma S", options.ptr_sparse_sigma,
                "the same with Gaussian noise: standard deviation of a query's noise, in votes");
  mechanism.add("--max-refusals R", options.max_refusals,
                "of the sparse forms: end the run after R refusals");
  mechanism.add("--ptr-delta D", options.ptr_delta,
                "delta of each query; of the sparse forms, of each refusal");
}

void add_neighbours(CommandLine& line, Neighbours& neighbours) {
  // Reports say so with the mechanism and its steps, where it is not the default.
  const Section section = line.section("Who is protected");
  section.add("--teachers-per-person S", neighbours.teachers,
              "largest number of teachers that one person's data may be in: S votes may move",
              {.recorded = false});
  section.add("--neighbours NAME", neighbours.adjacency,
              {Adjacency::replace, Adjacency::add_remove},
              "what may happen to a teacher: it votes otherwise, or is added or removed",
              {.recorded = false});
}

std::optional<Sampling> MechanismOptions::sampling() const {
  refuse(sample_teachers && sample_records,
         "--sample-teachers excludes --sample-records: does the number of votes change with one of "
         "those who are sampled? Yes: the first; no: the second");
  if (sample_records) return Sampling{*sample_records, SampleOf::records};
  if (sample_teachers) return Sampling{*sample_teachers, SampleOf::teachers};
  return std::nullopt;
}

void add_sample_options(const Section& section, MechanismOptions& options, bool with_records) {
  section.add(
      "--sample-teachers P", options.sample_teachers,
      "a sample that each teacher is in with probability P answers a query: does the number "
      "of votes change with a teacher? Yes (--sigma2, --neighbours add-remove)");
  if (!with_records) return;
  section.add("--sample-records P", options.sample_records,
              "votes are of a sample that each record is in with probability P: does the number of "
              "votes change with a record? No, a vote moves (Private-kNN, DP-ICL; --sigma2)");
}

Circumstances MechanismOptions::circumstances(bool has_student) const {
  return Circumstances(counted())
      .with(Given::ptr, any_ptr())
      .with(Given::laplace, laplace_scale.has_value())
      .with(Given::one_noise, one_noise)
      .with(Given::student, has_student)
      .with(Given::samples, sample_teachers || sample_records);
}

void check_sampled(const MechanismOptions& options, const Circumstances& circumstances) {
  const auto sampling = options.sampling();
  if (!sampling) return;
  refuse(options.sample_teachers && options.threshold.ends_with('%'),
         "--sample-teachers needs --threshold in votes of a sample, which has P of the teachers, "
         "not as a share of all of them");
  require(asked_of(sampling->of), circumstances);
}

void check_published_sensitivity(std::optional<double> order, const MechanismOptions& options) {
  if (!order) return;
  if (!(*order > 1.0) || !std::isfinite(*order)) {
    throw usage_error(
        fmt::format("--published-sensitivity is a Renyi order > 1 and finite, got {}", *order));
  }
  require(Asked::published_sensitivity,
          options.circumstances().with(Given::laplace, !options.sigma2));
}

void check_ptr(const MechanismOptions& options, const MechanismOptions& solved) {
  if (options.one_noise) {
    throw usage_error("--one-noise goes with --sigma2 or --laplace-scale: PTR has another noise");
  }
  const bool sparse = options.ptr_sparse || options.ptr_sparse_sigma || solved.ptr_sparse_sigma;
  const bool sigma = options.ptr_sigma || solved.ptr_sigma;
  refuse(static_cast<int>(options.ptr_laplace.has_value()) + static_cast<int>(sigma) +
                     static_cast<int>(sparse) !=
                 1 ||
             (options.ptr_sparse && (options.ptr_sparse_sigma || solved.ptr_sparse_sigma)),
         "PTR needs the noise of its test: one of --ptr-laplace, --ptr-sigma, --ptr-sparse and "
         "--ptr-sparse-sigma");
  const bool refusals = options.max_refusals || solved.max_refusals;
  refuse(sparse && !refusals, "{} needs the refusals that end the run: add --max-refusals R",
         options.ptr_sparse ? "--ptr-sparse" : "--ptr-sparse-sigma");
  refuse(
      refusals && !sparse,
      "--max-refusals goes with --ptr-sparse or --ptr-sparse-sigma: other forms of PTR pay every "
      "query");
  if (!options.ptr_delta) {
    throw usage_error(sparse ? "PTR needs the delta of a refusal: add --ptr-delta D"
                             : "PTR needs the delta of a query: add --ptr-delta D");
  }
}

void check_threshold(const std::string& text) {
  (void)parse_threshold(text);
}

void check_noise(const GivenNoise& given, const char* choices) {
  if (given.ptr || given.laplace_scale) {
    const Exclusions excludes(given.ptr ? "PTR" : "--laplace-scale (LNMax)");
    excludes(given.ptr && given.laplace_scale, "--laplace-scale");
    excludes(given.sigma2, "--sigma2");
    excludes(given.sigma1, "--sigma1");
    excludes(given.threshold, "--threshold");
    excludes(given.student, "--student");
    excludes(given.ptr && given.max_answers, "--max-answers");
    return;
  }
  refuse(!given.sigma2, "the noise is missing: add {}", choices);
  if (given.threshold && !given.sigma1) throw usage_error("--threshold needs --sigma1: add it");
  if (given.sigma1 && !given.threshold) throw usage_error("--sigma1 needs --threshold: add it");
  refuse(given.student && !given.threshold,
         "--student (Interactive) needs --threshold and --sigma1: add them");
}

void check_mechanism_options(const MechanismOptions& options, bool has_student) {
  validate(options.neighbours);
  if (options.any_ptr()) require(Asked::ptr, options.neighbours);
  if (options.one_noise) require(Asked::one_noise, options.neighbours);
  check_noise(
      {options.laplace_scale.has_value(), options.sigma2.has_value(), !options.threshold.empty(),
       options.sigma1.has_value(), has_student, options.any_ptr()},
      "--sigma2 S (GNMax) or --laplace-scale B (LNMax)");
  if (options.any_ptr()) {
    (void)tested_aggregator(options, 1);
    return;
  }
  if (options.laplace_scale) {
    validate(LaplaceNoisyMax{*options.laplace_scale}, "--laplace-scale");
    return;
  }
  validate(GaussianNoisyMax{*options.sigma2}, "--sigma2");
  if (options.sigma1) {
    check_threshold(options.threshold);
    validate(GaussianNoisyMax{*options.sigma1}, "--sigma1");
  }
}

double sigma_of_one_noise(double sigma) {
  // n_1 + N(0, s^2) > M/2 where n_1 - n_0 + N(0, 4 s^2) > 0: two noises of sqrt 2 s.
  return std::nextafter(std::numbers::sqrt2 * sigma, 0.0);
}

double sigma_of_maximum(const MechanismOptions& options) {
  return options.one_noise ? sigma_of_one_noise(*options.sigma2) : *options.sigma2;
}

void require_two_classes(const VotesInput& input) {
  if (input.votes->classes() == 2) return;
  throw input_error(
      fmt::format("{}: expected votes for two classes, as --one-noise says, found {} classes",
                  input.votes->name(), input.votes->classes()));
}

Mechanism make_aggregator(const MechanismOptions& options, std::int64_t teachers,
                          std::int64_t queries, bool has_student) {
  check_mechanism_options(options, has_student);
  if (options.ptr_delta) return tested_aggregator(options, queries);
  Aggregator aggregator;
  if (options.laplace_scale) {
    if (options.one_noise) {
      aggregator.noisy_max = OneLaplaceNoise{*options.laplace_scale};
    } else {
      aggregator.noisy_max = LaplaceNoisyMax{*options.laplace_scale};
    }
    return aggregator;
  }
  aggregator.noisy_max = GaussianNoisyMax{sigma_of_maximum(options)};
  if (!options.threshold.empty()) {
    aggregator.selection =
        ThresholdCheck{thresholds_of(options, teachers).front(), *options.sigma1};
    aggregator.interactive = has_student;
  }
  return aggregator;
}

std::vector<Notice> slip_notices(std::span<const double> thresholds,
                                 std::optional<std::int64_t> teachers, double delta,
                                 const StabilityTest* test, const MechanismOptions* mechanism) {
  std::vector<Notice> notices;
  if (mechanism != nullptr) notices = little_noises(*mechanism);
  // 0: not known.
  const double sigma1 = mechanism != nullptr ? mechanism->sigma1.value_or(0.0) : 0.0;
  const std::int64_t most_moves = teachers.value_or(0) / 2;
  if (test != nullptr && teachers && *teachers > 0 &&
      test->threshold() > static_cast<double>(most_moves)) {
    notices.push_back(
        {"high_threshold",
         fmt::format(
             "PTR's threshold is {:.6g}, and no answer of {} teachers withstands more than {} "
             "votes that change: only noise can reach it. {} or a larger --ptr-delta lowers it",
             test->threshold(), *teachers, most_moves,
             test->noise() == TestNoise::sparse_gaussian ? "A smaller --ptr-sparse-sigma"
             : test->is_gaussian()                       ? "A smaller --ptr-sigma"
                                                         : "A larger epsilon")});
  }
  if (!thresholds.empty()) {
    const auto [least, most] = std::ranges::minmax(thresholds);
    if (least < 0.0 && sigma1 > 0.0) {
      if (least < -kOutOfReach * sigma1) {
        notices.push_back({"low_threshold",
                           fmt::format("threshold {} with sigma1 {} refuses next to nothing: leave "
                                       "out --threshold and --sigma1, which cost",
                                       least, sigma1)});
      }
    } else if (least <= 1.0) {
      notices.push_back({"low_threshold",
                         fmt::format("threshold {} is at most one vote; a share of the teachers is "
                                     "written like 60%",
                                     least)});
    }
    // Much noise in the check lets answers through that lie below it.
    const double reach = kOutOfReach * sigma1;
    if (teachers && *teachers > 0 && most > static_cast<double>(*teachers) + reach) {
      notices.push_back({"high_threshold",
                         fmt::format("threshold {} is above the number of teachers, {}: only noise "
                                     "can reach it",
                                     most, *teachers)});
    }
  }
  if (delta > kLargeDelta) {
    notices.push_back(
        {"large_delta", fmt::format("delta {} is above {}: with this probability the guarantee may "
                                    "fail; it should be far below one over the number of people",
                                    delta, kLargeDelta)});
  }
  return notices;
}

std::vector<double> thresholds_of(const MechanismOptions& options,
                                  std::optional<std::int64_t> teachers) {
  if (options.threshold.empty()) return {};
  const Threshold threshold = parse_threshold(options.threshold);
  if (!threshold.share) return {threshold.value};
  if (!teachers) return {};
  return {threshold.value / 100.0 * static_cast<double>(*teachers)};
}

void refuse_share_as_votes(const MechanismOptions& options) {
  for (const double votes : thresholds_of(options, std::nullopt)) {
    if (!(votes > 0.0 && votes < 1.0)) continue;
    throw usage_error(
        fmt::format("--threshold {} is less than one vote, and budget would be spent on it: a "
                    "share of the teachers is written {:g}%; 1 asks for a vote, 0 for none",
                    votes, 100.0 * votes));
  }
}

void refuse_little_noise(const MechanismOptions& options, std::span<const VotesDoubt> accepted) {
  if (std::ranges::count(accepted, VotesDoubt::little_noise) > 0) return;
  for (const Notice& notice : little_noises(options)) {
    throw usage_error(notice.message + "; or accept it with --accept little-noise");
  }
}

void prepend_input_warnings(const VotesInput& input, std::span<const double> thresholds,
                            double delta, std::vector<Notice>& notices, const StabilityTest* test,
                            const MechanismOptions* mechanism) {
  std::vector<Notice> doubts = input.doubts();
  std::ranges::move(slip_notices(thresholds, input.votes->teachers(), delta, test, mechanism),
                    std::back_inserter(doubts));
  notices.insert(notices.begin(), doubts.begin(), doubts.end());
}

Run make_run(VotesInput& input, const MechanismOptions& options, Shard shard) {
  if (options.one_noise) {
    require_two_classes(input);
    require(Asked::one_noise, circumstances_of(*input.votes));
  }
  Mechanism mechanism = make_aggregator(options, input.votes->teachers(), input.rows.size(),
                                        input.student != nullptr);
  // Without a threshold labels are only compared with the noise.
  if (!input.released.empty() && !mechanism.refuses() && input.decisions) {
    for (std::int64_t i = 0; i < input.rows.size(); ++i) {
      if ((*input.decisions)[static_cast<std::size_t>(input.rows[i])] != 0) continue;
      throw input_error(fmt::format(
          "--decisions: row {} was refused, but without --threshold every query is answered",
          input.rows[i]));
    }
    input.decisions.reset();
  }
  return {*input.votes,
          input.rows,
          mechanism,
          options.counted(),
          input.student.get(),
          std::move(input.decisions),
          std::move(input.labels),
          shard};
}

}  // namespace pate::cli
