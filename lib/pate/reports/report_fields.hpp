#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "pate/accounting/guarantee.hpp"
#include "pate/accounting/mechanism_counts.hpp"
#include "pate/accounting/report.hpp"
#include "pate/base/error.hpp"
#include "pate/divergence/complex/complex_orders.hpp"
#include "pate/release/declared/certificate_kind.hpp"
#include "pate/reports/fields.hpp"
#include "pate/reports/ledger.hpp"
#include "pate/reports/report_context.hpp"

// What several reports have in common.

namespace pate::reports {

void fields(FieldWriter& a, const CostEntry& cost);
void fields(FieldWriter& a, const TrajectoryPoint& point);
void fields(FieldWriter& a, const LimitVerdict& verdict);
void fields(FieldWriter& a, const TableFile& table);
void fields(FieldWriter& a, const ReportPart& part);
void fields(FieldWriter& a, const Guarantee& guarantee);
void fields(FieldWriter& a, const Ensemble& ensemble);

/// The costs of an account, a plan or a sum; for everybody those that are releasable, of which the
/// headline must be one (`std::logic_error`).
[[nodiscard]] std::vector<CostEntry> costs_to_tell(const FieldWriter& a,
                                                   const std::vector<CostEntry>& costs,
                                                   std::size_t headline);

/// The members `guarantee`, `headline` and `costs`, which may be published.
template <class Accounted>
void write_costs(const FieldWriter& a, const Accounted& accounted) {
  const auto costs = costs_to_tell(a, accounted.costs, accounted.headline);
  FieldWriter open = a.open();
  open("guarantee", guarantee_of(accounted));
  open("headline", accounted.costs[accounted.headline]);
  open("costs", costs);
}

/// Of a private test of a number that was fixed beforehand: the members `certificate`, `orders`
/// and, with complex orders, `complex_orders`.
void write_certificate(FieldWriter& a, Certificate certificate, const std::vector<double>& orders,
                       const ComplexOrders* complex);

/// The noise of the stability test that has this name; none where the name is not one of PTR.
[[nodiscard]] std::optional<TestNoise> test_noise_of(const io::JsonValue& name);

/// An aggregator with the steps that its name says, with parameters to be read. Throws
/// `input_error` for a name that is none.
[[nodiscard]] Aggregator shape_of(const io::JsonValue& name);

template <class Archive>
void fields(Archive& a, Described<Archive, Notice>& notice) {
  a("code", notice.code);
  if constexpr (std::is_same_v<Archive, FieldWriter>) {
    a("message", with_options(notice.message));
  } else {
    a("message", notice.message);
  }
}

template <class Archive>
void fields(Archive& a, Described<Archive, InputFile>& input) {
  a("path", input.path);
  a("format", input.format);
  a.optional("layout", input.layout);
  a.optional("teachers_from", input.teachers_from);
  a("dtype", input.dtype);
  a("shape", input.shape);
  a("sha256", input.sha256);
  a.optional("votes_digest", input.votes_digest);
}

/// Whose costs are asked for; left out where one teacher votes otherwise.
void neighbour_fields(FieldWriter& a, const Neighbours& neighbours);
void neighbour_fields(FieldReader& a, Neighbours& neighbours);

/// The name of the mechanism and its parameters, and the neighbours. Throws `input_error` for a
/// mechanism out of its domain.
void fields(FieldWriter& a, const CostedMechanism& of);
void fields(FieldReader& a, CostedMechanism& of);

/// Steps of one kind: [{"<noise>": 40, "count": 1000}]. One that is not required is left out where
/// there are none.
void step_list(FieldWriter& a, const char* key, const std::map<double, std::int64_t>& counts,
               const char* noise, bool required = true);
void step_list(FieldReader& a, const char* key, std::map<double, std::int64_t>& counts,
               const char* noise, bool required = true);

/// Rounds of PTR's sparse form with Gaussian noise: [{"sigma1": 20, "queries": 640, "count": 5}];
/// left out where there are none.
void sparse_list(FieldWriter& a, const std::map<SparseRound, std::int64_t>& counts);
void sparse_list(FieldReader& a, std::map<SparseRound, std::int64_t>& counts);

/// Queries of samples: [{"sample_teachers": 0.1, "sigma2": 4, "count": 1000}], or `sample_records`,
/// with `sigma1` where there is a check; left out where there are none.
void sampled_list(FieldWriter& a, const std::map<SampledGaussian, std::int64_t>& counts);
void sampled_list(FieldReader& a, std::map<SampledGaussian, std::int64_t>& counts);

/// The deltas of PTR's queries and what a conversion has; left out where they are 0.
void delta_split(FieldWriter& a, double delta, double query_delta);

/// The steps are of kinds whose costs are known for their neighbours; fails at `json`.
void check_steps(const io::JsonValue& json, const MechanismCounts& steps);

/// How many noisy steps of each kind, by their noise.
template <class Archive>
void fields(Archive& a, Described<Archive, MechanismCounts>& steps) {
  neighbour_fields(a, steps.neighbours);
  step_list(a, "threshold_checks", steps.threshold_checks, "sigma1");
  step_list(a, "laplace_checks", steps.laplace_checks, "scale", false);
  step_list(a, "sparse_rounds", steps.sparse_rounds, "scale", false);
  sparse_list(a, steps.gaussian_sparse_rounds);
  for (std::size_t kind = 0; kind < kNoiseKinds; ++kind) {
    const NoiseNames names = noise_of(kind, 1.0).names();
    std::map<double, std::int64_t> counts;
    if constexpr (!Archive::kReads) {
      for (const auto& [noise, count] : steps.maxima) {
        if (noise.noise.index() == kind) counts[noise.parameter()] = count;
      }
    }
    step_list(a, names.maxima, counts, names.parameter, names.always_listed);
    if constexpr (Archive::kReads) {
      for (const auto& [value, count] : counts) {
        steps.maxima[noise_of(kind, value)] = count;
      }
    }
  }
  sampled_list(a, steps.sampled_queries);
  step_list(a, "tested_pluralities", steps.tested_pluralities, "query_delta", false);
  if constexpr (Archive::kReads) check_steps(a.json(), steps);
}

/// The orders of a report, of which its curves have a number each.
struct AtOrders {
  std::size_t orders = 0;
  bool required = true;
};

/// A curve; an empty one is left out.
void curve(FieldWriter& a, const char* key, const std::vector<double>& values, const AtOrders& at);
void curve(FieldReader& a, const char* key, std::vector<double>& values, const AtOrders& at);

/// The curves of one bound.
template <class Archive>
void fields(Archive& a, Described<Archive, RdpCurves>& curves, std::size_t orders) {
  curve(a, "selection", curves.selection, {orders});
  curve(a, "noisy_max", curves.noisy_max, {orders});
  curve(a, "joint", curves.joint, {orders, false});
  curve(a, "noisy_max_realized", curves.noisy_max_realized, {orders, false});
  curve(a, "spent_variance", curves.spent_variance, {orders, false});
}

template <class Archive>
void fields(Archive& a, Described<Archive, ExactCurves>& curves, std::size_t orders) {
  a.object("joint", [&](auto& joint) {
    curve(joint, "forward", curves.forward, {orders});
    curve(joint, "reverse", curves.reverse, {orders});
  });
}

/// The part of a work that a report is about.
template <class Archive, class AnyShard>
void shard_fields(Archive& a, AnyShard& shard, std::int64_t most) {
  if constexpr (Archive::kReads) a("of", shard.of, Whole{1, most});
  a("index", shard.index, Whole{1, shard.of});
  if constexpr (!Archive::kReads) a("of", shard.of);
}

}  // namespace pate::reports
