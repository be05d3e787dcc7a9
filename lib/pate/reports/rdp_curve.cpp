#include "pate/reports/rdp_curve.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "pate/base/error.hpp"
#include "pate/base/files.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "pate/votes/tables/open_table.hpp"

namespace pate::reports {

namespace {

constexpr std::string_view kHelp = "two columns with the headings order,rdp";

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Which column is which cannot be told from the numbers.
void check_headings(const std::string& file, const std::vector<std::string>& names) {
  constexpr std::array<std::string_view, 4> kOrder{"order", "orders", "alpha", "alphas"};
  const bool both = names.size() == 2;
  const bool order = both && std::ranges::find(kOrder, lower(names.front())) != kOrder.end();
  if (order && lower(names.back()) == "rdp") return;
  const std::string found = names.empty()
                                ? "no headings, without which nothing tells the columns apart"
                                : fmt::format("the headings {}", fmt::join(names, ","));
  throw input_error(
      fmt::format("{}: expected {}, the Renyi order above 1 and the RDP there, found {}", file,
                  kHelp, io::printable(found, 200, io::Letters::any)));
}

// What an action does; where it refuses a number, with what to do about it.
template <class Action>
auto helped_numbers(const Action& action) {
  try {
    return action();
  } catch (const input_error& error) {
    const std::string said = error.what();
    const bool of_number = said.find(": expected a number, ") != std::string::npos ||
                           said.find(": expected a finite number, ") != std::string::npos;
    if (!of_number) throw;
    throw input_error(said + "; leave out the orders at which RDP is not known");
  }
}

}  // namespace

RdpCurve read_rdp_curve(const std::string& path) {
  const auto table = helped_numbers([&] { return io::open_table(path).table; });
  const std::string& file = table->name();
  check_headings(file, table->header().names);
  if (table->dimensions() != 2 || table->columns() != 2) {
    throw input_error(fmt::format("{}: expected {}, found {} column{}", file, kHelp,
                                  table->columns(), table->columns() == 1 ? "" : "s"));
  }
  if (table->rows() < 1) {
    throw input_error(fmt::format("{}: expected at least one row of {}, found none", file, kHelp));
  }
  RdpCurve curve;
  for (std::int64_t row = 0; row < table->rows(); ++row) {
    std::array<double, 2> both{};
    helped_numbers([&] { table->read_reals(row, 1, 0, 2, both); });
    const auto [order, rdp] = both;
    const auto fail = [&](int column, const std::string& expected, double found) {
      throw input_error(fmt::format("{}: row {}, column {}: expected {}, found {}", file, row,
                                    column, expected, found));
    };
    if (!(order >= kLowestOrder && order <= kHighestOrder)) {
      fail(0, fmt::format("a Renyi order above 1 and at most {:g}", kHighestOrder), order);
    }
    if (!curve.orders.empty() && !(order > curve.orders.back())) {
      fail(0, fmt::format("an order above that of the row before, {}", curve.orders.back()), order);
    }
    if (!(rdp >= 0.0)) fail(1, "an RDP >= 0", rdp);
    curve.orders.push_back(order);
    curve.rdp.push_back(rdp);
  }
  return curve;
}

std::string rdp_curve_csv(std::span<const double> orders, std::span<const double> rdp) {
  std::string text = "order,rdp\n";
  for (std::size_t k = 0; k < orders.size(); ++k) {
    if (!std::isfinite(rdp[k])) continue;
    fmt::format_to(std::back_inserter(text), "{},{}\n", orders[k], rdp[k]);
  }
  return text;
}

}  // namespace pate::reports
