#include "cli/html/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/html/at_a_glance.hpp"
#include "cli/html/html.hpp"
#include "pate/base/error.hpp"
#include "pate/reports/figures/report_figures.hpp"
#include "pate/reports/publishable.hpp"

namespace pate::cli {

namespace {

using io::JsonType;
using io::JsonValue;

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --text: #1a1a1a; --quiet: #555; --page: #fff; --line: #c8c8c8;
  --box: #f3f5f7; --yes: #0b5d2e; --no: #9b1c1c; }
@media (prefers-color-scheme: dark) { :root { --text: #e8e8e8; --quiet: #b5b5b5; --page: #16181b;
  --line: #474b50; --box: #22262b; --yes: #7ddba2; --no: #ff9d94; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.35rem; margin-top: 2.5rem; } h3 { font-size: 1.1rem; }
h1, h2, h3 { line-height: 1.25; }
.quiet { color: var(--quiet); } .yes { color: var(--yes); } .no { color: var(--no); }
.yes, .no { font-weight: 600; }
.box { background: var(--box); border: 1px solid var(--line); border-radius: .4rem; padding: .2rem 1rem; }
.number { font-size: 1.5rem; font-weight: 600; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .92rem; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .8rem .25rem 0; text-align: left;
  vertical-align: top; overflow-wrap: normal; }
td.right, th.right { text-align: right; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--quiet); padding-bottom: .3rem; }
figure { margin: 1rem 0; display: inline-block; max-width: 100%; vertical-align: top; }
figure img { max-width: 100%; height: auto; background: #fff; border: 1px solid var(--line); }
dl.heading { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: 1rem 0 0; }
dl.heading dd { margin: 0; } .line { display: block; border-bottom: 1px solid var(--line); }
dl { margin: 0 0 0 1rem; } dt { font-weight: 600; } dd { margin: 0 0 .3rem 1rem; }
summary { cursor: pointer; }
@media (max-width: 30rem) { body { padding: .6rem; line-height: 1.4; } h1 { font-size: 1.25rem; margin: .4rem 0; }
  h2 { font-size: 1.15rem; margin: 1rem 0 .6rem; } .box { padding: .1rem .7rem; } .box p { margin: .4rem 0; }
  .box dl { margin: 0; } .number { font-size: 1.25rem; } }
@media print { body { max-width: none; font-size: 10pt; } h2, h3 { break-after: avoid; }
  figure, tr { break-inside: avoid; } }
)";

void add_texts(Html& page, const char* title, const JsonValue& list) {
  const std::vector<JsonValue> all = list.elements();
  if (all.empty()) return;
  page.add("<h4>{}</h4>\n<ul>", title);
  for (const JsonValue& one : all) page.add("<li>{}</li>", escaped(one.text()));
  page.add("</ul>");
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

void add_costs(Html& page, const JsonValue& costs, const std::string& title) {
  const std::vector<JsonValue> all = costs.elements();
  if (all.empty() || !all.front().find("conversion")) return;
  page.add(
      "<h3>Costs</h3>\n<p class=\"quiet\">Every cost, rounded up. What has the promise none is no "
      "guarantee, what has outcome is one of what came out.</p>\n<div class=\"wide\" "
      "tabindex=\"0\" role=\"region\" aria-label=\"Costs of {}\"><table>\n<thead><tr>"
      "<th scope=\"col\" class=\"right\">epsilon</th>"
      "<th scope=\"col\">may be published</th><th scope=\"col\" class=\"right\">delta</th>"
      "<th scope=\"col\">promise</th><th scope=\"col\">bound</th><th scope=\"col\">reading</th>"
      "<th scope=\"col\">direction</th><th scope=\"col\">conversion</th></tr></thead>\n<tbody>",
      title);
  for (const JsonValue& cost : all) {
    const auto epsilon = cost.find("epsilon");
    const auto text = [&](const char* key) {
      const auto its = cost.find(key);
      return its ? escaped_words(its->text()) : std::string();
    };
    page.add(
        "<tr><td class=\"right\">{}</td><td>{}</td><td class=\"right\">{}</td><td>{}</td>"
        "<td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
        epsilon ? rounded_up(epsilon->number()) : "none",
        cost.at("releasable").boolean() ? "<span class=\"yes\">yes</span>"
                                        : "<span class=\"no\">no</span>",
        rounded_up(cost.at("delta").number()), text("promise"), text("bound"), text("reading"),
        text("direction"), text("conversion"));
  }
  page.add("</tbody></table></div>");
}

// What may be published of a report that is not public.
void add_publishing(Html& page, const JsonValue& report) {
  page.add("<h3>What may be published</h3>");
  if (const auto part = report.find("public")) {
    if (const auto why = reports::why_not_to_publish(*part)) {
      page.add(
          "<p>Nothing of this report. {} <code>--public-only</code> refuses its part "
          "<strong>public</strong>.</p>",
          escaped(*why));
      return;
    }
    page.add(
        "<p>The part <strong>public</strong> of the report, as <code>--public-only</code> puts "
        "it out, and no more:</p>");
    add_value(page, *part);
    return;
  }
  std::string may;
  bool may_depend = false;
  for (const JsonValue& cost : reports::publishable_costs(report)) {
    const auto promise = reports::promise_of(cost);
    may_depend = may_depend || promise != Promise::fixed;
    fmt::format_to(std::back_inserter(may), "<li>epsilon = {} at delta = {}: {}, {}, {}{}</li>\n",
                   rounded_up(cost.at("epsilon").number()), rounded_up(cost.at("delta").number()),
                   escaped_words(cost.at("bound").text()), escaped_words(cost.at("reading").text()),
                   escaped_words(cost.at("conversion").text()),
                   promise == Promise::outcome ? "; a promise about what came out" : "");
  }
  if (may.empty()) {
    page.add(
        "<p>Nothing of this report: its numbers depend on the votes. <code>pate release</code> "
        "makes an epsilon that may be published.</p>");
    return;
  }
  page.add("<p>{} Nothing else on this page.</p>\n<ul>\n{}</ul>",
           may_depend ? "One of these, chosen before looking at their values."
                      : "This holds whatever the votes are.",
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
      "<h3>The run in detail</h3>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"The run of {}\"><table><tbody>\n{}</tbody></table></div>",
      title, rows);
}

// A table of some members of objects.
void add_table(Html& page, const char* heading, const std::string& label, const char* caption,
               const std::vector<JsonValue>& rows, const std::vector<const char*>& keys) {
  page.add(
      "<h3>{}</h3>\n<p class=\"quiet\">{}</p>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{}\"><table>\n<thead><tr>",
      heading, caption, label);
  for (const char* const key : keys) {
    page.add(R"(<th scope="col" class="right">{}</th>)", escaped_words(key));
  }
  page.add("</tr></thead>\n<tbody>");
  for (const JsonValue& row : rows) {
    page.add("<tr>");
    for (const char* const key : keys) {
      const auto value = row.find(key);
      std::string text;
      if (value && value->type() == JsonType::real && value->number() >= 0.0) {
        text = rounded_up(value->number());
      } else if (value && is_scalar(*value)) {
        text = scalar_text(*value);
      }
      page.add("<td class=\"right\">{}</td>", text);
    }
    page.add("</tr>");
  }
  page.add("</tbody></table></div>");
}

// What a ledger has: everything that was done with the ensemble.
void add_entries(Html& page, const JsonValue& body, const std::string& title) {
  const auto entries = body.find("entries");
  if (!entries || entries->type() != JsonType::array || entries->elements().empty()) return;
  add_table(page, "What was done with this ensemble", "Entries of " + title,
            "Each entry with its own cost; together they cost what stands above.",
            entries->elements(),
            {"line", "time", "kind", "queries", "answered", "epsilon", "delta"});
}

// Of a search for parameters: the best point, and those that are best at their cost.
void add_points(Html& page, const JsonValue& body, const std::string& title) {
  const std::vector<const char*> keys{"threshold", "sigma1",   "sigma2",    "laplace_scale",
                                      "answered",  "agreeing", "agreement", "epsilon"};
  std::vector<JsonValue> rows;
  if (const auto best = body.find("best"); best && best->type() == JsonType::object) {
    rows.push_back(*best);
  }
  const bool has_best = !rows.empty();
  if (const auto points = body.find("points"); points && points->type() == JsonType::array) {
    for (const JsonValue& point : points->elements()) {
      const auto pareto = point.find("pareto");
      if (pareto && pareto->type() == JsonType::boolean && pareto->boolean()) rows.push_back(point);
    }
  }
  if (rows.empty()) return;
  std::vector<const char*> known;
  std::ranges::copy_if(keys, std::back_inserter(known), [&](const char* key) {
    return std::ranges::any_of(rows,
                               [&](const JsonValue& row) { return row.find(key).has_value(); });
  });
  add_table(page, "The best parameters", "Parameters found by " + title,
            has_best ? "First the best point, then all that answer most at their cost. Private."
                     : "The points that answer most at their cost. Private.",
            rows, known);
}

void add_section(Html& page, const JsonValue& report, std::size_t number,
                 const std::function<std::string(const Figure&)>& draw,
                 const PageHeading& heading) {
  const bool public_only = heading.public_only;
  const std::string schema = report.at("schema").text();
  if (!schema.starts_with("pate/")) report.at("schema").fail("a schema of pate, pate/.../v1");
  std::string kind = schema.substr(5, schema.find('/', 5) - 5);
  const bool is_private = reports::has_private_part(report);
  const auto part = report.find("public");
  if (public_only && !part) {
    throw input_error(fmt::format(
        "{}: has no part \"public\": make it with --public-only (of a run: pate compose FILE "
        "--public-only)",
        report.file()));
  }
  if (const auto why = part ? reports::why_not_to_publish(*part) : std::nullopt;
      public_only && why) {
    throw input_error(fmt::format(
        "{}: --public-only: nothing of it may be published. {} Without --public-only the page is "
        "for the owner of the data",
        report.file(), *why));
  }
  const JsonValue body = public_only || !is_private ? part.value_or(report) : report;
  const auto mechanism = body.find("mechanism");
  const auto named = mechanism && mechanism->type() == io::JsonType::object
                         ? mechanism->find("name")
                         : std::nullopt;
  if (kind == "analyze" && named && named->text() == "composed") kind = "compose";
  // The sum of a ledger has the schema of an account.
  const std::string command = kind == "account" ? "ledger" : escaped_words(kind);
  const std::string title = public_only
                                ? fmt::format("pate {}, part {}", command, number)
                                : fmt::format("pate {}: {}", command, escaped(report.file()));
  page.add("<section>\n<h2>{}</h2>", title);
  add_at_a_glance(page, report, body, kind, heading);
  // Below the answers, so that a phone shows these on its first screen.
  if (number == 1) add_heading(page, heading);
  if (const auto guarantee = body.find("guarantee")) {
    add_guarantee(page, *guarantee);
  } else if (const auto statement = body.find("statement")) {
    page.add("<h3>What is promised, and to whom</h3>\n<p>{}</p>", escaped(statement->text()));
  }
  if (is_private && !public_only) add_publishing(page, report);
  add_facts(page, body, title);
  add_entries(page, body, title);
  if (kind == "tune" || kind == "rounds") add_points(page, body, title);
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

std::string html_page(std::span<const JsonValue> all,
                      const std::function<std::string(const Figure&)>& draw,
                      const PageHeading& heading) {
  Html page;
  std::string title = heading.model;
  if (title.empty() && !heading.public_only) title = all.front().file();
  page.add(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
      "style-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>Privacy report{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>",
      title.empty() ? "" : ": " + escaped(title), kStyle);
  page.add("<h1>Privacy report{}</h1>", title.empty() ? "" : ": " + escaped(title));
  if (!heading.public_only && std::ranges::any_of(all, reports::has_private_part)) {
    page.add(
        "<p class=\"no\">This page is for the owner of the data: numbers and pictures on it "
        "depend on private votes.</p>");
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    add_section(page, all[i], i + 1, draw, heading);
  }
  add_meaning(page);
  page.add("</main>\n</body>\n</html>");
  return page.text();
}

}  // namespace pate::cli
