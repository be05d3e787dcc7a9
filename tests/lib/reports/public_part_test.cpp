#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pate/accounting/planning/plan.hpp"
#include "pate/base/json.hpp"
#include "pate/reports/darrm_report.hpp"
#include "pate/reports/fields.hpp"
#include "pate/reports/label_report.hpp"
#include "pate/reports/release_report.hpp"
#include "pate/reports/run_reports.hpp"
#include "support/ledger_events.hpp"
#include "support/random.hpp"

using pate::Account;
using pate::CostEntry;
using pate::Notice;
using pate::io::JsonValue;
using pate::reports::Audience;
using pate::reports::FieldWriter;
using pate::reports::ReportContext;
using pate_test::Random;

namespace {

// Whatever is private has this in it, as a text or in the digits of a number, and nothing else has.
constexpr std::string_view kSecret = "76543";

double secret(Random& random) {
  return 0.0076543 + 1e-10 * random.uniform(0.0, 1.0);
}
std::int64_t secret_count(Random& random) {
  return 7'654'300'000 + random.integer(0, 99'999);
}
std::string secret_text() {
  return fmt::format("a/path/{}", kSecret);
}
std::vector<double> secrets(Random& random) {
  std::vector<double> result(static_cast<std::size_t>(random.integer(1, 4)));
  std::ranges::generate(result, [&] { return secret(random); });
  return result;
}

CostEntry any_cost(Random& random, bool releasable) {
  CostEntry cost;
  cost.bound = releasable ? pate::Bound::data_independent : pate::Bound::tradeoff;
  cost.reading = releasable ? pate::GuaranteeKind::worst_case : pate::GuaranteeKind::joint;
  cost.epsilon = releasable ? random.uniform(1.0, 9.0) : secret(random);
  cost.delta = 1e-5;
  cost.order = random.uniform(2.0, 50.0);
  cost.parts = {{"delta", cost.epsilon}};
  cost.data_dependent = !releasable;
  cost.releasable = releasable;
  return cost;
}

std::vector<CostEntry> any_costs(Random& random) {
  std::vector<CostEntry> costs{any_cost(random, true)};
  for (std::int64_t more = random.integer(0, 5); more > 0; --more) {
    costs.push_back(any_cost(random, random.integer(0, 1) == 1));
  }
  std::shuffle(costs.begin(), costs.end(), random.engine());
  return costs;
}

template <class Of>
std::optional<Of> perhaps(Random& random, Of value) {
  return random.integer(0, 1) == 1 ? std::optional(std::move(value)) : std::nullopt;
}

pate::Aggregator any_aggregator(Random& random) {
  pate::Aggregator result{{}, {pate::GaussianNoisyMax{random.uniform(10.0, 90.0)}}};
  if (random.integer(0, 1) == 1) result.selection = {random.uniform(50.0, 90.0), 30.0};
  return result;
}

pate::ProfileCurve secret_profile(Random& random) {
  pate::ProfileCurve curve;
  curve.step = secret(random);
  curve.deltas = curve.epsilons = {secret(random)};
  curve.epsilon_at = curve.delta_at = {{{secret(random), secret(random)}, {0.0, secret(random)}}};
  return curve;
}

Account any_account(Random& random) {
  Account account;
  account.aggregator = any_aggregator(random);
  account.teachers = random.integer(10, 900);
  account.classes = random.integer(2, 90);
  account.queries = random.integer(1, 900);
  account.delta = 1e-5;
  account.answered_expected = secret(random);
  account.answered_sd = secret(random);
  account.answered_realized = perhaps(random, secret_count(random));
  account.answered_student = perhaps(random, secret(random));
  account.costs = any_costs(random);
  account.headline = static_cast<std::size_t>(random.integer(0, std::ssize(account.costs) - 1));
  account.at_cap = {{pate::Bound::published, secret(random), secret_count(random)}};
  account.steps = pate::steps_of(account.aggregator, {}, account.queries, account.queries);
  account.orders = {secret(random)};
  const pate::RdpCurves curves{{secret(random)}, {secret(random)}, {}, {}, {}};
  account.published = perhaps(random, curves);
  account.tradeoff = perhaps(random, curves);
  account.exact = perhaps(random, pate::ExactCurves{{secret(random)}, {secret(random)}});
  account.profile = perhaps(random, secret_profile(random));
  account.trajectory = {{secret_count(random), secret(random), secret(random), secret(random)}};
  account.utility = perhaps(random, pate::Utility{secret(random), secret(random)});
  pate::PerTeacher teachers;
  teachers.epsilon = secrets(random);
  teachers.quantiles.fill(secret(random));
  account.per_teacher = perhaps(random, teachers);
  account.notices = {{"looks_transposed", secret_text()}, {"ledger_total", "told"}};
  return account;
}

ReportContext secret_context(Random& random) {
  ReportContext context;
  context.version = "1.2.3";
  context.settings = {{"command", secret_text()}, {"max_epsilon", secret(random)}};
  context.inputs = {
      {"votes", secret_text(), "npy", "<i8", {secret_count(random)}, secret_text(), {}, {}, {}}};
  context.tables = {{secret_text(), secret_text(), true}};
  pate::Event event = pate::test::labelling(pate::test::event_id("x"), secret_text());
  event.facts.digests.file = event.facts.digests.counts = secret_text();
  context.record = {event};
  context.verdicts = {{"--max-epsilon", 3.0, true}};
  return context;
}

std::set<std::string> keys(const JsonValue& object) {
  std::set<std::string> result;
  for (const auto& [key, value] : object.members()) result.insert(key);
  return result;
}

bool tells_secret(const std::string& text) {
  return text.find(kSecret) != std::string::npos;
}

// The two texts of one report. What is public must tell nothing that is private, have these members
// as the whole report has them, and no others; `other` are those that are not the same in it.
void check_texts(const std::function<std::string(Audience)>& text, std::set<std::string> members,
                 const std::set<std::string>& other = {}) {
  const std::string all = text(Audience::owner);
  const std::string told = text(Audience::everybody);
  CAPTURE(told);
  REQUIRE(tells_secret(all));
  REQUIRE_FALSE(tells_secret(told));
  const JsonValue whole = JsonValue::parse(all, "all");
  const JsonValue report = JsonValue::parse(told, "told");
  CHECK(keys(report) == std::set<std::string>{"schema", "tool", "public", "notices"});
  members.insert({"verdicts", "record"});
  const JsonValue part = report.at("public");
  CHECK(keys(part) == members);
  for (const auto& [key, value] : part.members()) {
    if (key != "record" && !other.contains(key)) {
      const std::string& name = key;
      CAPTURE(name);
      CHECK(value == whole.at(key));
    }
  }
}

const std::set<std::string> kRun{"mechanism", "teachers", "classes", "queries", "delta"};

std::set<std::string> run_and(std::initializer_list<std::string> more) {
  std::set<std::string> result = kRun;
  result.insert(more);
  return result;
}

}  // namespace

TEST_SUITE_BEGIN("reports");

TEST_CASE("public part: of any description the open fields alone, with all that is in them") {
  Random random(4101);
  for (int i = 0; i < 500; ++i) {
    std::set<std::string> open_keys;
    int used = 0;
    // Fields of all forms at any depth. `open`: in an open field already.
    const std::function<void(FieldWriter&, int, bool)> describe = [&](FieldWriter& a, int depth,
                                                                      bool open) {
      for (std::int64_t n = random.integer(1, 5); n > 0; --n) {
        const bool mine = open || random.integer(0, 1) == 1;
        FieldWriter to = mine ? a.open() : a;
        const std::string key = fmt::format("k{}", used++);
        const auto inner = [&](FieldWriter& its) { describe(its, depth + 1, mine); };
        const std::int64_t form = random.integer(0, depth < 3 ? 4 : 2);
        if (form == 3) {
          if (mine) open_keys.insert(key);
          to.object(key, inner);
        } else if (form == 4) {
          open_keys.insert(key);  // may be empty
          to.mixed_object(key, inner);
        } else {
          const std::string value = mine ? "told" : secret_text();
          if (mine) open_keys.insert(key);
          if (form == 0) to(key, value);
          if (form == 1) to.optional(key, std::optional(value));
          if (form == 2) to(key, std::vector<std::string>{value, value});
        }
      }
    };
    FieldWriter report({}, Audience::everybody);
    describe(report, 0, false);
    const std::string text = report.text();
    CAPTURE(text);
    REQUIRE_FALSE(tells_secret(text));
    for (const std::string& key : open_keys) {
      REQUIRE(text.find(fmt::format("\"{}\"", key)) != std::string::npos);
    }
    std::size_t written = 0;
    for (std::size_t at = text.find("\"k"); at != std::string::npos;
         at = text.find("\"k", at + 1)) {
      ++written;
    }
    REQUIRE(written == open_keys.size());
  }
}

TEST_CASE("public part: of an analysis, and of labels, nothing that depends on the votes") {
  Random random(4102);
  for (int i = 0; i < 200; ++i) {
    const Account account = any_account(random);
    const ReportContext context = secret_context(random);
    const Account told = pate::reports::public_part(account);
    const auto its = [&](Audience audience) -> const Account& {
      return audience == Audience::owner ? account : told;
    };
    check_texts(
        [&](Audience audience) {
          return pate::reports::analyze_report_json(its(audience), context, nullptr, audience);
        },
        run_and({"guarantee", "headline", "costs", "steps"}), {"guarantee", "headline", "costs"});

    pate::LabelledQueries labelled;
    labelled.labels.assign(static_cast<std::size_t>(account.queries), 1);
    labelled.asked = account.queries;
    labelled.answered = random.integer(0, labelled.asked);
    const pate::RunLimits limits{account.queries, {}, {}};
    const pate::PrivacyFilter filter(account.aggregator, account.steps.neighbours, limits,
                                     account.delta, 8.0);
    check_texts(
        [&](Audience audience) {
          const pate::reports::LabelReport report{
              its(audience), labelled,      filter,
              limits,        secret_text(), pate::reports::LabelsFormat::npy,
              secret_text(), secret_text(), pate::ToldEpsilon{secret(random), secret(random)}};
          return pate::reports::label_report_json(report, context, audience);
        },
        run_and({"guarantee", "headline", "costs", "steps", "labels", "filter"}),
        {"guarantee", "headline", "costs", "labels"});
  }
}

TEST_CASE("public part: not how many teachers there are, where they are added or removed") {
  Account account;
  account.aggregator = pate::Aggregator{{}, {pate::GaussianNoisyMax{20.0}}};
  account.steps = pate::steps_of(account.aggregator, {pate::Adjacency::add_remove, 1}, 9, 9);
  account.teachers = 76543;
  account.classes = 3;
  account.queries = 9;
  account.delta = 1e-5;
  Random random(4104);
  account.costs = {any_cost(random, true)};
  for (const char* code : {"abstentions_class", "high_threshold", "no_ledger"}) {
    account.notices.push_back({code, code == std::string("no_ledger") ? "none" : "all 76543"});
  }
  const pate::LabelledQueries labelled{std::vector<std::int32_t>(9, 1), {}, 9, 9};
  const pate::RunLimits limits{9, {}, {}};
  const pate::PrivacyFilter filter(account.aggregator, account.steps.neighbours, limits,
                                   account.delta, 8.0);
  const auto texts = [&](const Account& of, Audience audience) {
    const pate::reports::LabelReport report{
        of, labelled, filter, limits, "labels", pate::reports::LabelsFormat::npy, "", "", {}};
    return pate::reports::analyze_report_json(of, {}, nullptr, audience) +
           pate::reports::label_report_json(report, {}, audience);
  };
  REQUIRE(tells_secret(texts(account, Audience::owner)));
  const std::string told = texts(pate::reports::public_part(account), Audience::everybody);
  CAPTURE(told);
  CHECK_FALSE(tells_secret(told));
  CHECK(told.find("no_ledger") != std::string::npos);
  // Of one that votes otherwise it is public.
  account.steps = pate::steps_of(account.aggregator, {}, 9, 9);
  CHECK(pate::reports::public_part(account).teachers == 76543);
  CHECK(pate::reports::public_part(account).notices.size() == 3);
}

TEST_CASE("public part: a sum, a plan, a private majority") {
  Random random(4103);
  for (int i = 0; i < 100; ++i) {
    ReportContext context = secret_context(random);
    pate::RecordAccount sum;
    sum.teachers = random.integer(2, 900);
    sum.classes = 10;
    sum.queries = random.integer(1, 900);
    sum.delta = 1e-5;
    sum.answered_expected = secret(random);
    sum.answered_sd = secret(random);
    sum.answered_realized = secret_count(random);
    sum.costs = any_costs(random);
    while (!sum.costs[sum.headline].releasable) ++sum.headline;
    sum.released = perhaps(random, pate::ToldEpsilon{1.5, 1e-5});
    sum.orders = sum.any_votes = sum.tradeoff = {secret(random)};
    sum.profile = perhaps(random, secret_profile(random));
    sum.trajectory = {{1, secret(random), secret(random), secret(random)}};
    auto members = run_and({"guarantee", "headline", "costs", "steps"});
    if (sum.released) members.insert("released");
    check_texts(
        [&](Audience audience) {
          return pate::reports::composed_report_json(sum, context, audience);
        },
        members, {"costs"});

    pate::PlannedRun run;
    run.sigma2 = random.uniform(30.0, 90.0);
    run.queries = random.integer(1, 900);
    const pate::Plan plan = pate::plan(run, {1e-5, {}, {}});
    check_texts(
        [&](Audience audience) {
          return pate::reports::plan_report_json(plan, context, {}, audience);
        },
        {"mechanism", "queries", "max_answers", "delta", "solved", "guarantee", "headline", "costs",
         "steps"});

    pate::MajorityPlan majority;
    majority.settings.teachers.teachers = 5;
    majority.settings.teachers.epsilon = 0.5;
    majority.gamma = {0.25, 0.5, 1.0};
    majority.compared.resize(1);
    majority.costs.resize(1);
    pate::reports::DarrmReport report{majority};
    pate::MajorityVotes votes;
    votes.queries_by_ones.assign(6, secret_count(random));
    votes.agreement = votes.agreement_sd = secret(random);
    report.votes = perhaps(random, votes);
    report.labels = {secret_text(), pate::reports::LabelsFormat::npy, secret_text()};
    report.ledger = secret_text();
    report.total = pate::ToldEpsilon{secret(random), secret(random)};
    const auto text = [&](Audience audience) {
      return pate::reports::darrm_report_json(report, context, audience);
    };
    const std::string told = text(Audience::everybody);
    REQUIRE_FALSE(tells_secret(told));
    check_texts(text, [&] {
      auto all = keys(JsonValue::parse(text(Audience::owner), "all"));
      for (const char* const key : {"schema", "tool", "settings", "inputs", "tables", "votes",
                                    "labels", "ledger", "ledger_total", "notices"}) {
        all.erase(key);
      }
      return all;
    }());
  }
}

TEST_CASE("public part: nothing is written past the description") {
  FieldWriter report({}, Audience::everybody);
  CHECK_THROWS_AS((void)report.place(), std::logic_error);
  CHECK(report.open().place().line() == "null");
}

TEST_CASE("public part: a headline that may not be published is never written") {
  Random random(4104);
  Account account = any_account(random);
  account.costs = {any_cost(random, false)};
  account.headline = 0;
  CHECK_THROWS_AS(
      (void)pate::reports::analyze_report_json(account, {}, nullptr, Audience::everybody),
      std::logic_error);
}

TEST_SUITE_END();
