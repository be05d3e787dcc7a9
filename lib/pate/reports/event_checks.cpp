#include "pate/reports/event_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "pate/reports/report_fields.hpp"

namespace pate::reports {

void check_table(const io::JsonValue& json, const PublicEvent& open,
                 const std::vector<QueryRow>& rows) {
  std::int64_t queries = 0;
  RealizedRun sums;
  // The likeliest of m classes has probability 1/m at least.
  const double most = std::log1p(-1.0 / static_cast<double>(open.classes)) * (1.0 - 1e-12);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const QueryRow& row = rows[i];
    const auto fail = [&](const char* key, const std::string& expected) {
      json.at(key).elements()[i].fail(expected);
    };
    if (row.count < 1) fail("count", "at least one query");
    if (!(row.log_q <= most)) {
      fail("log_q",
           fmt::format("at most {}, the largest there is with {} classes", most, open.classes));
    }
    if (row.asked > row.count) fail("asked", fmt::format("at most {}, the queries", row.count));
    if (row.answered > row.asked) {
      fail("answered", fmt::format("at most {}, the queries that were asked", row.asked));
    }
    if (i > 0 && std::pair(row.statistic, row.log_q) <=
                     std::pair(rows[i - 1].statistic, rows[i - 1].log_q)) {
      fail("log_q", "rows in order of statistic, then log_q, each once");
    }
    queries += std::min(row.count, kMaxQueries);
    sums.asked += row.asked;
    sums.answered += row.answered;
    if (queries > open.queries) break;
  }
  if (queries != open.queries) {
    json.at("count").fail(
        fmt::format("counts that add up to the {} queries of the event", open.queries));
  }
  if (open.realized && (sums.asked != open.realized->asked ||
                        (open.aggregator->refuses() && sums.answered != open.realized->answered))) {
    json.at("answered")
        .fail(fmt::format("counts that add up to the {} asked and {} answered",
                          open.realized->asked, open.realized->answered));
  }
}

void check_orders(const io::JsonValue& json, const std::vector<double>& orders) {
  if (orders.empty()) json.fail("at least one order");
  for (std::size_t k = 1; k < orders.size(); ++k) {
    if (!(orders[k] > orders[k - 1])) json.elements()[k].fail("a larger order than the one before");
  }
}

namespace {

void drop_none(MechanismCounts& steps) {
  for_each_kind([&](const auto kind) {
    std::erase_if(steps.*kind, [](const auto& step) { return step.second == 0; });
  });
}

}  // namespace

void check_steps(const io::JsonValue& json, const PublicEvent& open) {
  if (!open.steps) return;
  if (open.steps->empty() && open.queries > 0) {
    json.fail("steps of some kind, where there are queries");
  }
  if (!open.aggregator) return;
  const StabilityTest* const sparse = open.aggregator->sparse();
  if (sparse != nullptr && sparse->has_gaussian_noise() && open.queries > sparse->max_queries()) {
    json.fail(fmt::format("no more queries than end its run, {}, got {}", sparse->max_queries(),
                          open.queries));
  }
  // Limits of a run bound the answers alone. What was answered cannot be more than they allow.
  const std::int64_t least =
      open.kind == EventKind::run && open.realized ? open.realized->answered : open.queries;
  MechanismCounts expected =
      steps_of(*open.aggregator, open.neighbours(), open.queries, open.queries);
  for (auto& [noise, count] : expected.maxima) {
    const auto its = open.steps->maxima.find(noise);
    const std::int64_t told = its == open.steps->maxima.end() ? 0 : its->second;
    count = std::clamp(told, std::min(least, count), count);
  }
  MechanismCounts told = *open.steps;
  drop_none(told);
  drop_none(expected);
  if (told != expected) {
    json.fail(fmt::format("the steps that its {} queries take by its mechanism", open.queries));
  }
}

void check_kind(const io::JsonValue& json, const PublicEvent& open) {
  const auto require = [&](bool holds, const char* expected) {
    if (!holds) json.fail(fmt::format("an event of kind {} {}", name(open.kind), expected));
  };
  switch (open.kind) {
    case EventKind::run:
      require(open.steps && !open.drawn && !open.claim && !open.foreign && !open.tries,
              "with steps, and without drawn, claim, foreign and tries");
      break;
    case EventKind::release:
      require(open.steps && open.drawn && !open.claim && !open.foreign && !open.cap && !open.tries,
              "with the steps of its run and drawn, and without cap, claim, foreign and tries");
      break;
    case EventKind::majority:
      require(open.claim && !open.steps && !open.drawn && !open.foreign && !open.cap && !open.tries,
              "with a claim, and without steps, cap, drawn, foreign and tries");
      break;
    case EventKind::declared:
      require(open.claim && open.claim->count == 1 && !open.steps && !open.drawn && !open.foreign &&
                  !open.cap && !open.realized && !open.tries,
              "with a claim once, and without steps, cap, realized, drawn, foreign and tries");
      break;
    case EventKind::step:
      require((open.claim || open.foreign) && !(open.claim && open.foreign) && !open.steps &&
                  !open.drawn && !open.cap && !open.tries,
              "with either claim or foreign, and without steps, cap, drawn and tries");
      break;
    case EventKind::tuning:
      require(open.tries && !open.steps && !open.drawn && !open.claim && !open.foreign &&
                  !open.cap && !open.aggregator,
              "with tries, and without aggregator, steps, cap, drawn, claim and foreign");
  }
  require(open.source.empty() || open.kind == EventKind::step, "without source");
  if (open.foreign && (!open.foreign->orders.empty() || !open.foreign->rdp.empty())) {
    const io::JsonValue foreign = json.at("foreign");
    check_orders(foreign.at("orders"), open.foreign->orders);
    if (open.foreign->rdp.size() != open.foreign->orders.size()) {
      foreign.at("rdp").fail(
          fmt::format("{} numbers, one for each order", open.foreign->orders.size()));
    }
  }
  if (open.claim && !(open.claim->delta < 1.0))
    json.at("claim").at("delta").fail("a delta below 1");
  if (open.drawn) {
    require(open.drawn->delta < 1.0, "with a delta below 1 in drawn");
    require(open.drawn->noise.has_value() != open.origin.parameters_from_votes,
            "with noise in drawn unless its parameters were chosen from votes");
  }
}

std::string protected_word(const PublicEvent& open) {
  if (open.protects_records) return "record";
  return open.neighbours().is_one_replaced() ? "teacher" : "neighbours";
}

void check_neighbours(const io::JsonValue& json, const PublicEvent& open,
                      const std::optional<CostedMechanism>& aggregator) {
  const Neighbours its = aggregator ? aggregator->neighbours : open.neighbours();
  if (open.steps && open.steps->neighbours != its) {
    json.at("steps").fail("steps for the neighbours of the aggregator");
  }
  if (open.claim && open.claim->neighbours != its) {
    json.at("claim").fail("a claim for the neighbours of the aggregator");
  }
  const bool is_other = json.at("protects").text() == "neighbours";
  if (is_other == its.is_one_replaced()) {
    json.at("protects")
        .fail(is_other ? "neighbours in its aggregator or its steps"
                       : "no neighbours in its aggregator and its steps");
  }
}

}  // namespace pate::reports
