#include "cli/commands/release_checks.hpp"

#include <fmt/format.h>

#include "cli/exit_status.hpp"
#include "cli/options/exclusions.hpp"
#include "cli/options/privacy.hpp"

namespace pate::cli {

namespace {

// An option of the other method would be ignored.
void check_method(const ReleaseOptions& options) {
  const auto goes_with = [&](ReleaseMethod method, bool given, const char* option) {
    if (!given || (!options.as_published && method_of(options) == method)) return;
    throw usage_error(fmt::format("{} goes with --method {}", option, name(method)));
  };
  goes_with(ReleaseMethod::curve, options.s.has_value(), "--s");
  goes_with(ReleaseMethod::curve, options.cost.has_value(), "--cost");
  goes_with(ReleaseMethod::curve, options.orders_for.has_value(), "--orders-for");
  goes_with(ReleaseMethod::curve, options.floor.has_value(), "--floor");
  if (!options.at_most) {
    goes_with(ReleaseMethod::curve, options.certificate.has_value(), "--certificate");
  }
  goes_with(ReleaseMethod::curve, options.parameters_from_labels, "--parameters-from-labels");
  goes_with(ReleaseMethod::curve, !options.tables.empty(), "--tables");
  if (options.as_published) {
    if (options.method) throw usage_error("--as-published excludes --method: it is one itself");
    return;
  }
  goes_with(ReleaseMethod::gnss, options.sigma_ss.has_value(), "--sigma-ss");
  goes_with(ReleaseMethod::gnss, options.settings.confidence.has_value(), "--confidence");
  goes_with(ReleaseMethod::gnss, options.bound.has_value(), "--bound");
  goes_with(ReleaseMethod::gnss, options.other_teachers, "--other-teachers");
}

// Parameters come whole, and from one place.
void check_parameters(const ReleaseOptions& options) {
  if (asks_for_complex(options) && !options.at_most) return check_complex_curve(options);
  const bool is_curve = method_of(options) == ReleaseMethod::curve;
  const char* const words = is_curve ? "--order, --s and --beta" : "--order, --beta and --sigma-ss";
  if (options.parameters_from_labels) {
    refuse(options.s || options.beta || !options.parameters_from.empty(),
           "--parameters-from-labels finds s and beta: it goes with --order alone, and excludes "
           "--parameters-from");
    refuse(!options.order,
           "--parameters-from-labels needs --order, fixed before the labels were seen");
    refuse(options.input.decisions.empty(),
           "--parameters-from-labels needs --decisions: which queries the run answered");
    return;
  }
  const bool has_noise = is_curve ? options.s.has_value() : options.sigma_ss.has_value();
  const bool given = options.order || options.beta || has_noise;
  if (given && !(options.order && options.beta && has_noise)) {
    const bool may_be_complex =
        is_curve && !options.order && options.certificate != Certificate::renyi;
    throw usage_error(fmt::format("{} go together: add {}", words,
                                  may_be_complex
                                      ? "--order, or --orders-for and --floor of a curve by "
                                        "complex orders"
                                  : !options.order ? "--order"
                                  : !options.beta  ? "--beta"
                                  : is_curve       ? "--s"
                                                   : "--sigma-ss"));
  }
  refuse(given && !options.parameters_from.empty(), "--parameters-from excludes {}", words);
  refuse(options.other_teachers && options.parameters_from.empty(),
         "--other-teachers is about the votes behind --parameters-from FILE");
}

// A claim is fixed beforehand, and so is all that decides whether it passes.
void check_at_most(const ReleaseOptions& options) {
  const Exclusions excludes("--at-most");
  excludes(options.method.has_value(), "--method: it is one itself");
  excludes(options.as_published, "--as-published");
  excludes(options.order || options.s || options.beta || options.sigma_ss || options.orders_for ||
               options.floor,
           "--order, --orders-for, --floor, --s, --beta and --sigma-ss: its orders follow from the "
           "claim");
  excludes(!options.parameters_from.empty() || options.parameters_from_labels,
           "--parameters-from and --parameters-from-labels");
  excludes(options.settings.confidence.has_value(), "--confidence");
  excludes(options.bound.has_value(), "--bound; --cost names what is counted");
  excludes(options.cost && options.certificate == Certificate::complex,
           "--cost with --certificate complex: it is one at Renyi orders");
  excludes(options.other_teachers, "--other-teachers");
  excludes(!options.input.decisions.empty() || options.reading == GuaranteeKind::realized,
           "--decisions and --reading realized: it counts every query of a list fixed beforehand");
  excludes(options.again, "--again: a second test about the same teachers costs another epsilon");
}

}  // namespace

ReleaseMethod method_of(const ReleaseOptions& options) {
  return options.method.value_or(ReleaseMethod::curve);
}

bool asks_for_complex(const ReleaseOptions& options) {
  return options.certificate == Certificate::complex || options.orders_for || options.floor;
}

// A curve by complex orders is of a list that was fixed beforehand, and has no Renyi order.
void check_complex_curve(const ReleaseOptions& options) {
  refuse(options.certificate == Certificate::renyi,
         "--orders-for and --floor are of a curve by complex orders, and exclude --certificate "
         "renyi");
  const auto excludes = [](bool given, const char* option) {
    if (!given) return;
    throw usage_error(fmt::format(
        "a curve by complex orders excludes {}: it goes with --certificate renyi", option));
  };
  excludes(options.order.has_value(), "--order");
  excludes(options.cost.has_value(), "--cost");
  excludes(options.parameters_from_labels, "--parameters-from-labels");
  excludes(options.reading == GuaranteeKind::realized, "--reading realized");
  const bool all = options.orders_for && options.floor && options.s && options.beta;
  const bool any = options.orders_for || options.floor || options.s || options.beta;
  refuse(any && !all, "--orders-for, --floor, --s and --beta go together: add {}",
         !options.orders_for ? "--orders-for"
         : !options.floor    ? "--floor"
         : !options.s        ? "--s"
                             : "--beta");
  refuse(any && !options.parameters_from.empty(),
         "--parameters-from excludes --orders-for, --floor, --s and --beta");
}

void check_release_options(const ReleaseOptions& options) {
  refuse(options.dry_run && options.output.public_only,
         "--dry-run draws nothing, so --public-only would print nothing");
  check_delta(options.settings.delta, options.any_delta);
  if (options.rows_from_answers) {
    throw usage_error(
        "where queries follow answers a number for these votes promises nothing: publish what any "
        "votes cost, the headline of 'pate analyze --queries-follow answers'");
  }
  require_rows_from(options.input, false);
  if (!options.dry_run) {
    refuse_share_as_votes(options.mechanism);
    refuse_little_noise(options.mechanism, options.input.accepted);
  }
  if (options.at_most) check_at_most(options);
  refuse(!options.as_published && (options.sensitivity_curve || options.bound == Bound::published),
         "{} goes with --as-published",
         options.sensitivity_curve ? "--sensitivity-curve" : "--bound published");
  check_method(options);
  if (options.as_published) {
    refuse(
        !options.dry_run,
        "--as-published needs --dry-run: the published procedure under-reports, so that nothing is "
        "drawn from it");
    refuse(
        options.bound == Bound::exact || options.bound == Bound::tradeoff ||
            options.reading == GuaranteeKind::joint || options.settings.confidence ||
            options.require_releasable || !options.ledger.empty() ||
            !options.parameters_from.empty(),
        "--as-published has the bound published and the readings expected and realized, and goes "
        "with --order, --beta and --sigma-ss only");
    return;
  }
  check_parameters(options);
  refuse(options.reading == GuaranteeKind::realized && options.input.decisions.empty(),
         "--reading realized needs --decisions: which queries the run answered");
  refuse(options.reading == GuaranteeKind::expected,
         "--reading expected goes with --as-published: an expectation is no guarantee");
  check_ensemble(options.ensemble, options.ledger, options.access);
  refuse(options.again && options.ledger.empty(),
         "--again needs --ledger FILE: what was released before");
}

}  // namespace pate::cli
