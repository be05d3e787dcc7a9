#pragma once

#include <cstdint>
#include <vector>

#include "pate/release/as_published/sensitivity_curve.hpp"
#include "pate/reports/fields.hpp"

namespace pate::reports {

/// What Algorithm 3 of W19 says of a noisy maximum at an order, whatever the votes.
struct PublishedSensitivity {
  double order = 0.0;
  SensitivityCurve curve;
};

/// What it says of some queries.
struct QuerySensitivities {
  struct Query {
    std::int64_t query = 0;  ///< row of the votes
    QuerySensitivity sensitivity;
  };
  double order = 0.0;
  double log_q0 = 0.0, log_q1 = 0.0;  ///< between them the bound is that of q1
  std::vector<Query> queries;
};

void fields(FieldWriter& a, const SensitivityCurve& curve);
void fields(FieldWriter& a, const PublishedSensitivity& sensitivity);
void fields(FieldWriter& a, const QuerySensitivities& sensitivities);

}  // namespace pate::reports
