#include "cli/commands/summaries.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "cli/streams.hpp"
#include "cli/text.hpp"
#include "pate/accounting/headline.hpp"
#include "pate/accounting/planning/plan.hpp"
#include "pate/base/files.hpp"
#include "pate/events/account_record.hpp"
#include "pate/numerics/decimal.hpp"
#include "pate/numerics/rounded_decimal.hpp"
#include "pate/release/as_published/release.hpp"
#include "pate/release/curve/complex_plan.hpp"
#include "pate/release/curve/curve_plan.hpp"
#include "pate/release/declared/at_most_plan.hpp"
#include "pate/release/smooth/release_plan.hpp"
#include "pate/reports/declared_report.hpp"
#include "pate/reports/label_report.hpp"
#include "pate/reports/run_reports.hpp"
#include "pate/tuning/tuning_grid.hpp"

namespace pate::cli {

std::string neighbours_text(const Neighbours& neighbours) {
  const std::string whom = others_in_words(neighbours);
  return whom.empty() ? whom : ", costs for " + whom;
}

std::string_view origin_text(bool follow_answers) {
  return follow_answers ? " follow answers" : " fixed beforehand";
}

namespace {

std::string mechanism_text(const StabilityTest& test) {
  if (test.noise() == TestNoise::sparse_gaussian) {
    return fmt::format(
        "PTR, sparse: sigma {:g} and delta {:g} a refusal, {} at most in {} queries, threshold "
        "{:.5g}",
        test.scale(), test.delta(), test.max_refusals(), test.max_queries(), test.threshold());
  }
  if (test.is_sparse()) {
    return fmt::format(
        "PTR, sparse: epsilon {:g} and delta {:g} a refusal, {} at most, threshold {:.5g}",
        *test.pure_epsilon(), test.delta(), test.max_refusals(), test.threshold());
  }
  return fmt::format("PTR, {} {:g}, delta {:g} a query, threshold {:.5g}",
                     test.is_gaussian() ? "sigma" : "scale", test.scale(), test.delta(),
                     test.threshold());
}

std::string mechanism_text(const Mechanism& mechanism) {
  if (const StabilityTest* const test = mechanism.ptr()) return mechanism_text(*test);
  const Aggregator& aggregator = mechanism.noisy();
  const NoiseNames& noise = aggregator.noisy_max.names();
  const double value = aggregator.noisy_max.parameter();
  if (!aggregator.selection) {
    return fmt::format("{}, {} {:g}", noise.title, noise.column, value);
  }
  return fmt::format("{} {}, threshold {:g}, sigma1 {:g}, {} {:g}",
                     aggregator.interactive ? "Interactive" : "Confident", noise.title,
                     aggregator.selection->threshold, aggregator.selection->sigma1, noise.column,
                     value);
}

std::string mechanism_text(const PlannedRun& run) {
  if (const auto tested = run.tested()) return mechanism_text(*tested);
  if (!run.sigma1) {
    const NoiseNames& noise = run.noisy_max()->names();
    return fmt::format("{}, {} {}", noise.title, noise.column, run.noisy_max()->parameter());
  }
  return fmt::format("Confident GNMax, sigma1 {}, sigma2 {}", *run.sigma1, *run.sigma2);
}

// How teachers or records were sampled, if they were.
std::string samples_line(const MechanismCounts& steps) {
  std::string text;
  for (const auto& [sampled, count] : steps.sampled_queries) {
    const bool records = sampled.of == SampleOf::records;
    text += fmt::format("each query answered by a sample that a {} is in with probability {}{}\n",
                        records ? "record" : "teacher", sampled.rate,
                        records ? ", costs for 1 record that is added or removed" : "");
  }
  return text;
}

// None of a public part that does not say it.
std::optional<std::int64_t> told_teachers(const Account& account) {
  const bool is_told = account.teachers > 0 || !account.steps.neighbours.hide_number();
  return is_told ? std::optional(account.teachers) : std::nullopt;
}

std::string answered_line(double expected, double sd, std::optional<std::int64_t> realized) {
  return fmt::format("answered: {:.1f} expected (sd {:.1f}){}\n", expected, sd,
                     realized ? fmt::format(", {} realized", *realized) : "");
}

// All digits: fewer could be too little noise.
std::string solved_line(const Solved& solved, bool has_weights) {
  const bool whole = solved.parameter == PlanParameter::queries ||
                     solved.parameter == PlanParameter::max_answers ||
                     solved.parameter == PlanParameter::max_refusals;
  return whole ? fmt::format("{} = {:.0f}: the most that keeps epsilon <= {}\n",
                             name(solved.parameter), solved.value, solved.epsilon)
               : fmt::format("{} = {}{}: the least that keeps epsilon <= {}\n",
                             name(solved.parameter), solved.value,
                             has_weights ? " in votes of weight 1" : "", solved.epsilon);
}

void line(std::string& text, const char* name, double value, const char* what) {
  fmt::format_to(std::back_inserter(text), "  {:<19} {:>10.5g}  {}\n", name, value, what);
}

// In whose votes the mechanism is told, where they have weights.
std::string heaviest_text(std::span<const WeightCost> weights) {
  if (weights.empty()) return {};
  return fmt::format(", in votes of {:g}, the heaviest teacher's", weights.back().weight);
}

// Noise that was divided by a weight and rounded down, as people know it.
PlannedRun without_rounding(PlannedRun run) {
  for (auto* noise : {&run.sigma2, &run.sigma1, &run.laplace_scale})
    if (*noise) *noise = to_12_digits(**noise);
  return run;
}

}  // namespace

std::string analyze_summary(const Account& account, const VotesTitle& votes, bool all, bool colour,
                            std::span<const WeightCost> weights) {
  std::string text = votes_line(votes, account.queries, told_teachers(account), account.classes,
                                origin_text(follows_answers(account)));
  text += mechanism_text(account.aggregator) + neighbours_text(account.steps.neighbours);
  text += heaviest_text(weights) + '\n' + samples_line(account.steps);
  if (account.aggregator.refuses() && !std::isnan(account.answered_expected)) {
    text +=
        answered_line(account.answered_expected, account.answered_sd, account.answered_realized);
    if (account.answered_student) {
      text.insert(text.size() - 1,
                  fmt::format(", {:.1f} more by the student expected", *account.answered_student));
    }
  }
  if (account.utility) {
    text += fmt::format("accuracy: {:.2f} % expected of released labels; plurality {:.2f} %\n",
                        100.0 * account.utility->expected_accuracy,
                        100.0 * account.utility->plurality_accuracy);
  }
  return text + costs_and_notices(account.costs, account.headline, account.notices, colour, all);
}

std::string compose_summary(const RecordAccount& sum, std::span<const reports::ReportPart> parts,
                            bool all, bool colour) {
  std::string text;
  for (const reports::ReportPart& part : parts) {
    text += fmt::format("{}: {}, {}", io::printable(part.path, part.path.size(), io::Letters::any),
                        io::printable(part.mechanism, 40), queries_text(part.queries));
    if (part.is_whole) {
      if (part.answered) text += fmt::format(", {:.1f} answered", *part.answered);
      text += fmt::format(", epsilon {}", part.epsilon ? epsilon_text(*part.epsilon) : "infinite");
      if (part.order) text += fmt::format(" at order {}", order_text(part.order));
      if (!part.promise.empty()) text += fmt::format(" ({})", part.promise);
    }
    text += '\n';
  }
  text += fmt::format("together: {}", queries_text(sum.queries));
  if (sum.teachers) text += fmt::format(", {}", teachers_text(*sum.teachers));
  if (sum.classes) text += fmt::format(", {} classes", *sum.classes);
  text += neighbours_text(common_neighbours(sum.events)) + '\n';
  if (sum.answered_expected) {
    text += answered_line(*sum.answered_expected, sum.answered_sd, sum.answered_realized);
  }
  return text + costs_and_notices(sum.costs, sum.headline, sum.notices, colour, all);
}

std::string total_summary(const RecordAccount& total, std::span<const Notice> notices, bool all,
                          bool colour) {
  return fmt::format(": {}{}\n", queries_text(total.queries),
                     neighbours_text(common_neighbours(total.events))) +
         costs_and_notices(total.costs, total.headline, notices, colour, all);
}

std::string label_summary(const reports::LabelReport& report, const std::string& votes, bool all,
                          bool colour) {
  const Account& account = report.account;
  const LabelledQueries& labelled = report.labelled;
  const auto teachers = told_teachers(account);
  std::string text =
      fmt::format("{}: {} asked of {}{}{}, {} classes\n{}\n", votes, labelled.asked,
                  queries_text(static_cast<long long>(labelled.labels.size())),
                  origin_text(follows_answers(account)),
                  teachers ? ", " + teachers_text(*teachers) : "", account.classes,
                  mechanism_text(account.aggregator) + neighbours_text(account.steps.neighbours) +
                      heaviest_text(report.weights));
  text += fmt::format("{}: {} by the teachers", report.path,
                      counted(labelled.answered, "label", "labels"));
  if (labelled.student > 0) text += fmt::format(", {} by the student", labelled.student);
  text += fmt::format(", {} refused\n", labelled.refused());
  text += account.steps.sampled_queries.empty()
              ? fmt::format("order fixed before the run: {:.6g}\n", report.filter.order())
              : samples_line(account.steps);
  return text + costs_and_notices(account.costs, account.headline, account.notices, colour, all) +
         weights_text(report.weights);
}

std::string declared_summary(const reports::DeclaredReport& report, const std::string& votes,
                             bool colour, bool follows_answers) {
  const DeclaredSettings& settings = report.mechanism.settings();
  std::string text =
      fmt::format("{}: {}{}, {}, {} classes\n{}\n", votes,
                  queries_text(static_cast<long long>(settings.queries)),
                  origin_text(follows_answers), teachers_text(settings.question.teachers),
                  settings.question.classes, mechanism_text(settings.question.aggregator));
  if (report.labels) {
    const LabelledQueries& labelled = report.labels->labelled;
    text += fmt::format("the test {}\n{}: {} by the teachers",
                        report.labels->passed ? "passed" : "did not pass", report.labels->path,
                        counted(labelled.answered, "label", "labels"));
    if (labelled.student > 0) text += fmt::format(", {} by the student", labelled.student);
    text += fmt::format(", {} refused\n", labelled.refused());
    return text + costs_and_notices({&*report.declared, 1}, 0, report.notices, colour, false);
  }
  const DeclaredRehearsal& rehearsal = *report.rehearsal;
  text += fmt::format(
      "\nPRIVATE, nothing was drawn: declared ({}, {}), the test passes with probability "
      "{:.6g}\n  at level {} of {}, by {} orders\n",
      decimal(settings.budget.epsilon), decimal(settings.budget.delta), rehearsal.pass_probability,
      rehearsal.level, rehearsal.levels, orders_in_words(report.mechanism.test().certificate()));
  for (const auto& [probability, epsilon] : rehearsal.smallest_epsilon) {
    text += fmt::format("  passes with probability {:<5} from epsilon = {}\n", probability,
                        epsilon ? epsilon_text(*epsilon) : "infinite");
  }
  return text + (report.notices.empty() ? "" : "\n") + notes(report.notices);
}

std::string plan_summary(const Plan& plan, const reports::PlanExtras& extras, bool all,
                         bool colour) {
  std::string text =
      fmt::format("{}{}{}; queries: {}, answers: {} at most\n",
                  mechanism_text(extras.weights.empty() ? plan.run : without_rounding(plan.run)),
                  neighbours_text(plan.run.neighbours), heaviest_text(extras.weights),
                  plan.run.queries, plan.run.answers());
  text += samples_line(plan.steps);
  if (plan.solved) text += solved_line(*plan.solved, !extras.weights.empty());
  text += agreement_text(extras.agreement);
  std::optional<EpsilonMethod> published;  // S17's moments accountant, S18's conversion of RDP
  if (!plan.run.tested()) {
    published = plan.run.laplace_scale ? EpsilonMethod::moments : EpsilonMethod::classic;
  }
  text += costs_and_notices(plan.costs, plan.headline, plan.notices, colour, all, published) +
          weights_text(extras.weights);
  return extras.declared ? text + declared_outlook_text(*extras.declared) : text;
}

std::string public_release_summary(const PublicRelease& published,
                                   std::span<const Notice> notices) {
  return fmt::format("PUBLIC\nepsilon = {} at delta = {}\n\n{}{}{}",
                     epsilon_text(published.epsilon), decimal(published.delta),
                     paragraph("", published.statement, 78), notices.empty() ? "" : "\n",
                     notes(notices));
}

// Whom numbers are for, where that is not one teacher that votes otherwise.
static void who_line(std::string& text, const Neighbours& neighbours) {
  const std::string whom = others_in_words(neighbours);
  if (!whom.empty()) text += fmt::format("costs for {}\n", whom);
}

// The numbers behind a plan.
static void private_lines(std::string& text, const CurvePlan& plan) {
  line(text, "epsilon before", plan.epsilon_before(), "of the run alone, at this order");
  if (!plan.terms.earlier.empty()) {
    line(text, "earlier releases", plan.earlier_cost, "RDP, part of all numbers here");
  }
  line(text, "mean released", plan.place.published.mean, "of this run");
  line(text, "sd released", plan.place.published.sd, "its standard deviation");
  line(text, "floor", plan.mechanism.curve().floor(), "no less is published, whatever the votes");
  line(text, "ceiling", plan.mechanism.curve().ceiling(), "nor more");
  line(text, "cost", plan.place.cost(), "RDP at this order");
  line(text, "cost at most", cost_of_units(plan.mechanism.curve().ub_max()), "whatever the votes");
  fmt::format_to(std::back_inserter(text),
                 "  index            {:12d}  place of the run on the curve\n", plan.place.index);
  const CurveParameters& parameters = plan.parameters();
  fmt::format_to(std::back_inserter(text),
                 "\nparameters ({}), cost {}:\n  --order {:.10g} --s {:.10g} --beta {:.10g}\n",
                 name(plan.origin), name(plan.mechanism.settings().question.cost), parameters.order,
                 parameters.s, parameters.beta);
  who_line(text, plan.mechanism.settings().question.neighbours);
}

static void private_lines(std::string& text, const ComplexPlan& plan) {
  const PublishedMoments published = plan.published();
  line(text, "epsilon before", plan.epsilon_before(), "of the run alone");
  line(text, "mean released", published.mean, "of this run");
  line(text, "sd released", published.sd, "its standard deviation");
  line(text, "floor", plan.curve.floor(), "no less is published, whatever the votes");
  line(text, "ceiling", plan.curve.ceiling(), "nor more");
  fmt::format_to(std::back_inserter(text),
                 "  index            {:12d}  place of the run on the curve\n", plan.index);
  const ComplexParameters& its = plan.parameters;
  fmt::format_to(
      std::back_inserter(text),
      "\nparameters ({}), certificate by complex orders:\n  --orders-for {:.10g} --floor "
      "{:.10g} --s {:.10g} --beta {:.10g}\n",
      name(plan.origin), its.orders_for, its.floor, its.s, its.beta);
}

static void private_lines(std::string& text, const ReleasePlan& plan) {
  line(text, "epsilon before", plan.numbers.epsilon_before, "of the run alone, at this order");
  line(text, "release cost", plan.numbers.release_cost, "added by the release");
  if (!plan.terms.earlier.empty())
    line(text, "earlier releases", plan.earlier_cost, "added by those");
  line(text, "noise sd", plan.numbers.noise_sd, "smooth sensitivity x sigma-ss");
  line(text, "k", plan.k, "shift in noise sds, against publishing too little");
  line(text, "mean released", plan.numbers.mean_released, "before + costs + k noise sds");
  line(text, "smooth sensitivity", plan.numbers.smooth_sensitivity, "of the RDP, at this beta");
  fmt::format_to(std::back_inserter(text),
                 "\nparameters, {}:\n  --order {:.10g} --beta {:.10g} --sigma-ss {:.10g}\n",
                 parameters_name(plan.chosen_from_votes), plan.parameters.order,
                 plan.parameters.beta, plan.parameters.sigma);
}

static void private_lines(std::string& text, const AtMostPlan& plan) {
  line(text, "claim", plan.claim.claim(), "told where the test passes");
  line(text, "else", plan.claim.failed_claim(), "told where it does not");
  line(text, "pass probability", plan.pass_probability(), "of these votes");
  line(text, "mean released", plan.mean_published(), "of this run");
  const bool is_renyi = plan.claim.test().certificate() == Certificate::renyi;
  text += fmt::format(
      "  level {} of {}\n\n{}\n", plan.level, plan.ladder().last() + 1,
      is_renyi ? fmt::format("cost {}", name(plan.cost)) : "certificate by complex orders");
  who_line(text, plan.neighbours);
}

std::string release_summary(
    const std::variant<CurvePlan, ReleasePlan, AtMostPlan, ComplexPlan>& plan,
    const std::optional<PublicRelease>& published, const std::vector<Notice>& notices,
    const std::string& votes) {
  std::string text = published ? public_release_summary(*published, {}) + "\n" : "";
  fmt::format_to(std::back_inserter(text), "PRIVATE: {}{}\n", votes,
                 published ? "" : " (nothing was drawn)");
  std::visit([&](const auto& its) { private_lines(text, its); }, plan);
  return text + (notices.empty() ? "" : "\n") + notes(notices);
}

std::string as_published_summary(const AsPublishedRelease& release,
                                 const std::vector<Notice>& notices, const std::string& votes) {
  std::string text = fmt::format("NOT VALID, as published: {}\n", votes);
  line(text, "epsilon before", release.epsilon_before, "of the run alone, at this order");
  line(text, "release cost", release.gnss.cost, "by Theorem 23");
  line(text, "noise sd", release.gnss.sd, "smooth sensitivity x sigma-ss");
  line(text, "mean released", release.epsilon, "what is claimed");
  line(text, "smooth sensitivity", release.gnss.smooth_sensitivity, "of the RDP, at this beta");
  fmt::format_to(std::back_inserter(text), "\n  order {:.10g}, beta {:.10g}, sigma-ss {:.10g}\n",
                 release.order, release.gnss.beta, release.gnss.sigma_ss);
  return text + (notices.empty() ? "" : "\n") + notes(notices);
}

std::string epsilon_text(double epsilon) {
  const bool plain = epsilon == 0.0 || (epsilon >= 0.01 && epsilon < 1e4);
  return plain ? fixed_upwards(epsilon, 4) : digits_upwards(epsilon, 3);
}

std::string votes_line(const VotesTitle& votes, std::int64_t queries,
                       std::optional<std::int64_t> teachers, std::int64_t classes,
                       std::string_view origin) {
  const std::string how_many = teachers ? fmt::format(", {}{}", teachers_text(*teachers),
                                                      votes.teachers_said ? "" : " by the file")
                                        : "";
  return fmt::format("{}: {}{}{}, {} classes\n", votes.path, queries_text(queries), origin,
                     how_many, classes);
}

std::string notes(std::span<const Notice> notices) {
  std::string text;
  for (const Notice& notice : notices)
    text += fmt::format("note: {}\n", in_one_line(notice.message));
  return text;
}

}  // namespace pate::cli
