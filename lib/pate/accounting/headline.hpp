#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "pate/accounting/report.hpp"

namespace pate {

/// Which costs may be the headline; unset picks by the default order of reports.
struct HeadlineChoice {
  std::optional<GuaranteeKind> reading;
  std::optional<EpsilonMethod> conversion;
  std::optional<Bound> bound = {};
};

/// Position of the headline: among the costs that the choice allows the smallest fixed epsilon,
/// whatever its bound and conversion, the first of equal ones. Fixed promises may be compared by
/// size. Others may not, since the smallest of two epsilons of the outcome is none: without a fixed
/// one the first of the outcome, in the order of the entries, and without any the first. Throws
/// `parameter_error` naming the costs there are where none is allowed.
[[nodiscard]] std::size_t headline_of(std::span<const CostEntry> costs,
                                      const HeadlineChoice& choice);

/// The same where sums over queries were interpolated. `settle` replaces those behind all costs of
/// a bound, reading and order by sums taken query by query, until the headline has one.
[[nodiscard]] std::size_t settled_headline(
    std::span<const CostEntry> costs, const HeadlineChoice& choice,
    const std::function<void(Bound, GuaranteeKind, double order)>& settle);

/// Tells of a run whose queries followed answers, its own or earlier ones. A promise by these votes
/// is about a list that was fixed before: such costs become those of this outcome, without a
/// promise, and the headline is chosen anew among all; those of single teachers and the profile are
/// left out.
void follow_answers(Account& account);
[[nodiscard]] bool follows_answers(const Account& account);

/// Names the smallest cost that holds for any votes, which may always be published. Nothing is
/// compared with it: to publish the smaller of two numbers is a choice by the votes.
void add_publishable_notice(std::span<const CostEntry> costs, std::vector<Notice>& notices);

/// What a reader must know of the headline, costs[headline]: that it must not be published and what
/// may be instead, or that the publishable one is smaller, that it is an expectation, holds at a
/// fixed order or in one direction only.
void add_headline_notices(std::span<const CostEntry> costs, std::size_t headline,
                          std::vector<Notice>& notices);

}  // namespace pate
