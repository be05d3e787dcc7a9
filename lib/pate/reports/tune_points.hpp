#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "pate/reports/report_fields.hpp"
#include "pate/reports/tune_report.hpp"

namespace pate::reports {

/// Which results the points of a tuning have.
struct PointShape {
  bool has_labels = false;
  bool has_queries = false;  ///< points may ask fewer queries than there are
  std::int64_t queries = 0;  ///< all of them

  PointShape(const Tuning& tuning, const TuneSettings& settings)
      : has_labels(tuning.has_labels),
        has_queries(settings.grid.max_answers.has_value()),
        queries(tuning.queries) {}
};

/// The results of a point; an infinite epsilon is null, and so is an order that is none.
template <class Archive>
void fields(Archive& a, Described<Archive, TuningPoint>& point, const PointShape& shape) {
  a("epsilon", point.epsilon, Real{.least = 0.0, .null_is = kInfinity});
  a("order", point.order, Real{.least = 1.0, .null_is = 0.0});
  a("answered", point.answered, Real{0.0});
  if (shape.has_labels) {
    a("correct", point.right, Real{0.0});
    if constexpr (!Archive::kReads) {
      a("accuracy", point.answered > 0.0 ? point.right / point.answered
                                         : std::numeric_limits<double>::quiet_NaN());
    }
  }
  if (shape.has_queries) a("queries", point.queries, Whole{0, shape.queries});
}

/// The parameters of a point, in the order of the axes.
template <class Archive>
void point_parameters(Archive& a, const Aggregator& aggregator) {
  if (aggregator.selection) {
    a("sigma1", aggregator.selection->sigma1);
    a("threshold", aggregator.selection->threshold);
  }
  a(aggregator.noisy_max.names().parameter, aggregator.noisy_max.parameter());
}

/// What a release of a point would publish.
void fields(FieldWriter& a, const ReleasedEpsilon& released);

/// Appends the points as elements of a JSON array, a line each.
void append_points(const Tuning& tuning, const TuneSettings& settings, std::string& text);

/// Reads the points of a report of which everything else has been read. Throws `input_error` naming
/// file and field.
void read_points(const io::JsonValue& points, const TuneSettings& settings, Tuning& tuning);

}  // namespace pate::reports
