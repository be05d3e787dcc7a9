#pragma once

#include <span>
#include <string>
#include <vector>

namespace pate::reports {

/// RDP at some orders, as files of other accountants have it: CSV with the columns order and rdp.
struct RdpCurve {
  std::vector<double> orders;  ///< increasing
  std::vector<double> rdp;
};

/// Reads a table of two columns, an order and the RDP there: in any format of
/// votes/tables/open_table.hpp, with or without the headings order (or alpha) and rdp. Throws
/// `input_error` naming file, row, column and value for another number of columns, other headings,
/// orders that are not above 1 or do not increase, and RDP that is negative or not finite.
[[nodiscard]] RdpCurve read_rdp_curve(const std::string& path);

/// The same as CSV text, with a heading; the numbers read back to the same doubles. Where RDP is
/// not finite nothing is known, and the order is left out.
[[nodiscard]] std::string rdp_curve_csv(std::span<const double> orders,
                                        std::span<const double> rdp);

}  // namespace pate::reports
