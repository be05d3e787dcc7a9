#include "cli/html/at_a_glance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "pate/numerics/rounded_decimal.hpp"
#include "pate/reports/publishable.hpp"

namespace pate::cli {

using io::JsonType;
using io::JsonValue;

namespace {

constexpr const char* kMay = "<span class=\"yes\">may be published</span>";
constexpr const char* kMayNot = "<span class=\"no\">private: must not be published</span>";

constexpr std::array<std::pair<std::string_view, const char*>, 13> kDone{{
    {"analyze", "The cost of noisy answers of an ensemble was computed."},
    {"label", "An ensemble answered queries with noise, and the answers were written down."},
    {"plan", "A run of an ensemble was planned; no votes were looked at."},
    {"release", "A number that bounds the cost of such a run was drawn, to be published."},
    {"account", "The costs of everything in a ledger were added up."},
    {"compose", "The costs of several runs were added up."},
    {"darrm", "The majority of teachers that are private themselves was planned or drawn."},
    {"tune", "Parameters were looked for on votes. Nothing was published by that."},
    {"private_search", "Parameters were tried on votes; the labels of the best were written down."},
    {"rounds", "Parameters of two rounds were looked for. Nothing was published by that."},
    {"inspect", "A file of votes was described."},
    {"explain", "The cost of single queries was explained."},
    {"nzc", "A claim of others about their mechanism was checked."},
}};

std::string count_of(const JsonValue& body, const char* key, const char* what) {
  const auto value = body.find(key);
  if (!value) return {};
  const auto number = value->type() == JsonType::object ? value->find("count") : value;
  return number && number->type() == JsonType::whole ? fmt::format(" {} {}.", number->dump(), what)
                                                     : std::string();
}

void add_answer(Html& page, const char* question, const std::string& answer) {
  page.add("<dt>{}</dt><dd>{}</dd>", question, answer);
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
  const std::string odds = odds_upwards(epsilon);
  const auto promise = entry.find("promise");
  if (entry.find("method") || (promise && promise->text() == "outcome")) {
    return fmt::format(
        "Had one of them been different, what came out would still have come out with at least one "
        "part in {} of the probability that it had.",
        odds);
  }
  return fmt::format(
      "Whatever anybody concludes becomes at most {} times as likely through one of them. Whoever "
      "had to tell from what came out which of two possible data sets it was would be right at "
      "most {} of the time, where guessing is right 50 % of it.",
      odds, percent_up(attackers_success(epsilon, entry.at("delta").number())));
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

void add_at_a_glance(Html& page, const JsonValue& body, const std::string& kind) {
  page.add("<div class=\"box\">");
  const auto number = reports::headline_number(body);
  if (number) {
    page.add("<p class=\"number\">epsilon = {} at delta = {}</p><p>{}</p>",
             rounded_up(number->entry.at("epsilon").number()),
             rounded_up(number->entry.at("delta").number()), number->may_publish ? kMay : kMayNot);
  }
  page.add("<dl>");
  std::string done;
  for (const auto& [command, sentence] : kDone) {
    if (command == kind) done = sentence;
  }
  done += count_of(body, "teachers", "teachers") + count_of(body, "queries", "queries");
  if (const auto mechanism = body.find("mechanism");
      mechanism && mechanism->type() == JsonType::object && mechanism->find("name")) {
    done += fmt::format(" Mechanism: {}.", escaped_words(mechanism->at("name").text()));
  }
  if (!done.empty()) add_answer(page, "What was done", done);
  const auto guarantee = body.find("guarantee");
  if (guarantee) {
    const std::string whom = guarantee->at("protected").text();
    add_answer(page, "Who is protected",
               escaped(whom) + "." +
                   (whom.starts_with("one teacher")
                        ? " A person whose data several teachers saw is not protected by this "
                          "number."
                        : ""));
  }
  const bool holds = guarantee && guarantee->at("holds").boolean();
  if (number && holds) {
    add_answer(page, "How much", how_much(number->entry));
  } else {
    add_answer(page, "How much", "Nothing is promised by this report.");
  }
  if (number && number->may_publish && guarantee && holds) {
    add_answer(page, "May it be printed",
               "Yes, this number and these words: <q>" + escaped(guarantee->at("promise").text()) +
                   "</q>");
  } else if (number && number->may_publish) {
    add_answer(page, "May it be printed", "Yes: it depends on no votes, or was drawn for that.");
  } else {
    add_answer(page, "May it be printed",
               "No: it depends on private votes. What may be printed instead is said below.");
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
