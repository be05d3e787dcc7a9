#pragma once

namespace pate {

/// The smallest epsilon that an RDP at one order promises at delta: no pair of distributions with
/// D_order(P || Q) <= rdp needs more, and one of two outcomes each needs it. With t = e^epsilon,
///
///     sup { E_Q[(L - t)_+] : E_Q[L] = 1, E_Q[L^order] <= e^((order - 1) rdp) } <= delta.
///
/// It needs E_Q[L] = 1, so one pair of distributions and its one RDP: for an epsilon that depends
/// on the outcome it does not hold, and `Conversion::improved` does.
///
/// Certified from above: for any 0 <= y <= 1 < x, with a = order, b = a - 1, m = e^(b rdp) - 1,
/// psi(y) = 1 - a y^b + b y^a >= 0, two tangents of L^a give
///
///     delta = (m + psi(y)) / (a (x^b - y^b))   at   t = (b/a) (x^a - y^a) / (x^b - y^b).
///
/// x follows from delta and y; y is where the outcomes x and y attain the supremum, and any other y
/// gives a larger epsilon, never a wrong one. y = 0 is the improved conversion, y = 1 is smaller
/// than log(m/(a delta) + 1)/b (Asoodeh, Liao, Calmon, Kosut, Sankar 2021). Where a delta >= 1 the
/// supremum is at an outcome that Q never has alone: epsilon = rdp + log(1 - delta).
///
/// At least 0, at most the improved one where that is at least 0; infinite for an infinite rdp.
/// Rounded upwards: less than 1e-9 above what a RDP larger by 1e-9 has. Domain: order > 1,
/// rdp >= 0, 0 < delta < 1.
[[nodiscard]] double optimal_epsilon(double rdp, double order, double delta);

/// The same in a third of the time, for very many: as much an upper bound, within 1e-9 of it, but
/// with y from a few secants in log log 1/y, which begin where the supremum's condition is linear.
/// Where they do not settle the search is that of `optimal_epsilon`. The same domain.
[[nodiscard]] double quick_optimal_epsilon(double rdp, double order, double delta);

}  // namespace pate
