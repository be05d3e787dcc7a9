#include "pate/reports/read_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <span>

#include "pate/error.hpp"
#include "pate/io/digests.hpp"
#include "pate/rdp/conversion.hpp"
#include "pate/rdp/orders.hpp"
#include "pate/reports/ledger_account.hpp"
#include "pate/reports/partials_json.hpp"
#include "pate/reports/report_fields.hpp"

namespace pate::reports {

namespace {

constexpr Whole kQueries{0, kMostQueries};
constexpr Whole kTeachers{0, kMostTeachers};
constexpr double kLeastDelta = std::numeric_limits<double>::denorm_min();

double read_delta(const io::JsonValue& json, double least) {
  const double delta = json.number();
  if (!(delta >= least && delta < 1.0)) json.fail("a number > 0 and < 1");
  return delta;
}

std::vector<double> read_orders(const io::JsonValue& json) {
  std::vector<double> orders = json.numbers(1.0, std::numeric_limits<double>::max());
  if (orders.empty()) json.fail("at least one order");
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (!(orders[i] >= kLowestOrder && orders[i] <= kHighestOrder))
      json.elements()[i].fail("an order from 1 + 1e-9 to 1e9");
    if (i > 0 && !(orders[i] > orders[i - 1]))
      json.elements()[i].fail("a larger order than the one before");
  }
  return orders;
}

// The votes of a report; of a composed one those that all its parts share.
std::optional<VotesIdentity> read_votes(const io::JsonValue& report) {
  FieldReader a(report);
  VotesIdentity votes;
  if (report.find("parts") && !report.find("teachers")) return std::nullopt;
  a("teachers", votes.teachers, kTeachers);
  a.optional("classes", votes.classes, kTeachers);
  if (const auto parts = report.find("parts")) {
    bool first = true;
    for (const io::JsonValue& part : parts->elements()) {
      const auto sha256 = part.find("votes_sha256");
      if (!sha256) continue;
      const std::string its = sha256->text();
      votes.sha256 = first || votes.sha256 == its ? its : "";
      first = false;
      if (votes.sha256.empty()) break;
    }
    return votes;
  }
  const io::JsonValue file = report.at("inputs").at("votes");
  votes.sha256 = file.at("sha256").text();
  votes.digest = file.at("votes_digest").text();
  return votes;
}

Released read_released(const io::JsonValue& json) {
  return {json.at("epsilon").number(0.0), read_delta(json.at("delta"), 0.0)};
}

// What qualifies an analysis, a run of the mechanism, or a sum, which has it written down.
Provenance read_provenance(const io::JsonValue& report, bool is_label, const Part& part) {
  Provenance result;
  if (part.mechanism == "composed") {
    const io::JsonValue provenance = report.at("provenance");
    FieldReader::read(provenance, result);
    if (result.limited && !result.fixed_order && !part.curves.empty()) {
      provenance.at("fixed_order")
          .fail("an order, since limits could stop a run (limited) that has curves");
    }
    if (result.adaptive_rounds && !result.adaptive) {
      provenance.at("adaptive").fail("true, since rounds are (adaptive_rounds)");
    }
    return result;
  }
  // Row numbers may have been picked by earlier answers, and scores learnt from them.
  result.adaptive =
      part.mechanism == "interactive" || report.at("settings").find("indices").has_value();
  if (is_label) {
    const io::JsonValue filter = report.at("filter");
    result.fixed_order = filter.at("order").number(kLowestOrder, kHighestOrder);
    result.stopped = report.at("labels").find("stopped").has_value();
    // Without a selection every query is answered: where it stops is certain before the run.
    // So are the rounds of a sparse form: what they cost at most.
    result.limited = part.steps.has_checks() && part.steps.sparse_rounds.empty() &&
                     (filter.find("max_epsilon") || filter.find("max_answers") || result.stopped);
    if (result.limited && part.orders != std::vector{*result.fixed_order}) {
      report.at("rdp").at("orders").fail(
          fmt::format("the one order that this run with limits fixed, {}", *result.fixed_order));
    }
  } else if (const auto orders = report.at("settings").find("orders");
             orders && orders->elements().size() == 1) {
    result.fixed_order = orders->elements()[0].number(kLowestOrder, kHighestOrder);
  }
  return result;
}

// Its notices, and those of the parts of a sum, each once.
std::vector<Notice> read_notices(const io::JsonValue& report) {
  std::vector<Notice> result;
  const auto read = [&](const io::JsonValue& from) {
    std::vector<Notice> its;
    FieldReader(from).optional("notices", its);
    for (Notice& notice : its) {
      if (std::ranges::find(result, notice.message, &Notice::message) == result.end()) {
        result.push_back(std::move(notice));
      }
    }
  };
  read(report);
  if (const auto parts = report.find("parts")) {
    for (const io::JsonValue& part : parts->elements()) read(part);
  }
  return result;
}

// A report that contradicts itself was not written by an analysis: of what it guarantees exact
// costs are the smallest and data-independent ones the largest. The slack is room for searches over
// orders.
constexpr double kSlack = 1.0 + 1e-6;

// The RDP of an analysis under its bounds, order by order. Not the published bound: the worst case
// of the papers is larger than ours.
void check_curves(const io::JsonValue& rdp, const Part& part) {
  const auto tradeoff = part.curves.find(Bound::tradeoff);
  for (std::size_t j = 0; j < part.orders.size(); ++j) {
    const auto check = [&](std::span<const double> curve, double larger, std::string_view its,
                           std::initializer_list<const char*> keys) {
      if (curve.empty() || curve[j] <= larger * kSlack) return;
      io::JsonValue at = rdp;
      for (const char* const key : keys) at = at.at(key);
      at.elements()[j].fail(fmt::format("at most {}, the {} RDP of this run at order {}", larger,
                                        its, part.orders[j]));
    };
    const QueryCost most = part.steps.rdp(part.orders[j]);
    double larger = most.total();
    const char* its = "data-independent";
    if (tradeoff != part.curves.end()) {
      const RdpCurves& curves = tradeoff->second;
      check(curves.selection, most.selection, its, {"tradeoff", "selection"});
      check(curves.noisy_max, most.noisy_max, its, {"tradeoff", "noisy_max"});
      check(curves.joint, larger, its, {"tradeoff", "joint"});
      if (!curves.joint.empty()) {
        larger = curves.joint[j];
        its = "tradeoff";
      }
    }
    if (!part.exact) continue;
    check(part.exact->forward, larger, its, {"exact", "joint", "forward"});
    check(part.exact->reverse, larger, its, {"exact", "joint", "reverse"});
  }
}

double read_epsilon(const io::JsonValue& cost) {
  const io::JsonValue at = cost.at("epsilon");
  return at.is_null() ? std::numeric_limits<double>::infinity() : at.number(0.0);
}

// The RDP under a bound that a cost of an analysis was converted from, order by order; none where
// the report does not tell.
std::vector<double> rdp_behind(const io::JsonValue& cost, const Part& part) {
  const auto bound = value_named<Bound>(cost.at("bound").text());
  const auto found = bound ? part.curves.find(*bound) : part.curves.end();
  if (found == part.curves.end()) return {};
  const RdpCurves& its = found->second;
  const std::string reading = cost.at("reading").text();
  if (reading == "joint") return its.joint;
  const bool is_realized = reading == "realized";
  if (is_realized && its.noisy_max_realized.empty()) return {};
  // A curve that is missing is 0: no epsilon is too small for what nothing is behind.
  std::vector<double> rdp(part.orders.size(), 0.0);
  for (const auto* curve :
       {&its.selection, is_realized ? &its.noisy_max_realized : &its.noisy_max}) {
    for (std::size_t j = 0; j < curve->size(); ++j) rdp[j] += (*curve)[j];
  }
  return rdp;
}

// The smallest epsilon over the orders, and where it is.
struct Smallest {
  double epsilon = std::numeric_limits<double>::infinity();
  double order = 0.0;
};

Smallest smallest(const std::vector<double>& rdp, const Part& part, Conversion conversion,
                  double delta) {
  Smallest result;
  for (std::size_t j = 0; j < rdp.size(); ++j) {
    const double epsilon =
        std::max(epsilon_from_rdp(conversion, rdp[j], part.orders[j], delta), 0.0);
    if (epsilon < result.epsilon) result = {epsilon, part.orders[j]};
  }
  return result;
}

// An epsilon from RDP is the smallest over the orders: the RDP of no order gives a smaller one. And
// it comes from the RDP at its own order, which lies among those of the orders around it. Exact
// curves are told where orders are given: each direction has its own smallest.
void check_orders(const io::JsonValue& report, const Part& part) {
  if (part.steps.delta() > 0.0) return;  // what is left of delta for a conversion is not told
  for (const io::JsonValue& cost : report.at("costs").elements()) {
    const std::string name = cost.at("conversion").text();
    if (name != "improved" && name != "classic") continue;
    const Conversion conversion = name == "classic" ? Conversion::classic : Conversion::improved;
    const double stated = read_epsilon(cost);
    const double delta = read_delta(cost.at("delta"), kLeastDelta);
    const auto check = [&](const Smallest& most, const Smallest& least) {
      const auto fail = [&](const char* limit, const Smallest& its) {
        cost.at("epsilon").fail(fmt::format("at {} {}, which the RDP of this report is at order {}",
                                            limit, its.epsilon, its.order));
      };
      if (!(stated <= most.epsilon * kSlack)) fail("most", most);
      if (!(stated * kSlack >= least.epsilon)) fail("least", least);
    };
    if (part.exact && value_named<Bound>(cost.at("bound").text()) == Bound::exact) {
      const Smallest forward = smallest(part.exact->forward, part, conversion, delta);
      const Smallest reverse = smallest(part.exact->reverse, part, conversion, delta);
      const Smallest& larger = reverse.epsilon > forward.epsilon ? reverse : forward;
      check(larger, larger);
      continue;
    }
    const std::vector<double> rdp = rdp_behind(cost, part);
    if (rdp.size() != part.orders.size()) continue;
    Smallest least{0.0, 0.0};
    if (const auto at = cost.find("order"); at && !at->is_null()) {
      const double order = at->number(kLowestOrder, kHighestOrder);
      const auto above = std::ranges::lower_bound(part.orders, order);
      const auto j = static_cast<std::size_t>(above - part.orders.begin());
      if (above != part.orders.end() && (*above == order || j > 0)) {
        const double its = *above == order ? rdp[j] : std::min(rdp[j - 1], rdp[j]);
        least = {std::max(epsilon_from_rdp(conversion, its, order, delta), 0.0), order};
      }
    }
    check(smallest(rdp, part, conversion, delta), least);
  }
}

// Each epsilon is at least the sum of its parts, and those that are guaranteed any lower end that
// the report knows, but of all neighbours where only the run's teachers are counted.
void check_parts(const io::JsonValue& report) {
  const std::vector<io::JsonValue> costs = report.at("costs").elements();
  const auto is_per_teacher = [](const io::JsonValue& cost) {
    return value_named<Bound>(cost.at("bound").text()) == Bound::exact_per_teacher;
  };
  double lower = 0.0;
  double teachers_lower = 0.0;
  for (const io::JsonValue& cost : costs) {
    const auto its = cost.find("lower");
    if (!its || its->is_null()) continue;
    lower = std::max(lower, its->number(0.0));
    if (is_per_teacher(cost)) teachers_lower = std::max(teachers_lower, its->number(0.0));
  }
  for (const io::JsonValue& cost : costs) {
    const double epsilon = read_epsilon(cost);
    double sum = 0.0;
    if (const auto parts = cost.find("parts")) {
      for (const auto& [name, part] : parts->members()) {
        if (!part.is_null()) sum += part.number();
      }
    }
    if (!(sum <= epsilon * kSlack)) {
      cost.at("epsilon").fail(fmt::format("at least {}, the sum of its parts", sum));
    }
    if (cost.at("reading").text() != "joint" || cost.at("direction").text() != "both") continue;
    const double least = is_per_teacher(cost) ? teachers_lower : lower;
    if (!(least <= epsilon * kSlack)) {
      cost.at("epsilon").fail(
          fmt::format("at least {}, below which no epsilon of this run is true", least));
    }
  }
}

// The epsilons that an analysis guarantees, by conversion.
void check_epsilons(const io::JsonValue& report) {
  for (const io::JsonValue& cost : report.at("costs").elements()) read_epsilon(cost);
  constexpr std::array kFromSmallest{"exact", "tradeoff", "data_independent"};
  for (const char* const conversion : {"improved", "classic"}) {
    std::optional<double> below;
    std::string_view its;
    for (const char* const bound : kFromSmallest) {
      for (const io::JsonValue& cost : report.at("costs").elements()) {
        if (cost.at("bound").text() != bound || cost.at("conversion").text() != conversion)
          continue;
        const std::string reading = cost.at("reading").text();
        if (reading != "joint" && reading != "worst_case") continue;
        const double epsilon = read_epsilon(cost);
        if (below && !(*below <= epsilon * kSlack)) {
          cost.at("epsilon").fail(
              fmt::format("at least {}, the {} epsilon of this run", *below, its));
        }
        below = epsilon;
        its = bound;
      }
    }
  }
}

void read_profiled(const io::JsonValue& json, const VotesIdentity& votes, ProfiledQueries& its) {
  FieldReader a(json);
  a("mechanism", its.aggregator);
  a("queries", its.queries, kQueries);
  ExactPartials partials;
  fields(a, partials, ShardSize{votes.teachers, votes.classes, its.queries});
  its.distinct = std::move(partials.distinct);
}

// What an analysis, or a run of the mechanism, says beyond a plan.
void read_run(const io::JsonValue& report, bool is_label, Part& part) {
  part.votes = read_votes(report);
  FieldReader a(report);
  a.object("answered", [&](FieldReader& answered) {
    answered.optional("expected", part.answered_expected, Real{0.0});
    answered.optional("sd", part.answered_sd, Real{0.0});
    answered.optional("realized", part.answered_realized, kQueries);
  });
  const io::JsonValue rdp = report.at("rdp");
  part.orders = read_orders(rdp.at("orders"));
  for (const auto& [key, value] : rdp.members()) {
    if (key == "orders") continue;
    if (key == "exact") {
      FieldReader::read(value, part.exact.emplace(), part.orders.size());
      continue;
    }
    const auto bound = value_named<Bound>(key);
    // Exact curves are read above; the others have no such name in a report.
    if (!bound || (*bound != Bound::tradeoff && *bound != Bound::published))
      value.fail("the curves of a bound that this version knows");
    FieldReader::read(value, part.curves[*bound], part.orders.size());
  }
  if (const auto queries = report.find("exact_queries")) {
    if (!part.votes) queries->fail("a report with votes");
    for (const io::JsonValue& element : queries->elements()) {
      read_profiled(element, *part.votes, part.profiled.emplace_back());
    }
  }
  if (const auto released = report.find("released")) {
    part.released = read_released(*released);
    // The report's delta is the sum; its settings tell at which the rest was converted.
    const auto delta = report.at("settings").find("delta");
    part.delta = delta ? std::optional(read_delta(*delta, kLeastDelta)) : std::nullopt;
  }
  part.provenance = read_provenance(report, is_label, part);
  // What a run of the mechanism took is known after its answers, and so are sums of such runs.
  if (is_label || part.mechanism == "composed") return;
  check_curves(rdp, part);
  check_epsilons(report);
  check_orders(report, part);
  check_parts(report);
}

// What a composed report says of a part besides where it is.
void describe(const Part& part, ReportPart& named) {
  named.answered = part.answered_expected;
  if (part.answered_realized) named.answered = static_cast<double>(*part.answered_realized);
  named.provenance = part.provenance;
}

// A part that is counted by what was published of it.
Part read_release(const io::JsonValue& report) {
  if (const auto valid = report.find("valid"); valid && !valid->boolean()) {
    valid->fail("a release that is valid");
  }
  const auto published = report.find("public");
  if (!published)
    report.fail("a release that was made; this report is of a dry run, without public");
  Part part;
  part.name = report.file();
  FieldReader a(*published);
  part.mechanism = published->at("mechanism").at("name").text();
  a("queries", part.queries, kQueries);
  a.optional("answered", part.answered_realized, Whole{0, part.queries});
  part.released = read_released(*published);
  FieldReader its(*published);
  parameters(its, part.provenance.parameters_chosen);
  its.optional("confidence", part.provenance.confidence, Real{0.0, 1.0});
  if (published->find("teachers")) {
    part.votes.emplace();
    a("teachers", part.votes->teachers, kTeachers);
    a("classes", part.votes->classes, kTeachers);
    const auto inputs = report.find("inputs");
    if (const auto votes = inputs ? inputs->find("votes") : std::nullopt) {
      part.votes->sha256 = votes->at("sha256").text();
      part.votes->digest = votes->at("votes_digest").text();
    }
  }
  return part;
}

// Answers of a private majority: of teachers that promise nothing they cost what one teacher's
// votes cost, of others what one record does. Those of teachers that were trained once do not
// compose.
Part read_majority(const io::JsonValue& report) {
  const io::JsonValue setting = report.at("setting");
  const bool fresh = setting.text() == "independent_fresh";
  if (!fresh && setting.text() != "non_private") {
    setting.fail(
        "independent_fresh or non_private: where teachers that were trained once answer again, "
        "costs do not add up; run pate darrm on all of their queries together");
  }
  Part part;
  if (fresh) part.provenance.records = true;
  part.name = report.file();
  part.mechanism = "darrm";
  part.released = read_released(report.at("headline"));
  FieldReader a(report);
  a("queries", part.queries, kQueries);
  part.answered_realized = part.queries;
  part.votes.emplace();
  part.votes->teachers = report.at("teachers").at("count").integer(1, kMostTeachers);
  part.votes->classes = 2;
  const auto inputs = report.find("inputs");
  if (const auto votes = inputs ? inputs->find("votes") : std::nullopt) {
    part.votes->sha256 = votes->at("sha256").text();
    part.votes->digest = votes->at("votes_digest").text();
  }
  return part;
}

// The steps of a recorded run without a selection, which answers every query it asks: how many
// these are was certain from its settings, whatever the answers. None for other entries; where
// answers decide what a run costs, its released epsilon is what holds.
std::optional<StepCounts> certain_steps(const io::JsonValue& released) {
  if (!released.find("steps") || !released.find("asked")) return std::nullopt;
  FieldReader a(released);
  StepCounts certain;
  a("steps", certain);
  if (certain.has_checks()) return std::nullopt;
  std::int64_t count = 0;
  a("asked", count, kQueries);
  for (auto& step : certain.maxima) step.second = std::min(step.second, count);
  return certain;
}

}  // namespace

Part read_part(const io::JsonValue& report) {
  const io::JsonValue schema = report.at("schema");
  const std::string kind = schema.text();
  if (report.find("shard")) {
    report.at("shard").fail("a whole run: compose the shards of a run by themselves first");
  }
  if (kind == "pate/release/v1") return read_release(report);
  if (report.find("public") && !report.find("headline")) {
    throw input_error(fmt::format(
        "{}: expected a whole report, found one of only what may be published", report.file()));
  }
  if (kind == "pate/darrm/v1") return read_majority(report);
  const bool is_label = kind == "pate/label/v1";
  const bool is_run = is_label || kind == "pate/analyze/v1";
  if (!is_run && kind != "pate/plan/v1") {
    schema.fail("pate/analyze/v1, pate/label/v1, pate/plan/v1, pate/release/v1 or pate/darrm/v1");
  }
  Part part;
  part.name = report.file();
  part.mechanism = report.at("mechanism").at("name").text();
  part.delta = read_delta(report.at("delta"), part.mechanism == "composed" ? 0.0 : kLeastDelta);
  FieldReader a(report);
  a("steps", part.steps);
  if (is_run) read_run(report, is_label, part);
  a("queries", part.queries, kQueries);
  return part;
}

bool is_ledger(std::string_view text) {
  return text.substr(0, text.find('\n')).find("\"pate/ledger/v") != std::string_view::npos;
}

std::vector<std::pair<Part, ReportPart>> read_ledger_parts(std::string_view text,
                                                           const std::string& file) {
  std::vector<std::pair<Part, ReportPart>> result;
  const std::string sha256 = io::sha256_hex(std::as_bytes(std::span(text.data(), text.size())));
  const std::vector<LedgerEntry> entries = parse_ledger(text, file).entries;
  const LedgerTotal total = ledger_total(entries, file);
  for (const LedgerGroup& group : total.groups) {
    // The last speaks for all that are about the same answers.
    const LedgerEntry& entry = entries[group.entries.back()];
    const bool is_release = entry.kind == "release";
    const std::string name = fmt::format("{}: line {}", file, entry.line);
    const io::JsonValue released = entry.released.as_document(name + ": released");
    FieldReader a(released);
    Part part;
    part.name = name;
    if (const auto steps = certain_steps(released)) {
      part.steps = *steps;
      part.delta = read_delta(released.at("delta"), kLeastDelta);
    } else {
      part.released = Released{group.epsilon, group.delta};
    }
    if (is_release) {
      part.provenance.parameters_chosen = group.chosen_from_votes;
      FieldReader(entry.settings).optional("confidence", part.provenance.confidence);
    }
    const io::JsonValue& described = is_release ? entry.settings : released;
    const auto mechanism = described.find("mechanism");
    part.mechanism = mechanism ? mechanism->at("name").text() : entry.kind;
    a.optional("queries", part.queries, kQueries);
    a.optional("answered", part.answered_realized, kQueries);
    part.votes = VotesIdentity{entry.ensemble.teachers, entry.ensemble.classes, "",
                               entry.votes_digest, sha256};
    ReportPart named{file,         sha256, "pate/ledger/v2",  part.mechanism,
                     part.queries, "",     entry.votes_digest};
    describe(part, named);
    named.epsilon = group.epsilon;
    named.delta = group.delta;
    FieldReader(described).optional("order", named.order);
    result.emplace_back(std::move(part), std::move(named));
  }
  return result;
}

ReportPart report_part(const io::JsonValue& report, const Part& part) {
  ReportPart named{report.file(),
                   report.sha256(),
                   report.at("schema").text(),
                   part.mechanism,
                   part.queries,
                   part.votes ? part.votes->sha256 : "",
                   part.votes ? part.votes->digest : ""};
  describe(part, named);
  const auto published = report.find("public");
  FieldReader headline(published ? *published : report.at("headline"));
  headline.optional("epsilon", named.epsilon, Real{0.0});
  headline.optional("delta", named.delta, Real{0.0, 1.0});
  headline.optional("order", named.order, Real{1.0});
  named.notices = read_notices(report);
  return named;
}

}  // namespace pate::reports
