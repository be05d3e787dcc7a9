#include "cli/commands/html_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands/summaries.hpp"
#include "pate/base/error.hpp"
#include "pate/reports/figures/report_figures.hpp"

namespace pate::cli {

namespace {

using io::JsonType;
using io::JsonValue;

constexpr std::size_t kShownElements = 12;

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
dl { margin: 0 0 0 1rem; } dt { font-weight: 600; } dd { margin: 0 0 .3rem 1rem; }
summary { cursor: pointer; }
@media print { body { max-width: none; font-size: 10pt; } h2, h3 { break-after: avoid; }
  figure, tr { break-inside: avoid; } }
)";

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

std::string escaped_words(std::string name) {
  return escaped(in_words(std::move(name)));
}

// An SVG as the address of an image: nothing of it can meet what else is on the page.
std::string data_address(std::string_view svg) {
  std::string result = "data:image/svg+xml,";
  for (const char c : svg) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 ||
        std::string_view(" -_.,:;=/()").find(c) != std::string_view::npos) {
      result += c;
    } else {
      result += fmt::format("%{:02X}", byte);
    }
  }
  return result;
}

// Whatever is no public part, or has more than that; plans know no votes.
bool has_private_part(const JsonValue& report) {
  if (report.at("schema").text() == "pate/plan/v1") return false;
  return !report.find("public") || report.has("settings") || report.has("private");
}

class Html {
 public:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_ += '\n';
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string scalar_text(const JsonValue& value) {
  switch (value.type()) {
    case JsonType::null:
      return "<span class=\"quiet\">none</span>";
    case JsonType::boolean:
      return value.boolean() ? "yes" : "no";
    case JsonType::text:
      return escaped(value.text());
    default:
      return escaped(value.dump());
  }
}

bool is_scalar(const JsonValue& value) {
  return value.type() != JsonType::array && value.type() != JsonType::object;
}

// Everything there is, long lists cut short. As deep as the reader of JSON allows.
// NOLINTNEXTLINE(misc-no-recursion)
void add_value(Html& page, const JsonValue& value) {
  if (value.type() == JsonType::object) {
    page.add("<dl>");
    for (const auto& [key, member] : value.members()) {
      page.add("<dt>{}</dt><dd>", escaped_words(key));
      add_value(page, member);
      page.add("</dd>");
    }
    page.add("</dl>");
    return;
  }
  if (value.type() != JsonType::array) return page.add("{}", scalar_text(value));
  const std::vector<JsonValue> all = value.elements();
  if (all.size() > kShownElements) return page.add("{} values: see the report", all.size());
  if (std::ranges::all_of(all, is_scalar)) {
    std::string list;
    for (const JsonValue& one : all) list += (list.empty() ? "" : ", ") + scalar_text(one);
    return page.add("{}", all.empty() ? "none" : list);
  }
  page.add("<ol>");
  for (const JsonValue& one : all) {
    page.add("<li>");
    add_value(page, one);
    page.add("</li>");
  }
  page.add("</ol>");
}

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
