#include "pate/events/event_costs.hpp"

#include <algorithm>
#include <utility>

#include "pate/base/require.hpp"
#include "pate/divergence/rdp/pure_rdp.hpp"
#include "pate/events/foreign_step.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/margin.hpp"
#include "pate/release/curve/curve_release.hpp"
#include "pate/release/smooth/release_cost.hpp"

namespace pate {

namespace {

// What telling a number costs, given that its parameters were not chosen from the votes.
double cost_of_telling(const NumberNoise& drawn, double order) {
  if (drawn.method == ReleaseMethod::curve) {
    // Proportional to the order, also where no curve is made.
    const double its = cost_of_index({drawn.order, drawn.noise, drawn.beta});
    return with_margin(its * (order / drawn.order), kSumMargin);
  }
  if (drawn.method == ReleaseMethod::at_most) return pure_rdp(drawn.noise, order);
  return release_cost(order, drawn.beta * (1.0 + kReleaseMargin), drawn.noise, drawn.k);
}

template <class Of>
std::vector<double> chords(const EventCurves& curves, const std::vector<double>& of,
                           std::span<const double> orders, const Of& also) {
  std::vector<double> result;
  for (const double order : orders) {
    result.push_back(std::min(chord(curves.orders, of, order), also(order)));
  }
  return result;
}

}  // namespace

void validate(const NumberNoise& noise) {
  if (noise.method == ReleaseMethod::curve) {
    validate(CurveParameters{noise.order, noise.noise, noise.beta});
  } else if (noise.method == ReleaseMethod::at_most) {
    require_cost(noise.noise, "the epsilon of a test");
  } else {
    validate(ReleaseParameters{noise.order, noise.beta, noise.noise});
  }
}

double chord(std::span<const double> orders, std::span<const double> rdp, double order) {
  const auto above = std::ranges::lower_bound(orders, order);
  if (above == orders.end()) return kInfinity;
  const auto j = static_cast<std::size_t>(above - orders.begin());
  if (*above == order || j == 0) return rdp[j];
  const double share = (order - orders[j - 1]) / (orders[j] - orders[j - 1]);
  const double log_moment =
      (1.0 - share) * (orders[j - 1] - 1.0) * rdp[j - 1] + share * (orders[j] - 1.0) * rdp[j];
  return with_margin(log_moment / (order - 1.0), kSumMargin);
}

EventCosts::EventCosts(const Event& event, unsigned threads) : event_(event), threads_(threads) {
  if (is_tabulated()) {
    all_ = queries_of(&QueryRow::count);
    asked_ = queries_of(&QueryRow::asked);
  }
  if (!event.facts.exact.empty()) {
    mechanism_ = std::make_unique<ExactMechanism>(event.open.aggregator->noisy(),
                                                  event.open.neighbours(), event.open.teachers);
    exact_.emplace(*mechanism_, event.facts.exact, threads);
  }
  if (event.open.tries) {
    best_of_tries_.emplace(event.open.tries->number, event.open.tries->steps);
  }
}

EventCosts::Counted EventCosts::queries_of(std::int64_t QueryRow::*count) const {
  Counted result;
  QueryCounts& query_counts = result.query_counts;
  query_counts.teachers = event_.open.teachers;
  query_counts.classes = event_.open.classes;
  for (const QueryRow& row : event_.facts.table) {
    if (row.*count == 0) continue;
    query_counts.distinct.push_back({row.statistic, row.log_q, row.*count, row.answered});
    query_counts.queries += row.*count;
  }
  query_counts.run_queries = query_counts.queries;
  return result;
}

std::vector<RunCost> EventCosts::costs(Counted& of, Bound bound, std::span<const double> orders,
                                       QuerySum how) const {
  if (!of.inputs) {
    of.inputs = std::make_unique<CostInputs>(of.query_counts, *event_.open.aggregator,
                                             event_.open.neighbours(), threads_);
  }
  if (how == QuerySum::interpolated) return run_costs(*of.inputs, bound, orders, threads_);
  std::vector<RunCost> result;
  for (const double order : orders) {
    result.push_back(direct_cost(*of.inputs, bound, order, threads_));
  }
  return result;
}

double EventCosts::any_votes(double order) const {
  const PublicEvent& open = event_.open;
  double steps = kInfinity;
  if (open.kind != EventKind::release && open.steps) steps = open.steps->rdp(order).total();
  if (open.cap && order <= open.cap->order) steps = std::min(steps, open.cap->rdp);
  if (open.drawn) {
    const bool is_fixed = open.drawn->noise && !open.origin.parameters_from_votes;
    steps = is_fixed ? cost_of_telling(*open.drawn->noise, order) : kInfinity;
  }
  if (open.claim) {
    steps = static_cast<double>(open.claim->count) * pure_rdp(open.claim->epsilon, order);
  }
  if (open.foreign) steps = foreign_rdp(*open.foreign, order);
  if (best_of_tries_) steps = best_of_tries_->rdp(order);
  return steps;
}

double EventCosts::delta_apart() const {
  const PublicEvent& open = event_.open;
  double delta = open.kind != EventKind::release && open.steps ? open.steps->delta() : 0.0;
  if (open.claim && open.claim->delta > 0.0) {
    delta += static_cast<double>(open.claim->count) * open.claim->delta * (1.0 + kSumMargin);
  }
  return delta;
}

std::vector<double> EventCosts::tradeoff(std::span<const double> orders, QuerySum how) {
  const auto any = [&](double order) { return any_votes(order); };
  if (is_tabulated() && !is_sparse_vector()) {
    std::vector<double> result;
    for (const RunCost& cost : costs(all_, Bound::tradeoff, orders, how)) {
      // Without limits each query costs no more than its steps: only rounding would differ.
      const bool may_stop = event_.open.cap || event_.open.origin.limited;
      result.push_back(may_stop ? std::min(cost.joint, any(cost.order)) : cost.joint);
    }
    return result;
  }
  const auto& curves = event_.facts.curves;
  // A run that limits ended has curves of what was asked, which answers decided.
  if (curves && curves->tradeoff && !curves->tradeoff->joint.empty() &&
      !event_.open.origin.limited) {
    return chords(*curves, curves->tradeoff->joint, orders, any);
  }
  std::vector<double> result;
  for (const double order : orders) result.push_back(any(order));
  return result;
}

bool EventCosts::has_exact() const {
  const auto& curves = event_.facts.curves;
  return exact_ || (curves && curves->exact);
}

std::vector<BothDirections> EventCosts::exact(std::span<const double> orders) {
  if (exact_) return exact_->rdp(orders);
  std::vector<BothDirections> result;
  const std::vector<double> both = tradeoff(orders);
  const auto& curves = event_.facts.curves;
  for (std::size_t j = 0; j < orders.size(); ++j) {
    result.push_back({both[j], both[j]});
    if (!curves || !curves->exact) continue;
    BothDirections& its = result.back();
    its.forward = std::min(its.forward, chord(curves->orders, curves->exact->forward, orders[j]));
    its.reverse = std::min(its.reverse, chord(curves->orders, curves->exact->reverse, orders[j]));
  }
  return result;
}

bool EventCosts::has_expected(Bound bound) const {
  if (!event_.open.aggregator || event_.open.aggregator->ptr() != nullptr) return false;
  if (is_tabulated()) return true;
  const auto& curves = event_.facts.curves;
  return curves && (bound == Bound::published ? curves->published : curves->tradeoff);
}

std::vector<EventCosts::Spent> EventCosts::expected(Bound bound, std::span<const double> orders,
                                                    QuerySum how) {
  std::vector<Spent> result;
  if (is_tabulated()) {
    for (const RunCost& cost : costs(all_, bound, orders, how)) {
      result.push_back({cost.selection, cost.noisy_max_expected, cost.spent_variance});
    }
    return result;
  }
  const EventCurves& its = *event_.facts.curves;
  const RdpCurves& curves = bound == Bound::published ? *its.published : *its.tradeoff;
  for (const double order : orders) {
    const auto at = [&](const std::vector<double>& of) {
      return of.empty() ? 0.0 : chord(its.orders, of, order);
    };
    result.push_back({at(curves.selection), at(curves.noisy_max), at(curves.spent_variance)});
  }
  return result;
}

bool EventCosts::has_check() const {
  const auto& mechanism = event_.open.aggregator;
  return mechanism && mechanism->aggregator() != nullptr && mechanism->refuses();
}

bool EventCosts::tells_answers() const {
  const PublicEvent& open = event_.open;
  if (!open.realized || !has_check()) return false;
  const auto& curves = event_.facts.curves;
  return is_tabulated() ||
         (curves && curves->tradeoff && !curves->tradeoff->noisy_max_realized.empty());
}

bool EventCosts::counts_answers() const {
  const PublicEvent& open = event_.open;
  return open.happened() && open.kind == EventKind::run && open.realized && has_check();
}

double EventCosts::counted(double order) const {
  const double any = any_votes(order);
  if (!counts_answers()) return any;
  const RealizedRun& its = *event_.open.realized;
  return std::min(
      any, steps_of(*event_.open.aggregator, event_.open.neighbours(), its.asked, its.answered)
               .rdp(order)
               .total());
}

std::vector<EventCosts::Spent> EventCosts::realized(std::span<const double> orders) {
  std::vector<Spent> result;
  if (!tells_answers()) {
    const auto& curves = event_.facts.curves;
    // The one place where curves of a run with limits, of what it asked, count.
    if (!is_tabulated() && curves && curves->tradeoff && !curves->tradeoff->joint.empty()) {
      const auto any = [&](double order) { return any_votes(order); };
      for (const double cost : chords(*curves, curves->tradeoff->joint, orders, any)) {
        result.push_back({0.0, cost, 0.0});
      }
      return result;
    }
    for (const double cost : tradeoff(orders, QuerySum::direct)) result.push_back({0.0, cost, 0.0});
    return result;
  }
  if (is_tabulated()) {
    for (const RunCost& cost : costs(asked_, Bound::tradeoff, orders, QuerySum::direct)) {
      result.push_back({cost.selection, cost.noisy_max_realized, 0.0});
    }
    return result;
  }
  const EventCurves& its = *event_.facts.curves;
  for (const double order : orders) {
    result.push_back({chord(its.orders, its.tradeoff->selection, order),
                      chord(its.orders, its.tradeoff->noisy_max_realized, order), 0.0});
  }
  return result;
}

}  // namespace pate
