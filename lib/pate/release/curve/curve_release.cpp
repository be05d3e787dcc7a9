#include "pate/release/curve/curve_release.hpp"

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/divergence/complex/key_moduli.hpp"
#include "pate/numerics/margin.hpp"
#include "pate/release/curve/complex_recipe.hpp"
#include "pate/release/declared/complex_costs.hpp"

namespace pate {

namespace {

std::shared_ptr<const CostsWithinDistance> make_tables(const CurveSettings& settings,
                                                       const ProgressCallback& progress) {
  validate(settings.parameters);
  CostSpec question = settings.question;
  question.order = settings.parameters.order;
  return std::make_shared<const CostsWithinDistance>(question, settings.threads, progress);
}

}  // namespace

double cost_of_index(const CurveParameters& parameters) {
  validate(parameters);
  return with_margin(0.5 * parameters.order / DiscreteGaussian(parameters.s).variance());
}

CurveMechanism::CurveMechanism(const CurveSettings& settings, const ProgressCallback& progress)
    : CurveMechanism(settings, make_tables(settings, progress)) {}

CurveMechanism::CurveMechanism(const CurveSettings& settings,
                               std::shared_ptr<const CostsWithinDistance> costs)
    : settings_(settings), costs_(std::move(costs)) {
  validate(settings.parameters);
  settings_.question = costs_->question();
  require(settings_.question.order == settings.parameters.order,
          "the tables are not those of the order of the parameters");
  require(settings.queries >= 1 && settings.answered >= 0 && settings.answered <= settings.queries,
          "{} queries of which {} were answered cannot be released", settings.queries,
          settings.answered);
  require_cost(settings.added_rdp, "an added cost");
  if (settings.added_rdp > 0.0) added_ = units_of(settings.added_rdp, kCostMargin);
  const CostUnits most = costs_->largest(settings.queries, settings.answered);
  if (most > (CostUnits{1} << 61) - added_) {
    throw validity_error("the run may cost more than a release can count");
  }
  curve_.emplace(settings.parameters, settings.delta, most + added_, settings.threads);
}

CurvePlace CurveMechanism::place(const VoteProfile& votes) const {
  if (votes.queries != settings_.queries ||
      (settings_.question.reading == ReleasedCost::realized &&
       (!votes.has_decisions || votes.answered != settings_.answered))) {
    throw parameter_error("the votes are not those that the release was set up for");
  }
  CurvePlace place;
  place.ub = costs_->upper(votes, settings_.threads);
  for (CostUnits& cost : place.ub) cost += added_;
  place.index = curve_->index(place.ub);
  place.published = curve_->published(place.index);
  return place;
}

CurveDraw CurveMechanism::draw(const CurvePlace& place, BitSource& source) const {
  return drawn_from(*curve_, place.index, source);
}

std::shared_ptr<const CostsWithinDistance> CurveTableSource::costs(
    const CostSpec& question, unsigned threads, const ProgressCallback& progress) const {
  return std::make_shared<const CostsWithinDistance>(question, threads, progress);
}

std::vector<std::shared_ptr<const CostsWithinDistance>> CurveTableSource::costs_at(
    const CostSpec& question, std::span<const double> orders, unsigned threads,
    const ProgressCallback& progress) const {
  return CostsWithinDistance::at_orders(question, orders, threads, progress);
}

CurveRecipe CurveTableSource::recipe(const CostSpec& question, std::int64_t queries, double delta,
                                     unsigned threads, const ProgressCallback& progress) const {
  return default_parameters(question, queries, delta, threads, progress);
}

ComplexParameters CurveTableSource::complex_recipe(const CostSpec& question, std::int64_t queries,
                                                   double delta, unsigned threads,
                                                   const ProgressCallback& progress) const {
  return default_complex_parameters(question, queries, delta, *this, threads, progress);
}

std::vector<ComplexCosts> CurveTableSource::complex_costs(
    const CostSpec& question, const ComplexOrders& orders, std::span<const VoteProfile> runs,
    unsigned threads, const ProgressCallback& progress, std::size_t distances) const {
  const KeyModuli moduli(question.aggregator.noisy_max.gaussian(), question.aggregator.selection,
                         question.teachers, question.classes, orders);
  std::vector<std::vector<KeyCount>> keys;
  for (const VoteProfile& run : runs) keys.push_back(keys_of(run));
  return pate::complex_costs(moduli, keys, distances, threads, progress);
}

}  // namespace pate
