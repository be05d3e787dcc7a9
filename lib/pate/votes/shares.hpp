#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace pate {

/// Whether every `width` of the values are in [0, 1] and sum to 1 within 1e-3: shares of votes, or
/// the scores of a model. False where a row has one value.
[[nodiscard]] bool rows_are_shares(std::span<const double> values, std::size_t width);

/// Whether the values are counts of so many teachers divided by their number: each is one within
/// 1e-6, the counts of every row sum to `teachers`, and no rounding explains it.
///
/// Values of d decimals are whole times 10^d, whatever they were before they were rounded, and of
/// few values some number of teachers makes all of them whole. So no fewer teachers may have shares
/// that are rounded to these, and the different values, a share and its complement once, must be
/// unlikely to fit: if p is the part of all values of as many decimals (of reals where they are
/// many) that lie as near to a count, n of them must have p^n <= 1e-6. That is a rule for what is
/// offered to a person, and no proof. Of at most 10,000 teachers.
[[nodiscard]] bool are_shares_of(std::span<const double> values, std::size_t width,
                                 std::int64_t teachers);

/// The least number of teachers up to 10,000 that the values are shares of, or none: of 10,000 that
/// are tried p^n <= 1e-10 is asked for. Ensembles of two or more times as many teachers may have
/// the same shares.
[[nodiscard]] std::optional<std::int64_t> teachers_of_shares(std::span<const double> values,
                                                             std::size_t width);

}  // namespace pate
