#include "cli/html/at_a_glance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "pate/numerics/rounded_decimal.hpp"
#include "pate/reports/doubts.hpp"
#include "pate/reports/publishable.hpp"
#include "pate/reports/read_report.hpp"
#include "pate/reports/results_table.hpp"

namespace pate::cli {

using io::JsonType;
using io::JsonValue;

namespace {

constexpr const char* kMay = "<span class=\"yes\">may be published</span>";
constexpr const char* kPromisesNothing =
    "<span class=\"no\">promises nothing: not to be published as a guarantee</span>";
constexpr const char* kMayNot = "<span class=\"no\">private: must not be published</span>";

constexpr std::array<std::pair<std::string_view, const char*>, 14> kDone{{
    {"analyze", "The cost of noisy answers of an ensemble was computed."},
    {"label", "An ensemble answered queries with noise, and the answers were written down."},
    {"plan", "A run of an ensemble was planned; no votes were looked at."},
    {"release", "A number that bounds the cost of such a run was drawn, to be published."},
    {"account", "The costs of everything in a ledger were added up."},
    {"compose", "The costs of runs were added up."},
    {"darrm", "Answers by the majority of teachers that are private themselves were planned."},
    {"tune", "Parameters were looked for on votes. Nothing was published by that."},
    {"private_search", "Parameters were tried on votes; the labels of the best were written down."},
    {"rounds", "Parameters of two rounds were looked for. Nothing was published by that."},
    {"inspect", "A file of votes was described."},
    {"explain", "The cost of single queries was explained."},
    {"multilabel", "What queries with several labels cost was computed."},
    {"nzc", "A claim of others about their mechanism was checked."},
}};

// A number of something, of a report or of its public part: " 200 queries."
std::string count_of(const JsonValue& body, const char* key, const char* one, const char* many) {
  auto value = body.find(key);
  if (const auto part = body.find("public"); !value && part) value = part->find(key);
  if (!value) return {};
  const auto number = value->type() == JsonType::object ? value->find("count") : value;
  if (!number || number->type() != JsonType::whole) return {};
  return fmt::format(" {} {}.", number->dump(), number->integer() == 1 ? one : many);
}

// How many queries there were, and how many of them were asked: a run may stop at a limit.
std::string queries_of(const JsonValue& body) {
  std::string all = count_of(body, "queries", "query", "queries");
  const auto asked = reports::labels_count(body, "asked");
  if (!asked || all.empty() || all.starts_with(fmt::format(" {} ", *asked))) return all;
  return fmt::format("{} {} of them {} asked.", all, *asked, *asked == 1 ? "was" : "were");
}

// What was done, with what, by which version.
std::string what_was_done(const JsonValue& report, const JsonValue& body, const std::string& kind) {
  std::string done;
  for (const auto& [command, sentence] : kDone) {
    if (command == kind) done = sentence;
  }
  if (kind == "darrm" && body.find("votes")) {
    done = "Answers by the majority of teachers that are private themselves were drawn.";
  }
  const bool is_labelled = body.find("labels") || report.find("public");
  if (kind == "label" && body.find("declared") && !is_labelled) {
    done =
        "A run under a budget that is declared beforehand was rehearsed: no noise was drawn, "
        "nothing was answered and no answers were written down. The run itself would be so:";
  } else if (kind == "label" && body.find("declared")) {
    done += " Before anybody looked at their votes, the cost had been declared.";
  }
  if (kind == "release" && !report.find("public")) {
    done = "A release was rehearsed: no number was drawn, and none was published.";
  } else if (kind == "release" && reports::why_not_to_publish(report.at("public"))) {
    done = "A number was drawn that cannot be published: its parameters were chosen from votes.";
  }
  done += count_of(body, "teachers", "teacher", "teachers");
  done += queries_of(body);
  const auto part = body.find("public");
  std::string mechanism = reports::mechanism_text(body);
  if (mechanism.empty() && part) mechanism = reports::mechanism_text(*part);
  if (!mechanism.empty()) done += fmt::format(" Mechanism: {}.", escaped(mechanism));
  if (const auto tool = report.find("tool")) {
    done += fmt::format(" By {} {}.", escaped(tool->at("name").text()),
                        escaped(tool->at("version").text()));
  }
  return done;
}

void add_answer(Html& page, const char* question, const std::string& answer) {
  page.add("<dt>{}</dt><dd>{}</dd>", question, answer);
}

// The day that a person stated, else those of the entries of a ledger; other reports have no day of
// their own, so that the same run gives the same report.
std::string when(const JsonValue& body, const PageHeading& heading) {
  if (!heading.date.empty()) return escaped(heading.date) + ".";
  std::vector<std::string> days;
  if (const auto entries = body.find("entries"); entries && entries->type() == JsonType::array) {
    for (const JsonValue& entry : entries->elements()) {
      const auto time = entry.find("time");
      if (time && time->type() == JsonType::text) days.push_back(time->text().substr(0, 10));
    }
  }
  if (!days.empty()) {
    const auto [first, last] = std::ranges::minmax(days);
    return first == last ? escaped(first) + "."
                         : fmt::format("From {} to {}.", escaped(first), escaped(last));
  }
  if (heading.made_on.empty()) return "The report does not say.";
  return fmt::format("The report does not say; this page was made on {}.",
                     escaped(heading.made_on));
}

// The success of an attacker who must tell two data sets apart, as likely as each other: at most
// (e^epsilon + delta) / (e^epsilon + 1).
double attackers_success(double epsilon, double delta) {
  const double none = std::exp(-epsilon);
  const double share = (1.0 + delta * none) / (1.0 + none);
  if (epsilon == 0.0 && delta == 0.0) return share;
  // Each of these steps is within a unit in the last place.
  return std::min(1.0, share * (1.0 + 8.0 * std::numeric_limits<double>::epsilon()));
}

std::string percent_up(double share) {
  return fixed_upwards(std::min(100.0, 100.0 * share), 2) + " %";
}

// Of a number that was drawn the promise is one of what came out, and no more.
std::string how_much(const JsonValue& entry) {
  const double epsilon = entry.at("epsilon").number();
  const double delta = entry.at("delta").number();
  const std::string odds = odds_upwards(epsilon);
  const std::string but = delta > 0.0 ? ", but for " + rounded_up(delta) + " in probability" : "";
  if (entry.find("method") || reports::promise_of(entry) == Promise::outcome) {
    return fmt::format(
        "Had one of them been different, what came out would still have come out with at least one "
        "part in {} of the probability that it had{}.",
        odds, but);
  }
  return fmt::format(
      "Whatever anybody concludes becomes at most {} times as likely through one of them{}. "
      "Whoever "
      "had to tell from what came out which of two possible data sets it was would be right at "
      "most {} of the time, where guessing is right 50 % of it.",
      odds, but, percent_up(attackers_success(epsilon, delta)));
}

std::string epsilon_and_delta(const JsonValue& its) {
  return fmt::format("<strong>epsilon = {} at delta = {}</strong>",
                     rounded_up(its.at("epsilon").number()), rounded_up(its.at("delta").number()));
}

// What everybody's runs cost together, of which a report under a ledger is one.
std::string with_the_ledger(const JsonValue& report) {
  const auto all = report.find("ledger_total");
  if (!all) return {};
  const bool is_none = reports::promise_of(*all) == Promise::none;
  return fmt::format(" That is this run alone: all that its ledger has costs {}{}.",
                     epsilon_and_delta(*all), is_none ? ", which promises nothing" : "");
}

// Whether the number may be printed, and what may be where it may not.
std::string may_it_be_printed(const std::optional<reports::HeadlineNumber>& number, bool holds,
                              const JsonValue& report) {
  if (number && number->may_publish) {
    const char* const yes = reports::is_headline_confirmed(report)
                                ? "Yes, this number with the words below."
                                : "Yes, this number as reported, with the words below: its record "
                                  "does not give it again.";
    return holds ? yes + with_the_ledger(report) : "No: nothing is promised of it.";
  }
  if (!number) {
    return reports::has_private_part(report) ? "No: all of this report depends on private votes."
                                             : "This report has no such number.";
  }
  const std::string no = "No: it depends on private votes.";
  for (const JsonValue& cost : reports::publishable_costs(report)) {
    if (reports::promise_of(cost) != Promise::fixed) continue;
    return no +
           fmt::format(" This may be printed instead, for it holds whatever the votes are: {}.{}",
                       epsilon_and_delta(cost), with_the_ledger(report));
  }
  return no + (report.find("public") ? " What may be printed instead is said below."
                                     : " Nothing else of this report may be printed either.");
}

// A number that was drawn promises what its whole statement says.
std::string words_to_print(const JsonValue& body, const JsonValue& guarantee) {
  const auto part = body.find("public");
  const auto statement = part ? part->find("statement") : body.find("statement");
  if (statement && statement->type() == JsonType::text) return statement->text();
  return guarantee.at("promise").text();
}

}  // namespace

void add_heading(Html& page, const PageHeading& heading) {
  page.add("<dl class=\"heading\">");
  for (const auto& [title, text] :
       {std::pair("Controller", heading.controller), std::pair("Purpose", heading.purpose),
        std::pair("Model", heading.model), std::pair("Date", heading.date),
        std::pair("Signature", std::string())}) {
    page.add("<dt>{}</dt><dd>{}</dd>", title,
             text.empty() ? "<span class=\"line\">&nbsp;</span>" : escaped(text));
  }
  page.add("</dl>");
}

void add_at_a_glance(Html& page, const JsonValue& report, const JsonValue& body,
                     const std::string& kind, const PageHeading& heading) {
  page.add("<div class=\"box\">");
  const auto number = reports::headline_number(body);
  const auto guarantee = body.find("guarantee");
  const bool holds = guarantee && guarantee->at("holds").boolean();
  const bool may = number && number->may_publish;
  if (number) {
    page.add("<p class=\"number\">epsilon = {} at delta = {}</p><p>{}</p>",
             rounded_up(number->entry.at("epsilon").number()),
             rounded_up(number->entry.at("delta").number()),
             !may                  ? kMayNot
             : guarantee && !holds ? kPromisesNothing
                                   : kMay);
  }
  page.add("<dl>");
  add_answer(page, "May it be printed", may_it_be_printed(number, holds || !guarantee, body));
  if (guarantee) {
    std::string whom = guarantee->at("protected").text();
    const bool teacher = whom.starts_with("one teacher");
    if (!whom.empty() && whom.front() >= 'a' && whom.front() <= 'z') {
      whom.front() = static_cast<char>(whom.front() - 'a' + 'A');
    }
    add_answer(page, "Who is protected",
               escaped(whom) + "." +
                   (teacher ? " A person whose data several teachers saw is not protected by this "
                              "number."
                            : ""));
  }
  add_answer(page, "How much",
             number && holds ? how_much(number->entry) : "Nothing is promised by this report.");
  for (const Notice& doubt : reports::doubts_about_votes(report)) {
    add_answer(page, "In doubt", escaped(doubt.message) + ".");
  }
  if (const std::string done = what_was_done(report, body, kind); !done.empty()) {
    add_answer(page, "What was done", done);
  }
  add_answer(page, "When", when(body, heading));
  if (may && holds) {
    add_answer(page, "Words to print", "<q>" + escaped(words_to_print(body, *guarantee)) + "</q>");
  }
  page.add("</dl></div>");
}

void add_meaning(Html& page) {
  page.add(
      "<section>\n<h2>What the numbers mean</h2>\n<p><strong>epsilon</strong> bounds how much more "
      "likely any conclusion becomes through the data of one who is protected: by a factor of e to "
      "the epsilon, but for <strong>delta</strong> in probability. Smaller is better, and 0 would "
      "tell nothing. An attacker who must say which of two possible data sets was used, each as "
      "likely as the other before, is right at most so often:</p>");
  page.add(
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"What epsilon "
      "means\"><table>\n<thead><tr><th scope=\"col\" class=\"right\">epsilon</th><th scope=\"col\" "
      "class=\"right\">as likely, at most</th><th scope=\"col\" class=\"right\">attacker is right, "
      "at "
      "most</th></tr></thead>\n<tbody>");
  for (const double epsilon : {0.5, 1.0, 2.0, 4.0, 8.0}) {
    page.add(
        "<tr><td class=\"right\">{:g}</td><td class=\"right\">{} times</td>"
        "<td class=\"right\">{}</td></tr>",
        epsilon, odds_upwards(epsilon), percent_up(attackers_success(epsilon, 0.0)));
  }
  page.add(
      "</tbody></table></div>\n<p>No law names a limit. Below 1 the protection is strong; values "
      "between 1 and 10 are common for learned models and need a reason; above 10 the number alone "
      "says little. NIST SP 800-226, <cite>Guidelines for Evaluating Differential Privacy "
      "Guarantees</cite> (2025), says how to judge such a claim.</p>");
  page.add(
      "<dl><dt>Teacher</dt><dd>a model trained on one part of the private data; the parts must be "
      "disjoint</dd><dt>Ensemble</dt><dd>all teachers together; they vote, and noise is added to "
      "the votes</dd><dt>Guarantee</dt><dd>holds for everything that can come out</dd>"
      "<dt>Expectation</dt><dd>an average; no guarantee</dd><dt>Private number</dt><dd>depends on "
      "the votes themselves, and tells of them when it is published</dd><dt>Ledger</dt><dd>the "
      "list "
      "of everything that was done with an ensemble; costs add up over all of it</dd></dl>\n"
      "</section>");
}

}  // namespace pate::cli
