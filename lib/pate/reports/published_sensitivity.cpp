#include "pate/reports/published_sensitivity.hpp"

namespace pate::reports {

void fields(FieldWriter& a, const SensitivityCurve& curve) {
  a("log_q", curve.log_q);
  a("up", curve.up);
  a("down", curve.down);
  a("bound", curve.bound);
  a("loss", curve.loss);
}

void fields(FieldWriter& a, const PublishedSensitivity& sensitivity) {
  a("order", sensitivity.order);
  fields(a, sensitivity.curve);
}

void fields(FieldWriter& a, const QuerySensitivities& sensitivities) {
  a("order", sensitivities.order);
  a("log_q0", sensitivities.log_q0);
  a("log_q1", sensitivities.log_q1);
  const io::JsonWriter queries = a.place().member("queries");
  queries.set_empty_array();
  for (const auto& [query, sensitivity] : sensitivities.queries) {
    FieldWriter row(queries.element());
    row("query", query);
    row("up", sensitivity.up);
    row("down", sensitivity.down);
    row("bound", sensitivity.bound);
    row("loss", sensitivity.loss);
  }
}

}  // namespace pate::reports
