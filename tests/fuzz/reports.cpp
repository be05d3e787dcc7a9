// Whatever is made up, as what the program wrote before: reports and ledgers.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "fuzz/targets.hpp"
#include "pate/base/error.hpp"
#include "pate/base/json.hpp"
#include "pate/events/account_record.hpp"
#include "pate/reports/figures/figure.hpp"
#include "pate/reports/figures/report_figures.hpp"
#include "pate/reports/ledger.hpp"
#include "pate/reports/ledger_account.hpp"
#include "pate/reports/read_events.hpp"
#include "pate/reports/read_shard.hpp"
#include "pate/reports/record_json.hpp"
#include "pate/reports/release_report.hpp"
#include "pate/reports/saved_tuning.hpp"

namespace pate::fuzz {

// A report as a part, or a shard, of a sum, whatever it is.
void report(Bytes bytes) {
  const auto json = io::JsonValue::parse_if_json(text_of(bytes), "report.json");
  if (!json) throw input_error("no JSON");
  try {
    const reports::ShardReport shard = reports::read_shard(*json);
    reports::check_one_run(std::span(&shard, 1));
  } catch (const input_error&) {
    // It may be a whole report.
  }
  const Record record = reports::read_events(*json);
  (void)reports::report_part(*json, record);
  reports::check_addable({{"report.json", record}}, false);
  // What was read can be written, and is the same then.
  reports::FieldWriter written;
  reports::write_record(written, record);
  const auto again = io::JsonValue::parse(written.text(), "again.json");
  require(reports::read_record(again.at("record")) == record);
  const RecordAccount sum = account_record(record, {});
  for (const CostEntry& cost : sum.costs) require(cost.epsilon >= 0.0);
}

void ledger(Bytes bytes) {
  const auto text = reports::parse_ledger(text_of(bytes), "ledger");
  // What is appended can be read again, with one entry more.
  std::string longer(text_of(bytes));
  reports::LedgerEntry next = text.entries.back();
  next.event.open.id = std::string(32, 'f');
  longer += reports::ledger_addition(text, next);
  const bool is_new = std::ranges::none_of(
      text.entries, [&](const auto& entry) { return entry.event.open.id == next.event.open.id; });
  if (is_new) {
    require(reports::parse_ledger(longer, "ledger").entries.size() == text.entries.size() + 1);
  }
  const auto total = reports::ledger_total(text.record(), "ledger");
  for (const CostEntry& cost : total.costs) require(cost.epsilon >= 0.0);
}

// A report of a tuning that was interrupted: what it says of points is believed where they lie in
// its grid.
void resume(Bytes bytes) {
  const auto json = io::JsonValue::parse_if_json(text_of(bytes), "tune.json");
  if (!json) throw input_error("no JSON");
  const reports::SavedTuning saved = reports::read_tune_report(*json);
  reports::check_same_tuning("tune.json", saved, saved);
  const Tuning& tuning = saved.tuning;
  require(tuning.first <= tuning.last && tuning.last <= tuning.grid.size());
  for (const TunedPoint& p : tuning.points) {
    require(p.index >= tuning.first && p.index < tuning.last);
    require(p.point.epsilon >= 0.0 && p.grid_epsilon >= 0.0);
    require(p.point.answered >= 0.0 && p.point.agreeing >= 0.0);
  }
}

// A report of a release, as any method takes its parameters from it.
void parameters(Bytes bytes) {
  const MemoryFile file(bytes);
  const auto taken = [&](ReleaseMethod method) {
    const reports::FoundParameters found = reports::read_release_parameters(file.path(), method);
    require(found.complex || found.order > 1.0);
    require(found.noise > 0.0);
  };
  bool any = false;
  for (const auto& [method, name] : kNames<ReleaseMethod>) {
    try {
      taken(method);
      any = true;
    } catch (const input_error&) {  // NOLINT(bugprone-empty-catch): the next method may be its own
    }
  }
  if (!any) throw input_error("a report of no method");
}

void figures(Bytes bytes) {
  const auto json = io::JsonValue::parse_if_json(text_of(bytes), "report.json");
  if (!json) throw input_error("no JSON");
  bool any = false;
  for (const auto& [kind, name] : kNames<FigureKind>) {
    Figure figure;
    try {
      figure = figure_of(kind, {&*json, 1});
    } catch (const input_error&) {  // it has none of this kind
      continue;
    }
    any = true;
    for (const Panel& panel : figure.panels) {
      for (const Series& series : panel.series) {
        require(series.mark == Mark::level ? series.y.empty() : series.x.size() == series.y.size());
        require(series.z.empty() || series.z.size() == series.x.size());
        require(series.texts.empty() || series.texts.size() == series.x.size());
      }
    }
    require(!gnuplot_script(figure, ImageFormat::svg, {}).empty());
    require(!pgfplots_picture(figure, {}).empty());
  }
  if (!any) throw input_error("a report without a figure");
}

}  // namespace pate::fuzz
