#include "pate/reports/results_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/numerics/rounded_decimal.hpp"
#include "pate/reports/publishable.hpp"
#include "pate/reports/read_report.hpp"
#include "pate/reports/report_fields.hpp"
#include "pate/reports/table_cells.hpp"
#include "pate/reports/tex_text.hpp"
#include "pate/studies/darrm/majority_run.hpp"

namespace pate::reports {

namespace {

using io::JsonType;
using io::JsonValue;

// A parameter of a mechanism and how a table calls it.
struct Parameter {
  const char* key;
  const char* name;
};
constexpr std::array kParameters{
    Parameter{"threshold", "threshold"},     Parameter{"sigma1", "sigma1"},
    Parameter{"sigma2", "sigma2"},           Parameter{"laplace_scale", "scale"},
    Parameter{"one_laplace_scale", "scale"}, Parameter{"test_scale", "scale"},
    Parameter{"query_delta", "delta"},       Parameter{"max_refusals", "refusals"},
};

constexpr std::array<std::pair<std::string_view, const char*>, 12> kMechanisms{{
    {"gnmax", "GNMax"},
    {"lnmax", "LNMax"},
    {"confident", "Confident GNMax"},
    {"interactive", "Interactive GNMax"},
    {"one_laplace", "One Laplace noise"},
    {"ptr", "PTR, Gaussian noise"},
    {"ptr_laplace", "PTR, Laplace noise"},
    {"ptr_sparse", "PTR, sparse"},
    {"ptr_sparse_gaussian", "PTR, sparse, Gaussian noise"},
    {"composed", "a sum of runs"},
    {"darrm", "DaRRM"},
    {"nzc", "NZC"},
}};

std::string count_text(const JsonValue& body, const std::optional<JsonValue>& part,
                       const char* key) {
  auto value = body.find(key);
  if (!value && part) value = part->find(key);
  if (!value) return {};
  if (value->type() == JsonType::object) {  // teachers of darrm
    const auto count = value->find("count");
    return count ? count->dump() : std::string();
  }
  return is_number(*value) ? value->dump() : std::string();
}

// Queries that were asked: a run that wrote labels may have stopped before the last one.
std::string queries_text(const JsonValue& body, const std::optional<JsonValue>& part) {
  const auto asked = labels_count(body, "asked");
  return asked ? fmt::format("{}", *asked) : count_text(body, part, "queries");
}

std::string answered_text(const JsonValue& body) {
  if (const auto given = labels_count(body, "answered")) return fmt::format("{}", *given);
  const auto answered = body.find("answered");
  if (!answered || answered->type() != JsonType::object) return {};
  if (const auto realized = answered->find("realized")) return realized->dump();
  const auto expected = answered->find("expected");
  return expected ? fmt::format("{:.1f}", expected->number()) : std::string();
}

std::string share_text(const JsonValue& body, const char* object, const char* key) {
  const auto its = body.find(object);
  const auto value = its && its->type() == JsonType::object ? its->find(key) : std::nullopt;
  return value ? fmt::format("{:.1f}", 100.0 * value->number()) : std::string();
}

std::string epsilon_text(const JsonValue& entry) {
  const auto epsilon = entry.find("epsilon");
  if (!epsilon) return {};
  return fixed_upwards(epsilon->number(), 4);
}

std::string bound_text(const JsonValue& entry) {
  std::string text;
  for (const char* const key : {"bound", "reading", "conversion", "method"}) {
    const auto value = entry.find(key);
    if (!value || value->type() != JsonType::text) continue;
    if (!text.empty()) text += ", ";
    text += value->text();
  }
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::string cell(ResultColumn column, const JsonValue& report, const HeadlineNumber& headline) {
  const auto part = report.find("public");
  const JsonValue body = report.has("settings") || !part ? report : *part;
  switch (column) {
    case ResultColumn::run:
      return {};
    case ResultColumn::mechanism: {
      const std::string text = mechanism_text(body);
      return text.empty() && part ? mechanism_text(*part) : text;
    }
    case ResultColumn::teachers:
      return count_text(body, part, "teachers");
    case ResultColumn::classes:
      return count_text(body, part, "classes");
    case ResultColumn::queries:
      return queries_text(body, part);
    case ResultColumn::answered:
      return answered_text(body);
    case ResultColumn::accuracy: {
      const std::string of_run = share_text(body, "utility", "expected_accuracy");
      return of_run.empty() ? share_text(body, "votes", "accuracy") : of_run;
    }
    case ResultColumn::agreement:
      return share_text(body, "votes", "agreement");
    case ResultColumn::epsilon:
      return epsilon_text(headline.entry);
    case ResultColumn::delta: {
      const auto delta = headline.entry.find("delta");
      return delta ? digits_upwards(delta->number(), 6) : std::string();
    }
    case ResultColumn::promise:
      return std::string(promise_in_brief(headline.promise, headline.entry));
    case ResultColumn::bound:
      return bound_text(headline.entry);
    case ResultColumn::publish: {
      if (!headline.may_publish || headline.promise == Promise::none) return "no";
      std::string yes = is_headline_confirmed(report) ? "yes" : "yes, as reported";
      if (headline.promise == Promise::fixed) return yes;
      // Its queries are those of its run; what a ledger has besides, its epsilon counts as well.
      return yes + (headline.entry.find("others")
                        ? ", with its statement; counts all that its ledger had then"
                        : ", with its statement");
    }
  }
  return {};
}

bool is_words(ResultColumn column) {
  return column == ResultColumn::run || column == ResultColumn::mechanism ||
         column == ResultColumn::promise || column == ResultColumn::bound ||
         column == ResultColumn::publish;
}

struct Titles {
  const char* plain;
  const char* latex;
};

Titles titles(ResultColumn column) {
  switch (column) {
    case ResultColumn::run:
      return {"run", "Run"};
    case ResultColumn::mechanism:
      return {"mechanism", "Mechanism"};
    case ResultColumn::teachers:
      return {"teachers", "Teachers"};
    case ResultColumn::classes:
      return {"classes", "Classes"};
    case ResultColumn::queries:
      return {"queries", "Queries"};
    case ResultColumn::answered:
      return {"answered", "Answered"};
    case ResultColumn::accuracy:
      return {"accuracy, %", "Accuracy, \\%"};
    case ResultColumn::agreement:
      return {"agreement, %", "Agreement, \\%"};
    case ResultColumn::epsilon:
      return {"epsilon", "$\\varepsilon$"};
    case ResultColumn::delta:
      return {"delta", "$\\delta$"};
    case ResultColumn::promise:
      return {"promise", "Promise"};
    case ResultColumn::bound:
      return {"bound", "Bound"};
    case ResultColumn::publish:
      return {"may be published", "May be published"};
  }
  return {"", ""};
}

std::string latex_words(std::string_view text) {
  std::string result = tex_text(text);
  for (const auto& [word, symbol] :
       {std::pair<std::string_view, std::string_view>{"sigma1", "$\\sigma_1$"},
        {"sigma2", "$\\sigma_2$"},
        {"threshold", "$T$"}}) {
    for (std::size_t at = 0; (at = result.find(word, at)) != std::string::npos;
         at += symbol.size()) {
      result.replace(at, word.size(), symbol);
    }
  }
  return result;
}

std::string latex_text(const ResultsTable& table) {
  std::string text;
  const auto out = std::back_inserter(text);
  if (table.has_unpublishable()) text += "% Some of these numbers must not be published.\n";
  std::string places;
  for (const ResultColumn column : table.columns) places += is_words(column) ? 'l' : 'r';
  fmt::format_to(out, "\\begin{{tabular}}{{{}}}\n\\toprule\n", places);
  const auto add_line = [&](const auto& cell_at) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (i > 0) text += " & ";
      text += cell_at(i);
    }
    text += " \\\\\n";
  };
  add_line([&](std::size_t i) { return std::string(titles(table.columns[i]).latex); });
  text += "\\midrule\n";
  for (const auto& row : table.rows) {
    add_line([&](std::size_t i) {
      if (row[i].empty()) return std::string("--");
      if (table.columns[i] == ResultColumn::delta) return tex_power(row[i]);
      if (table.columns[i] == ResultColumn::mechanism) return latex_words(row[i]);
      return is_words(table.columns[i]) ? tex_text(row[i]) : row[i];
    });
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

std::string markdown_text(const ResultsTable& table) {
  std::string text = "|";
  for (const ResultColumn column : table.columns)
    text += fmt::format(" {} |", titles(column).plain);
  text += "\n|";
  for (const ResultColumn column : table.columns) text += is_words(column) ? " --- |" : " ---: |";
  text += '\n';
  for (const auto& row : table.rows) {
    text += '|';
    for (const std::string& one : row)
      text += fmt::format(" {} |", one.empty() ? "-" : markdown_cell(one));
    text += '\n';
  }
  return text;
}

std::string csv_text(const ResultsTable& table) {
  std::string text;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    text += fmt::format("{}{}", i > 0 ? "," : "", name(table.columns[i]));
  }
  text += '\n';
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) text += ',';
      // Words of others that a spreadsheet would take for a formula.
      const bool is_formula =
          is_words(table.columns[i]) && !row[i].empty() &&
          std::string_view("=+-@\t\r").find(row[i].front()) != std::string_view::npos;
      text += csv_cell(is_formula ? '\'' + row[i] : row[i]);
    }
    text += '\n';
  }
  return text;
}

// Whom the costs are for, where that is not one teacher that votes otherwise.
Neighbours neighbours_of(const JsonValue& body) {
  Neighbours neighbours;
  for (const char* const key : {"mechanism", "steps"}) {
    const auto its = body.find(key);
    if (!its || its->type() != JsonType::object) continue;
    FieldReader fields(*its);
    neighbour_fields(fields, neighbours);
  }
  const auto setting = body.find("setting");
  if (setting && setting->type() == JsonType::text &&
      setting->text() == name(TeacherSetting::non_private)) {
    neighbours.teachers = body.at("teachers").at("affected").integer(1);
  }
  return neighbours;
}

// The weight of the heaviest teacher; none where every vote counts one.
std::optional<double> heaviest_of(const JsonValue& body) {
  const auto weights = body.find("weights");
  if (!weights || weights->type() != JsonType::array) return {};
  std::optional<double> most;
  for (const JsonValue& each : weights->elements()) {
    if (each.type() != JsonType::object) return {};  // those of an objective (darrm)
    const auto weight = each.find("weight");
    if (weight) most = std::max(most.value_or(0.0), weight->number());
  }
  return most;
}

// What is done to the votes, without whom the costs are for.
std::string what_text(const JsonValue& body) {
  const auto mechanism = body.find("mechanism");
  if (!mechanism || mechanism->type() != JsonType::object) {
    return body.find("noise_function") ? "DaRRM" : std::string();
  }
  const auto named = mechanism->find("name");
  if (!named) return {};
  std::string text = named->text();
  for (const auto& [name, title] : kMechanisms) {
    if (text == name) text = title;
  }
  // A report of weighted votes tells noise and threshold by the heaviest vote.
  const std::optional<double> heaviest = heaviest_of(body);
  for (const Parameter& parameter : kParameters) {
    const auto value = mechanism->find(parameter.key);
    if (!value || !is_number(*value)) continue;
    text += fmt::format(", {} {:g}", parameter.name, value->number() * heaviest.value_or(1.0));
  }
  if (heaviest) text += fmt::format(", votes of weight {:g} at most", *heaviest);
  for (const SampleOf of : {SampleOf::teachers, SampleOf::records}) {
    const auto share = mechanism->find(name(of));
    if (share)
      text +=
          fmt::format(", {} sampled {:g}", std::string_view(name(of)).substr(7), share->number());
  }
  return text;
}

}  // namespace

std::string mechanism_text(const JsonValue& body) {
  std::string text = what_text(body);
  const std::string whom = others_in_words(neighbours_of(body));
  if (whom.empty()) return text;
  return fmt::format("{}{}for {}", text, text.empty() ? "" : ", ", whom);
}

ResultsTable results_table(std::span<const JsonValue> reports, std::span<const std::string> labels,
                           std::vector<ResultColumn> columns) {
  require(labels.size() == reports.size(), "{} reports need as many labels, got {}", reports.size(),
          labels.size());
  ResultsTable table{std::move(columns), {}};
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const auto headline = headline_number(reports[i]);
    if (!headline) {
      throw input_error(fmt::format(
          "{}: expected the report of a run with an epsilon (analyze, label, plan, compose, darrm, "
          "or release without \1dry-run), found none",
          reports[i].file()));
    }
    if (!headline->may_publish) {
      table.has_private = true;
    } else if (headline->promise == Promise::none) {
      table.has_unpromised = true;
    }
    std::vector<std::string> row;
    for (const ResultColumn column : table.columns) {
      row.push_back(column == ResultColumn::run ? labels[i] : cell(column, reports[i], *headline));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string_view column_title(ResultColumn column, TableFormat format) {
  if (format == TableFormat::csv) return name(column);
  return format == TableFormat::latex ? titles(column).latex : titles(column).plain;
}

std::string table_text(const ResultsTable& table, TableFormat format) {
  switch (format) {
    case TableFormat::latex:
      return latex_text(table);
    case TableFormat::markdown:
      return markdown_text(table);
    case TableFormat::csv:
      return csv_text(table);
  }
  return {};
}

}  // namespace pate::reports
