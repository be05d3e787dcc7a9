#include "pate/reports/exports.hpp"

#include "pate/reports/fields.hpp"
#include "pate/reports/report_fields.hpp"
#include "pate/reports/report_text.hpp"

namespace pate::reports {

namespace {

void direction_fields(FieldWriter& a, const LossDistribution& losses) {
  a("discretization", losses.step);
  a("lower_loss", losses.first);
  a("infinity_mass", losses.infinity_mass);
  a("probs", losses.masses);
}

}  // namespace

std::string losses_json(const RecordLosses& losses, const CostEntry& entry, bool protects_records,
                        const std::string& version) {
  FieldWriter json;
  json("schema", "pate/pld/v1");
  write_tool(json, version);
  json("estimate", "pessimistic");
  json("bound", entry.bound);
  json("protects", protects_records ? "record" : "teacher");
  json("releasable", entry.releasable);
  json.object("forward", [&](FieldWriter& a) { direction_fields(a, losses.forward); });
  json.object("reverse", [&](FieldWriter& a) { direction_fields(a, losses.reverse); });
  return json.text();
}

}  // namespace pate::reports
