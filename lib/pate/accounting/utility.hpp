#pragma once

#include <cstdint>
#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/accounting/run.hpp"

namespace pate {

/// How often the released labels of a run with known true labels are right:
///
///     expected_accuracy  = sum_x Pr[answered_x] Pr[output_x = label_x] / sum_x Pr[answered_x]
///     plurality_accuracy = share of the queries whose plurality (lowest class on ties) is the
///     label
///
/// Exact integrals, no sampling; relative accuracy 1e-10. NaN for a run without queries.
/// Independent of the number of threads, bit for bit. Throws `parameter_error` without labels.
[[nodiscard]] Utility utility(const Run& run, unsigned threads);

/// The selection statistic of a query (0 without a selection) and the probability that its released
/// label is right if it is answered.
struct LabelledQuery {
  std::int64_t statistic = 0;
  double right = 0.0;
};

/// Of every query of the run, in the order of the selection; relative accuracy 1e-10. Throws like
/// `utility`.
[[nodiscard]] std::vector<LabelledQuery> labelled_queries(const Run& run, unsigned threads);

}  // namespace pate
