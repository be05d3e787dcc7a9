#pragma once

#include <cstdint>

#include "pate/accounting/partials.hpp"
#include "pate/reports/fields.hpp"

namespace pate::reports {

/// What the votes of a shard must fit.
struct ShardSize {
  std::int64_t teachers = 0, classes = 0, queries = 0;
};

/// The member `exact` of the partials: distinct queries as groups of classes with equal counts, as
/// columns, and with predictions the sums of the teachers in fixed point and, of few, who voted for
/// what. They read back exactly; the reader throws `input_error` where groups or counts do not fit
/// the size.
void fields(FieldWriter& a, const ExactPartials& partials, const ShardSize& size);
void fields(FieldReader& a, ExactPartials& partials, const ShardSize& size);

}  // namespace pate::reports
