#include "pate/accounting/names.hpp"

#include <array>
#include <cstddef>

namespace pate {

namespace {

template <class Value, std::size_t n>
std::optional<Value> named(const std::array<Value, n>& values, std::string_view word) {
  for (const Value value : values) {
    if (name(value) == word) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view name(Bound bound) {
  switch (bound) {
    case Bound::data_independent:
      return "data_independent";
    case Bound::published:
      return "published";
    case Bound::tradeoff:
      return "tradeoff";
    case Bound::exact:
      return "exact";
    case Bound::exact_per_teacher:
      return "exact_per_teacher";
  }
  return "";
}

std::string_view name(Reading reading) {
  switch (reading) {
    case Reading::joint:
      return "joint";
    case Reading::expected:
      return "expected";
    case Reading::realized:
      return "realized";
    case Reading::worst_case:
      return "worst_case";
  }
  return "";
}

std::string_view name(ReportedConversion conversion) {
  switch (conversion) {
    case ReportedConversion::classic:
      return "classic";
    case ReportedConversion::improved:
      return "improved";
    case ReportedConversion::gdp:
      return "gdp";
    case ReportedConversion::pure:
      return "pure";
    case ReportedConversion::kov:
      return "kov";
  }
  return "";
}

std::optional<Bound> bound_named(std::string_view word) {
  return named(std::array{Bound::data_independent, Bound::published, Bound::tradeoff}, word);
}

std::optional<Reading> reading_named(std::string_view word) {
  return named(
      std::array{Reading::joint, Reading::expected, Reading::realized, Reading::worst_case}, word);
}

std::optional<ReportedConversion> conversion_named(std::string_view word) {
  return named(
      std::array{ReportedConversion::classic, ReportedConversion::improved, ReportedConversion::gdp,
                 ReportedConversion::pure, ReportedConversion::kov},
      word);
}

std::string_view direction_name(Bound bound) {
  return bound == Bound::published ? "forward" : "both";
}

}  // namespace pate
