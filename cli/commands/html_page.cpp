#include "cli/commands/html_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands/html.hpp"
#include "cli/commands/summaries.hpp"
#include "pate/base/error.hpp"
#include "pate/reports/figures/report_figures.hpp"

namespace pate::cli {

namespace {

using io::JsonType;
using io::JsonValue;

// Whatever is no public part, or has more than that; plans know no votes.
bool has_private_part(const JsonValue& report) {
  if (report.at("schema").text() == "pate/plan/v1") return false;
  return !report.find("public") || report.has("settings") || report.has("private");
}

void add_guarantee(Html& page, const JsonValue& guarantee) {
  page.add("<h3>What is promised, and to whom</h3>\n<p>{}</p>",
           escaped(guarantee.at("promise").text()));
  page.add("<p><strong>Protected:</strong> {}.</p>", escaped(guarantee.at("protected").text()));
  page.add("<p><strong>What may differ:</strong> {}.</p>",
           escaped(guarantee.at("may_differ").text()));
  if (const auto formula = guarantee.find("formula")) {
    page.add("<p class=\"quiet\">{}</p>", escaped(formula->text()));
  }
  add_texts(page, "This holds only if", guarantee.at("assumes"));
  add_texts(page, "Not covered", guarantee.at("not_covered"));
}

constexpr const char* kMay = "<span class=\"yes\">may be published</span>";
constexpr const char* kMayNot = "<span class=\"no\">private: must not be published</span>";

// The number that counts, and whether it may leave the house.
void add_headline(Html& page, const JsonValue& body) {
  const auto headline = body.find("headline");
  const JsonValue of = headline ? *headline : body;
  const auto epsilon = of.find("epsilon");
  const auto delta = of.find("delta");
  if (!epsilon || !delta || !is_scalar(*epsilon) || epsilon->type() == JsonType::text) return;
  // Numbers of a public part may be published, whatever else they are.
  const bool may = body.path() == "public" ||
                   (headline && headline->find("releasable") && of.at("releasable").boolean());
  page.add(R"(<div class="box"><p class="number">epsilon = {} at delta = {}</p><p>{}</p></div>)",
           epsilon_text(epsilon->number()), delta->number(), may ? kMay : kMayNot);
}

void add_costs(Html& page, const JsonValue& costs, const std::string& title) {
  const std::vector<JsonValue> all = costs.elements();
  if (all.empty() || !all.front().find("conversion")) return;
  page.add(
      "<h3>Costs</h3>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"Costs of {}\"><table>\n<caption>Every cost, rounded up. What has the "
      "promise none is no guarantee, what has outcome is one of what came "
      "out.</caption>\n<thead><tr><th scope=\"col\" class=\"right\">epsilon</th>"
      "<th scope=\"col\" class=\"right\">delta</th><th scope=\"col\">bound</th>"
      "<th scope=\"col\">reading</th><th scope=\"col\">direction</th>"
      "<th scope=\"col\">conversion</th><th scope=\"col\">promise</th>"
      "<th scope=\"col\">publishing</th></tr></thead>\n<tbody>",
      title);
  for (const JsonValue& cost : all) {
    const auto epsilon = cost.find("epsilon");
    const auto text = [&](const char* key) {
      const auto its = cost.find(key);
      return its ? escaped_words(its->text()) : std::string();
    };
    page.add(
        "<tr><td class=\"right\">{}</td><td class=\"right\">{}</td><td>{}</td><td>{}</td>"
        "<td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
        epsilon ? epsilon_text(epsilon->number()) : "none", scalar_text(cost.at("delta")),
        text("bound"), text("reading"), text("direction"), text("conversion"), text("promise"),
        cost.at("releasable").boolean() ? "<span class=\"yes\">yes</span>"
                                        : "<span class=\"no\">no</span>");
  }
  page.add("</tbody></table></div>");
}

// What may be published of a report that is not public.
void add_publishing(Html& page, const JsonValue& report) {
  page.add("<h3>What may be published</h3>");
  if (const auto part = report.find("public")) {
    page.add(
        "<p>The part <strong>public</strong> of the report, as <code>--public-only</code> puts "
        "it out, and no more:</p>");
    add_value(page, *part);
    return;
  }
  std::string may;
  if (const auto costs = report.find("costs"); costs && costs->type() == JsonType::array) {
    for (const JsonValue& cost : costs->elements()) {
      if (!cost.find("releasable") || !cost.at("releasable").boolean()) continue;
      fmt::format_to(std::back_inserter(may), "<li>epsilon = {} at delta = {}: {}, {}, {}</li>\n",
                     epsilon_text(cost.at("epsilon").number()), cost.at("delta").number(),
                     escaped_words(cost.at("bound").text()),
                     escaped_words(cost.at("reading").text()),
                     escaped_words(cost.at("conversion").text()));
    }
  }
  if (may.empty()) {
    page.add(
        "<p>Nothing on this page: its numbers depend on the votes. <code>pate release</code> "
        "makes an epsilon that may be published.</p>");
    return;
  }
  page.add(
      "<p>One of these, chosen before looking at their values; they hold for any votes. Nothing "
      "else on this page.</p>\n<ul>\n{}</ul>",
      may);
}

std::vector<std::pair<FigureKind, const char*>> kinds_for(const std::string& schema) {
  if (schema == "pate/analyze/v1") {
    return {{FigureKind::cumulative, "Epsilon against the number of answers"},
            {FigureKind::partition, "The parts of epsilon, by bound and reading"},
            {FigureKind::orders, "Renyi differential privacy by order, and epsilon by order"},
            {FigureKind::profile, "Delta against epsilon"},
            {FigureKind::teachers, "Epsilon of every teacher"}};
  }
  if (schema == "pate/inspect/v1") {
    return {{FigureKind::votes, "Share of the queries by votes for the plurality"},
            {FigureKind::gaps, "Share of the queries by how far the plurality is ahead"}};
  }
  if (schema == "pate/tune/v1") {
    return {{FigureKind::pareto, "Epsilon against answers over the grid"},
            {FigureKind::heatmap, "Epsilon over two parameters"}};
  }
  if (schema == "pate/darrm/v1") return {{FigureKind::gamma, "The noise function"}};
  return {};
}

void add_pictures(Html& page, const JsonValue& report,
                  const std::function<std::string(const Figure&)>& draw) {
  std::string pictures;
  for (const auto& [kind, caption] : kinds_for(report.at("schema").text())) {
    Figure figure;
    try {
      figure = figure_of(kind, {&report, 1});
    } catch (const input_error&) {
      continue;  // a picture of what the report does not have
    }
    fmt::format_to(std::back_inserter(pictures),
                   "<figure><img src=\"{}\" alt=\"{}\"><figcaption>{}</figcaption></figure>\n",
                   data_address(draw(figure)), caption, caption);
  }
  if (!pictures.empty()) page.add("<h3>Pictures</h3>\n{}", pictures);
}

void add_notices(Html& page, const JsonValue& report) {
  const auto notices = report.find("notices");
  if (!notices || notices->elements().empty()) return;
  page.add("<h3>Notes</h3>\n<ul>");
  for (const JsonValue& notice : notices->elements()) {
    page.add("<li>{}</li>", escaped(notice.at("message").text()));
  }
  page.add("</ul>");
}

// What was done, from facts that a report has.
void add_facts(Html& page, const JsonValue& body, const std::string& title) {
  std::string rows;
  for (const char* const key : {"mechanism", "teachers", "classes", "queries", "answered", "method",
                                "setting", "noise_function"}) {
    const auto value = body.find(key);
    if (!value) continue;
    Html cell;
    add_value(cell, *value);
    fmt::format_to(std::back_inserter(rows), "<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n",
                   escaped_words(key), cell.text());
  }
  if (rows.empty()) return;
  page.add(
      "<h3>What was done</h3>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"What was done by {}\"><table><tbody>\n{}</tbody></table></div>",
      title, rows);
}

void add_section(Html& page, const JsonValue& report, std::size_t number,
                 const std::function<std::string(const Figure&)>& draw, bool public_only) {
  const std::string schema = report.at("schema").text();
  if (!schema.starts_with("pate/")) report.at("schema").fail("a schema of pate, pate/.../v1");
  const std::string kind = schema.substr(5, schema.find('/', 5) - 5);
  const bool is_private = has_private_part(report);
  const auto part = report.find("public");
  if (public_only && !part) {
    throw input_error(fmt::format(
        "{}: has no part \"public\": make it with --public-only (of a run: pate compose FILE "
        "--public-only)",
        report.file()));
  }
  const JsonValue body = public_only || !is_private ? part.value_or(report) : report;
  const std::string title =
      public_only ? fmt::format("pate {}, part {}", escaped_words(kind), number)
                  : fmt::format("pate {}: {}", escaped_words(kind), escaped(report.file()));
  page.add("<section>\n<h2>{}</h2>", title);
  add_headline(page, body);
  if (const auto guarantee = body.find("guarantee")) {
    add_guarantee(page, *guarantee);
  } else if (const auto statement = body.find("statement")) {
    page.add("<h3>What is promised, and to whom</h3>\n<p>{}</p>", escaped(statement->text()));
  }
  if (is_private && !public_only) add_publishing(page, report);
  add_facts(page, body, title);
  if (const auto costs = body.find("costs"); costs && costs->type() == JsonType::array) {
    add_costs(page, *costs, title);
  }
  if (draw && is_private && !public_only) add_pictures(page, report, draw);
  // Of a report with a private part they may tell of it.
  if (!public_only || !is_private) add_notices(page, report);
  if (is_private && !public_only) {
    for (const auto& [key, summary] : {std::pair("settings", "Settings"),
                                       {"inputs",
                                        "Inputs; digests are private too: they say which "
                                        "votes these were"}}) {
      const auto its = report.find(key);
      if (!its) continue;
      page.add("<details><summary>{}</summary>", summary);
      add_value(page, *its);
      page.add("</details>");
    }
  }
  page.add("<details><summary>All numbers</summary>");
  for (const auto& [key, value] : body.members()) {
    if (key == "settings" || key == "inputs" || key == "guarantee" || key == "notices") continue;
    page.add("<dl><dt>{}</dt><dd>", escaped_words(key));
    add_value(page, value);
    page.add("</dd></dl>");
  }
  page.add("</details>\n</section>");
}

}  // namespace

std::string html_page(std::span<const JsonValue> reports,
                      const std::function<std::string(const Figure&)>& draw, bool public_only) {
  Html page;
  page.add(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>Privacy report</title>\n<style>{}</style>\n</head>\n<body>\n<main>",
      kStyle);
  const bool any_private = std::ranges::any_of(reports, has_private_part);
  page.add("<h1>Privacy report</h1>");
  if (any_private && !public_only) {
    page.add(
        "<p class=\"no\">This page is for the owner of the data: numbers and pictures on it "
        "depend on private votes.</p>");
  }
  page.add(
      "<p>What it may cost the people behind the training data that this was made of them. "
      "<strong>epsilon</strong> bounds how much more likely any conclusion becomes through one "
      "teacher's data: by a factor of e to the epsilon, but for <strong>delta</strong> in "
      "probability. Smaller is better.</p>");
  for (std::size_t i = 0; i < reports.size(); ++i) {
    add_section(page, reports[i], i + 1, draw, public_only);
  }
  page.add("</main>\n</body>\n</html>");
  return page.text();
}

}  // namespace pate::cli
