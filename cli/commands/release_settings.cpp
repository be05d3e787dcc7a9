#include "cli/commands/release_settings.hpp"

#include <fmt/format.h>

#include "cli/commands/release_checks.hpp"
#include "cli/exit_status.hpp"
#include "cli/options/privacy.hpp"
#include "cli/progress.hpp"
#include "pate/release/smooth/release_cost.hpp"

namespace pate::cli {

const ReleaseTerms& terms_of(const AnySettings& settings) {
  return std::visit([](const auto& its) -> const ReleaseTerms& { return its; }, settings);
}

AnySettings make_settings(const ReleaseOptions& options,
                          const std::optional<reports::FoundParameters>& found) {
  ReleaseSettings settings = options.settings;
  settings.cost =
      options.reading == GuaranteeKind::realized ? ReleasedCost::realized : ReleasedCost::joint;
  if (options.at_most) {
    const ReleaseTerms& terms = settings;
    return AtMostSettings{terms, *options.at_most, options.cost, options.certificate};
  }
  if (method_of(options) == ReleaseMethod::curve &&
      (asks_for_complex(options) || (found && found->complex))) {
    if (found && options.certificate &&
        (*options.certificate == Certificate::complex) != found->complex.has_value()) {
      throw usage_error(fmt::format("the parameters of {} are those of a curve by {} orders",
                                    options.parameters_from, found->complex ? "complex" : "Renyi"));
    }
    check_complex_curve(options);
    const ReleaseTerms& terms = settings;
    ComplexPlanSettings complex{terms, ParameterOrigin::public_inputs, {}};
    if (options.floor) {
      complex.origin = ParameterOrigin::given;
      complex.parameters = {*options.orders_for, *options.floor, *options.s, *options.beta};
    } else if (found) {
      complex.origin = ParameterOrigin::report;
      complex.parameters = *found->complex;
    } else {
      return complex;
    }
    validate(complex.parameters);
    return complex;
  }
  if (method_of(options) == ReleaseMethod::curve) {
    const ReleaseTerms& terms = settings;  // of all settings those that any method has
    CurvePlanSettings curve{terms, options.cost, ParameterOrigin::public_inputs, {}};
    if (options.parameters_from_labels) {
      curve.origin = ParameterOrigin::released_labels;
      curve.parameters.order = *options.order;
      return curve;
    }
    if (options.order) {
      curve.origin = ParameterOrigin::given;
      curve.parameters = {*options.order, *options.s, *options.beta};
    } else if (found) {
      curve.origin = ParameterOrigin::report;
      curve.parameters = {found->order, found->noise, found->beta};
    } else {
      return curve;
    }
    validate(curve.parameters);
    return curve;
  }
  (void)safety_factor(settings.confidence, settings.delta);
  if (settings.confidence) {
    check_delta(
        1.0 - *settings.confidence, options.any_delta,
        fmt::format("--confidence {}, whose failures count as delta:", *settings.confidence));
  }
  settings.bound = options.bound == Bound::exact ? ReleasedBound::exact : ReleasedBound::tradeoff;
  if (options.order) {
    settings.parameters = ReleaseParameters{*options.order, *options.beta, *options.sigma_ss};
  } else if (found) {
    settings.parameters = ReleaseParameters{found->order, found->beta, found->noise};
  }
  if (settings.parameters) validate(*settings.parameters);
  return settings;
}

Certificate certificate_of(const ReleaseOptions& options, const Run& run) {
  if (options.certificate) return *options.certificate;
  if (options.cost || options.order || options.parameters_from_labels ||
      options.reading == GuaranteeKind::realized) {
    return Certificate::renyi;
  }
  const Aggregator& aggregator = run.aggregator.noisy();
  return default_certificate(
      joint_question(aggregator, run.neighbours, run.votes.teachers(), run.votes.classes()));
}

std::optional<Certificate> certificate_in_use(const AnySettings& settings,
                                              const ReleaseOptions& options, const Run& run) {
  if (std::holds_alternative<ComplexPlanSettings>(settings)) return Certificate::complex;
  if (std::holds_alternative<CurvePlanSettings>(settings)) return Certificate::renyi;
  if (std::holds_alternative<AtMostSettings>(settings)) return certificate_of(options, run);
  return std::nullopt;
}

ReleaseOptions in_force(ReleaseOptions options, const AnySettings& settings, const Run& run) {
  options.certificate = certificate_in_use(settings, options, run);
  if (!options.at_most) options.method = method_of(options);
  if (!options.certificate) {
    if (!options.bound) options.bound = Bound::tradeoff;
  } else if (!options.cost && options.certificate != Certificate::complex) {
    options.cost = default_cost(run.aggregator.noisy(), run.neighbours, run.votes.teachers(),
                                run.votes.classes());
  }
  if (!options.reading) options.reading = GuaranteeKind::joint;
  return options;
}

reports::AnyReleasePlan make_plan(const VoteProfile& votes, const AnySettings& settings,
                                  const reports::CurveTables& tables, const Streams& streams) {
  if (const auto* const curve = std::get_if<CurvePlanSettings>(&settings)) {
    Progress progress(streams, "computing tables");
    return curve_plan(votes, *curve, tables, progress.callback());
  }
  if (const auto* const complex = std::get_if<ComplexPlanSettings>(&settings)) {
    Progress progress(streams, "computing tables");
    return complex_plan(votes, *complex, tables, progress.callback());
  }
  if (const auto* const at_most = std::get_if<AtMostSettings>(&settings)) {
    Progress progress(streams, "computing tables");
    return at_most_plan(votes, *at_most, tables, progress.callback());
  }
  const Activity activity(streams, "computing sensitivities");
  return release_plan(votes, std::get<ReleaseSettings>(settings));
}

PublicRelease draw(const VoteProfile& votes, const AnySettings& settings,
                   const reports::AnyReleasePlan& plan, BitSource& source) {
  if (const auto* const curve = std::get_if<CurvePlan>(&plan)) {
    return public_release(votes, *curve, curve->mechanism.draw(curve->place, source));
  }
  if (const auto* const at_most = std::get_if<AtMostPlan>(&plan)) {
    return public_release(votes, *at_most, at_most->ladder().toss(at_most->level, source));
  }
  if (const auto* const complex = std::get_if<ComplexPlan>(&plan)) {
    return public_release(votes, *complex, complex->draw(source));
  }
  const auto& gnss = std::get<ReleasePlan>(plan);
  return public_release(votes, std::get<ReleaseSettings>(settings), gnss,
                        draw_released_rdp(gnss, source));
}

}  // namespace pate::cli
