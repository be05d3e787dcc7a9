#include "pate/reports/label_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/events/run_events.hpp"
#include "pate/reports/mechanism_member.hpp"
#include "pate/reports/record_json.hpp"
#include "pate/reports/report_fields.hpp"
#include "pate/reports/report_text.hpp"
#include "pate/votes/tables/npy_header.hpp"

namespace pate::reports {

namespace {

std::string npy_bytes(const LabelledQueries& labelled, bool with_sources) {
  std::vector<std::int64_t> shape{static_cast<std::int64_t>(labelled.labels.size())};
  if (with_sources) shape.push_back(2);
  std::string bytes = io::npy_header("<i8", shape);
  if (!with_sources) {
    io::append_int64(bytes, std::span<const std::int32_t>(labelled.labels));
    return bytes;
  }
  for (std::size_t i = 0; i < labelled.labels.size(); ++i) {
    const std::array<std::int64_t, 2> row{labelled.labels[i],
                                          static_cast<std::int64_t>(labelled.sources[i])};
    io::append_int64(bytes, std::span<const std::int64_t>(row));
  }
  return bytes;
}

std::string text_bytes(const LabelledQueries& labelled, const RowSelection& rows, bool with_sources,
                       char separator) {
  std::string bytes = fmt::format("row{}label", separator);
  if (with_sources) fmt::format_to(std::back_inserter(bytes), "{}source", separator);
  bytes += '\n';
  for (std::size_t i = 0; i < labelled.labels.size(); ++i) {
    fmt::format_to(std::back_inserter(bytes), "{}{}{}", rows[static_cast<std::int64_t>(i)],
                   separator, labelled.labels[i]);
    if (with_sources) {
      fmt::format_to(std::back_inserter(bytes), "{}{}", separator, name(labelled.sources[i]));
    }
    bytes += '\n';
  }
  return bytes;
}

bool is_sampled(const Account& account) {
  return !account.steps.sampled_queries.empty();
}

void write_filter(FieldWriter& a, const LabelReport& report) {
  a.object("filter", [&](FieldWriter& filter) {
    // Where samples answer nothing is filtered: all queries are counted.
    if (is_sampled(report.account)) {
      const auto counted =
          std::ranges::find(report.account.costs, EpsilonMethod::improved, &CostEntry::conversion);
      filter("order", counted->order.value_or(report.filter.order()));
      // What a limit is compared with: the least that holds for any votes.
      filter("epsilon", report.account.costs[report.account.headline].epsilon);
      filter("max_epsilon", report.limits.max_epsilon);
      filter("max_answers", report.limits.max_answers);
      return;
    }
    filter("order", report.filter.order());
    filter("epsilon", report.filter.epsilon());
    filter("max_epsilon", report.limits.max_epsilon);
    filter("max_answers", report.limits.max_answers);
  });
}

}  // namespace

void write_labels(FieldWriter& a, const std::string& path, LabelsFormat format,
                  const std::string& sha256, const LabelledQueries& labelled) {
  a.mixed_object("labels", [&](FieldWriter& labels) {
    labels("path", path);
    labels("format", format);
    labels("sha256", sha256);
    FieldWriter open = labels.open();
    open("asked", labelled.asked);
    open("answered", labelled.answered);
    open("refused", labelled.refused());
    open("student", labelled.student);
    open("stopped", labelled.stopped);
  });
}

LabelsFormat labels_format(std::string_view path) {
  for (const LabelsFormat format : {LabelsFormat::npy, LabelsFormat::csv, LabelsFormat::tsv}) {
    const std::string_view end = name(format);
    if (path.size() > end.size() && path.ends_with(end) &&
        path[path.size() - end.size() - 1] == '.') {
      return format;
    }
  }
  throw parameter_error(
      fmt::format("{}: the name of the file must end in .npy, .csv or .tsv", path));
}

std::string labels_bytes(const LabelledQueries& labelled, const RowSelection& rows,
                         LabelsFormat format, bool with_sources) {
  if (format == LabelsFormat::npy) return npy_bytes(labelled, with_sources);
  return text_bytes(labelled, rows, with_sources, format == LabelsFormat::csv ? ',' : '\t');
}

std::string label_report_json(const LabelReport& report, const ReportContext& context,
                              Audience audience) {
  const Account& account = report.account;
  const auto describe = [&](FieldWriter& json) {
    FieldWriter open = json.open();
    write_mechanism(open, account);
    write_teachers(open, account);
    open("classes", account.classes);
    open("queries", report.labelled.labels.size());
    open("delta", account.delta);
    delta_split(open, account.delta, account.query_delta);
    write_labels(json, report.path, report.format, report.sha256, report.labelled);
    json.object("answered", [&](FieldWriter& answered) {
      answered("expected", account.answered_expected);
      answered("sd", account.answered_sd);
      answered("realized", report.labelled.answered);
    });
    write_filter(open, report);
    write_costs(json, account);
    open("steps", is_sampled(account)
                      ? account.steps
                      : most_steps(account.aggregator, account.steps.neighbours, report.limits));
    json.object("rdp", [&](FieldWriter& rdp) {
      rdp("orders", account.orders);
      rdp.optional("tradeoff", account.tradeoff, account.orders.size());
    });
    if (!report.weights.empty()) json("weights", report.weights);
    json("ledger", report.ledger);
    write_ledger_total(json, report.total);
  };
  return report_text("label", audience, context, describe, account.notices);
}

Event label_event(const LabelReport& report, const std::vector<InputFile>& inputs,
                  const std::string& ensemble, const std::string& id) {
  Event event = labelled_run(report.account, report.labelled, report.filter, report.limits, id);
  event.open.ensemble = ensemble;
  for (const InputFile& input : inputs) {
    if (input.votes_digest) event.facts.digests.file = input.sha256;
    // Row numbers may have been picked by earlier answers, and scores learnt from them.
    if (input.role == "indices" || input.role == "student") {
      event.open.origin.rows_from_answers = true;
    }
  }
  event.facts.digests.counts = votes_digest_of(inputs);
  // A digest of votes and mechanism does not say what samples were, or weights.
  if (!is_sampled(report.account) && !event.open.origin.weighted) {
    event.facts.digests.run =
        run_digest(inputs, {report.account.aggregator, report.account.steps.neighbours});
  }
  event.facts.digests.labels = report.sha256;
  return event;
}

}  // namespace pate::reports
