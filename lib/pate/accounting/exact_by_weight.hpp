#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "pate/accounting/exact_account.hpp"
#include "pate/accounting/report.hpp"
#include "pate/accounting/teacher_votes.hpp"
#include "pate/mechanisms/aggregator.hpp"

namespace pate {

/// The exact costs of teachers whose votes count by weights: weight by weight, then together.
class ExactByWeight {
 public:
  /// `votes` are those of all `teachers`, `partials` of their weighted counts, both must outlive
  /// this; `in_units`: the aggregator with its noise in units of the counts, of which there are
  /// `units` in all.
  ExactByWeight(const ExactPartials& partials, TeacherVotes& votes, const Aggregator& in_units,
                std::int64_t units, std::size_t teachers, ExactSettings settings);

  /// Adds the costs of these teachers, each of which has `weight` units. `account`: with the bounds
  /// of that weight, which say where to look for the best orders; it is not changed. Returns what
  /// that one pays who pays most.
  double add(std::int64_t weight, std::vector<std::uint32_t> teachers, const Account& account);

  /// Adds what all of them pay to the account of the run: the entries `exact_per_teacher`, each
  /// that of the teacher who pays most, and every teacher's own epsilon. The conversion `profile`
  /// is there where it is known of every weight. Of orders that were chosen `Account::exact` too:
  /// at each the largest RDP of a teacher of any weight, whoever of that weight it is.
  void fill(Account& account) const;

 private:
  const ExactPartials& partials_;
  TeacherVotes& votes_;
  Aggregator in_units_;
  std::int64_t units_;
  ExactSettings settings_;
  std::vector<CostEntry> entries_;
  PerTeacher teachers_;
  std::vector<Notice> notices_;
  std::optional<ExactCurves> curves_;
};

}  // namespace pate
