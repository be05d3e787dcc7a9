#include "pate/reports/report_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "pate/accounting/cost_entries.hpp"
#include "pate/base/error.hpp"
#include "pate/mechanisms/supports.hpp"

namespace pate::reports {

std::vector<CostEntry> costs_to_tell(const FieldWriter& a, const std::vector<CostEntry>& costs,
                                     std::size_t headline) {
  if (!a.is_for_everybody()) return costs;
  if (!costs[headline].releasable) throw std::logic_error("a headline that may not be published");
  std::vector<CostEntry> result;
  std::ranges::copy_if(costs, std::back_inserter(result), &CostEntry::releasable);
  return result;
}

void fields(FieldWriter& a, const CostEntry& cost) {
  a("bound", cost.bound);
  a("reading", cost.reading);
  a("direction", direction_name(cost.bound));
  a("conversion", cost.conversion);
  a("epsilon", cost.epsilon);
  a("delta", cost.delta);
  a("order", cost.order);
  if (cost.order_chosen_after) a("order_chosen_after", true);
  a.optional("sd", cost.sd);
  a.optional("lower", cost.lower);
  a.object("parts", [&](FieldWriter& parts) {
    parts.place().set_empty_object();
    for (const auto& [part, value] : cost.parts) parts(part, value);
  });
  a("data_dependent", cost.data_dependent);
  a("releasable", cost.releasable);
  a("promise", cost.promise);
}

void fields(FieldWriter& a, const Guarantee& guarantee) {
  a("holds", guarantee.holds);
  a("promise", guarantee.promise);
  if (!guarantee.formula.empty()) a("formula", guarantee.formula);
  a("protected", guarantee.protects);
  a("may_differ", guarantee.may_differ);
  a("assumes", guarantee.assumes);
  a("not_covered", guarantee.not_covered);
}

void fields(FieldWriter& a, const TrajectoryPoint& point) {
  a("queries", point.queries);
  a("answered", point.answered);
  a("epsilon", point.epsilon);
  a("order", point.order, Real{.null_is = 0.0});
}

void fields(FieldWriter& a, const Ensemble& ensemble) {
  a("name", ensemble.name);
  a("teachers", ensemble.teachers);
  a("classes", ensemble.classes);
}

void fields(FieldWriter& a, const LimitVerdict& verdict) {
  a("option", verdict.option);
  a("limit", verdict.limit);
  a("holds", verdict.holds);
}

void fields(FieldWriter& a, const TableFile& table) {
  a("path", table.path);
  a("sha256", table.sha256);
  a("read", table.read);
}

void fields(FieldWriter& a, const ReportPart& part) {
  a("path", part.path);
  a("sha256", part.sha256);
  a("schema", part.schema);
  a("mechanism", part.mechanism);
  a("queries", part.queries);
  if (!part.votes_sha256.empty()) a("votes_sha256", part.votes_sha256);
  if (!part.votes_digest.empty()) a("votes_digest", part.votes_digest);
  if (!part.is_whole) return;
  a("answered", part.answered);
  a("epsilon", part.epsilon);
  a("delta", part.delta);
  a("order", part.order);
  a("notices", part.notices);
}

void write_certificate(FieldWriter& a, Certificate certificate, const std::vector<double>& orders,
                       const ComplexOrders* complex) {
  a("certificate", certificate);
  a("orders", orders);
  if (complex == nullptr) return;
  a.object("complex_orders", [&](FieldWriter& its) {
    its("reals", complex->reals);
    its("step", complex->step);
    its("terms", complex->terms);
    its("smoothing", complex->smoothing);
  });
}

void neighbour_fields(FieldWriter& a, const Neighbours& neighbours) {
  if (neighbours.is_one_replaced()) return;
  a("neighbours", neighbours.adjacency);
  a("teachers_per_person", neighbours.teachers);
}

void neighbour_fields(FieldReader& a, Neighbours& neighbours) {
  if (!a.json().find("neighbours")) {
    // Half of it would be taken for one teacher that votes otherwise.
    if (const auto teachers = a.json().find("teachers_per_person")) {
      teachers->fail("the member neighbours beside it");
    }
    return;
  }
  a.named("neighbours", neighbours.adjacency, {Adjacency::replace, Adjacency::add_remove});
  a("teachers_per_person", neighbours.teachers, Whole{1, kMaxTeachers});
}

std::optional<TestNoise> test_noise_of(const io::JsonValue& name) {
  const std::string kind = name.text();
  if (kind == "ptr") return TestNoise::gaussian;
  if (kind == "ptr_laplace") return TestNoise::laplace;
  if (kind == "ptr_sparse") return TestNoise::sparse;
  if (kind == "ptr_sparse_gaussian") return TestNoise::sparse_gaussian;
  return std::nullopt;
}

Aggregator shape_of(const io::JsonValue& name) {
  const std::string kind = name.text();
  Aggregator aggregator;
  aggregator.interactive = kind == "interactive";
  if (kind == "confident" || kind == "interactive") {
    aggregator.selection.emplace();
    return aggregator;
  }
  for (std::size_t k = 0; k < kNoiseKinds; ++k) {
    aggregator.noisy_max = noise_of(k, 1.0);
    if (kind == aggregator.noisy_max.names().aggregator) return aggregator;
  }
  name.fail("lnmax, gnmax, one_laplace, confident or interactive");
}

// Of an aggregator with the steps that it has, its parameters.
template <class Archive>
static void parameters(Archive& a, Described<Archive, Aggregator>& aggregator) {
  if (aggregator.selection) {
    a("threshold", aggregator.selection->threshold);
    a("sigma1", aggregator.selection->sigma1);
  }
  double parameter = aggregator.noisy_max.parameter();
  a(aggregator.noisy_max.names().parameter, parameter);
  if constexpr (Archive::kReads) {
    aggregator.noisy_max = noise_of(aggregator.noisy_max.noise.index(), parameter);
  }
}

namespace {

// A stability test, which is a valid one when it has been read.
struct TestParts {
  TestNoise noise;
  double threshold = 0.0;
  double scale = 0.0;
  double delta = 0.0;
  std::int64_t max_refusals = 0;
  std::int64_t max_queries = 0;
};

}  // namespace

template <class Archive>
static void parameters(Archive& a, Described<Archive, TestParts>& test) {
  const bool is_sparse_gaussian = test.noise == TestNoise::sparse_gaussian;
  a("threshold", test.threshold);
  a(test.noise == TestNoise::gaussian || is_sparse_gaussian ? "sigma1" : "test_scale", test.scale);
  if (test.noise == TestNoise::sparse || is_sparse_gaussian) {
    a("max_refusals", test.max_refusals, Whole{1, kMaxQueries});
  }
  if (is_sparse_gaussian) a("max_queries", test.max_queries, Whole{1, kMaxQueries});
  a("query_delta", test.delta);
}

void fields(FieldWriter& a, const CostedMechanism& of) {
  const Mechanism& mechanism = of.mechanism;
  a("name", mechanism.name());
  if (const StabilityTest* const test = mechanism.ptr()) {
    parameters(a, TestParts{test->noise(), test->threshold(), test->scale(), test->delta(),
                            test->max_refusals(), test->max_queries()});
  } else {
    parameters(a, mechanism.noisy());
  }
  neighbour_fields(a, of.neighbours);
}

void fields(FieldReader& a, CostedMechanism& of) {
  const io::JsonValue name = a.json().at("name");
  TestParts test{};
  Aggregator aggregator;
  const auto noise = test_noise_of(name);
  if (noise) {
    test.noise = *noise;
    parameters(a, test);
  } else {
    aggregator = shape_of(name);
    parameters(a, aggregator);
  }
  neighbour_fields(a, of.neighbours);
  try {
    if (noise) {
      require(Asked::ptr, of.neighbours);
      of.mechanism = StabilityTest(test.noise, test.threshold, test.scale, test.delta,
                                   test.max_refusals, test.max_queries);
    } else {
      if (aggregator.noisy_max.is_of_two_classes()) require(Asked::one_noise, of.neighbours);
      of.mechanism = aggregator;
    }
  } catch (const parameter_error& error) {
    a.json().fail(fmt::format("a mechanism within its domain ({})", error.what()));
  }
}

void check_steps(const io::JsonValue& json, const MechanismCounts& steps) {
  constexpr std::array<std::string_view, 11> kKnown{
      "neighbours",         "teachers_per_person",    "threshold_checks",  "laplace_checks",
      "sparse_rounds",      "gaussian_sparse_rounds", "gaussian_maxima",   "laplace_maxima",
      "one_laplace_maxima", "sampled_queries",        "tested_pluralities"};
  for (const auto& [kind, list] : json.members()) {
    if (std::ranges::find(kKnown, kind) == kKnown.end()) {
      list.fail("steps of a kind that this version of pate knows the cost of");
    }
  }
  try {
    for (const auto& [noisy_max, count] : steps.maxima) validate(noisy_max);
    for (const auto& [sampled, count] : steps.sampled_queries) validate(sampled);
    static_cast<void>(steps.pure_epsilons());
  } catch (const parameter_error& error) {
    json.fail(fmt::format("steps whose costs are known for their neighbours ({})", error.what()));
  }
}

namespace {

// A list of noises, each with how many steps have it; `describe` writes the noise.
template <class Noise, class Describe>
void write_counted(FieldWriter& a, const char* key, const std::map<Noise, std::int64_t>& counts,
                   const Describe& describe) {
  const io::JsonWriter list = a.place().member(key);
  list.set_empty_array();
  for (const auto& [noise, count] : counts) {
    if (count <= 0) continue;
    FieldWriter step(list.element());
    describe(step, noise);
    step("count", count);
  }
}

// The same read, where there is such a list; `noise_of_step` reads the noise.
template <class Noise, class Read>
void read_counted(FieldReader& a, const char* key, std::map<Noise, std::int64_t>& counts,
                  const Read& noise_of_step, const char* not_twice) {
  const auto list = a.json().find(key);
  if (!list) return;
  for (const io::JsonValue& element : list->elements()) {
    const Noise noise = noise_of_step(element);
    const std::int64_t count = element.at("count").integer(0, kMaxQueries);
    if (!counts.emplace(noise, count).second) element.fail(not_twice);
  }
  // As they are written: what was never done is not listed.
  std::erase_if(counts, [](const auto& step) { return step.second == 0; });
}

}  // namespace

void step_list(FieldWriter& a, const char* key, const std::map<double, std::int64_t>& counts,
               const char* noise, bool required) {
  if (!required && counts.empty()) return;
  write_counted(a, key, counts, [&](FieldWriter& step, double value) { step(noise, value); });
}

void step_list(FieldReader& a, const char* key, std::map<double, std::int64_t>& counts,
               const char* noise, bool required) {
  if (!required && !a.json().find(key)) return;
  for (const io::JsonValue& element : a.json().at(key).elements()) {
    const io::JsonValue value = element.at(noise);
    if (!counts
             .emplace(value.number(kMinNoise, kMaxNoise),
                      element.at("count").integer(0, kMaxQueries))
             .second) {
      value.fail("noise that is not listed twice");
    }
  }
  // As they are written: what was never done is not listed.
  std::erase_if(counts, [](const auto& step) { return step.second == 0; });
}

void sparse_list(FieldWriter& a, const std::map<SparseRound, std::int64_t>& counts) {
  if (counts.empty()) return;
  write_counted(a, "gaussian_sparse_rounds", counts,
                [](FieldWriter& step, const SparseRound& round) {
                  step("sigma1", round.sigma);
                  step("queries", round.queries);
                });
}

void sparse_list(FieldReader& a, std::map<SparseRound, std::int64_t>& counts) {
  const auto round_of = [](const io::JsonValue& step) {
    return SparseRound{step.at("sigma1").number(kMinNoise, kMaxNoise),
                       step.at("queries").integer(1, kMaxQueries)};
  };
  read_counted(a, "gaussian_sparse_rounds", counts, round_of, "rounds that are not listed twice");
}

void sampled_list(FieldWriter& a, const std::map<SampledGaussian, std::int64_t>& counts) {
  if (counts.empty()) return;
  write_counted(a, "sampled_queries", counts,
                [](FieldWriter& step, const SampledGaussian& sampled) {
                  step(name(sampled.of), sampled.rate);
                  step("sigma2", sampled.sigma2);
                  if (sampled.has_check()) step("sigma1", sampled.sigma1);
                });
}

void sampled_list(FieldReader& a, std::map<SampledGaussian, std::int64_t>& counts) {
  const auto sampled_of = [](const io::JsonValue& step) {
    SampledGaussian sampled;
    if (step.find(name(SampleOf::records))) sampled.of = SampleOf::records;
    sampled.rate = step.at(name(sampled.of)).number(0.0, 1.0);
    sampled.sigma2 = step.at("sigma2").number(kMinNoise, kMaxNoise);
    if (const auto sigma1 = step.find("sigma1")) {
      sampled.sigma1 = sigma1->number(kMinNoise, kMaxNoise);
    }
    return sampled;
  };
  read_counted(a, "sampled_queries", counts, sampled_of, "samples that are not listed twice");
}

void delta_split(FieldWriter& a, double delta, double query_delta) {
  if (!(query_delta > 0.0)) return;
  a.object("delta_split", [&](FieldWriter& split) {
    split("queries", query_delta);
    split("conversion", OrderSearch{delta, false, query_delta}.conversion_delta());
  });
}

void curve(FieldWriter& a, const char* key, const std::vector<double>& values,
           const AtOrders& /*at*/) {
  if (!values.empty()) a(key, values);
}

void curve(FieldReader& a, const char* key, std::vector<double>& values, const AtOrders& at) {
  if (!at.required && !a.json().find(key)) return;
  a(key, values, Real{0.0, std::numeric_limits<double>::max(), kInfinity});
  if (values.size() != at.orders) {
    a.json().at(key).fail(fmt::format("{} numbers, one per order", at.orders));
  }
}

}  // namespace pate::reports
