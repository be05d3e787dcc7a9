#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pate/base/parallel/parallel_for.hpp"
#include "pate/release/curve/curve_release.hpp"
#include "pate/release/declared/modulus_table.hpp"
#include "pate/reports/report_context.hpp"

namespace pate::reports {

/// Says that a directory for tables was given to a run that keeps none: moduli at complex orders of
/// so many teachers are too many for files, and computed anew.
[[nodiscard]] Notice tables_unused();

/// What a release through a curve computes from public inputs alone, kept in files of a directory:
/// the tables of costs, and the default parameters. Nothing in them is of the votes. A file is
/// named by a digest of its inputs, which it repeats:
///
///     pate curve tables 3
///     sources SHA256                       of the sources that computed them (`curve_sources`)
///     tilted joint teachers=250 ...        the inputs, reals in hexadecimal
///     N SHA256                             how many numbers follow, their digest
///     N little-endian int64
///
/// Files are written atomically; several programs may share a directory. What a file says is taken
/// only if all of that is as expected, and costs only if those that are computed anew agree
/// (`CostsWithinDistance`): else `input_error` with its path. A digest is no protection from who
/// may write, nor are entries picked at random where few are changed: so directory and files must
/// be this user's or root's, and nobody else may write to them (`require_own`). Writing throws
/// `output_error`.
///
/// Moduli at complex orders are kept the same way where they take a gigabyte at most. They are
/// many: a file of their own, `NAME.moduli`, has them as floats and nothing else, and the other,
/// the small one that is named by their inputs, its digest. It is mapped, not copied.
class CurveTables : public CurveTableSource {
 public:
  /// Makes the directory if there is none; an empty path keeps nothing.
  explicit CurveTables(std::filesystem::path directory);

  /// The files that were read or written so far, for the report.
  [[nodiscard]] const std::vector<TableFile>& used() const { return used_; }

  /// From a file where there is one, else computed and kept.
  [[nodiscard]] std::shared_ptr<const CostsWithinDistance> costs(
      const CostSpec& question, unsigned threads, const ProgressCallback& progress) const override;

  /// The same of several orders; those that are in no file are computed together.
  [[nodiscard]] std::vector<std::shared_ptr<const CostsWithinDistance>> costs_at(
      const CostSpec& question, std::span<const double> orders, unsigned threads,
      const ProgressCallback& progress) const override;

  /// The same, both files.
  [[nodiscard]] CurveRecipe recipe(const CostSpec& question, std::int64_t queries, double delta,
                                   unsigned threads,
                                   const ProgressCallback& progress) const override;

  /// The parameters alone, as they are few.
  [[nodiscard]] ComplexParameters complex_recipe(const CostSpec& question, std::int64_t queries,
                                                 double delta, unsigned threads,
                                                 const ProgressCallback& progress) const override;

  /// From a file of all moduli, or one is made, where there are not too many of them.
  [[nodiscard]] std::vector<ComplexCosts> complex_costs(
      const CostSpec& question, const ComplexOrders& orders, std::span<const VoteProfile> runs,
      unsigned threads, const ProgressCallback& progress, std::size_t distances) const override;
  /// Whether it took one that was too large to be kept.
  [[nodiscard]] bool has_unused() const { return has_unused_; }

 private:
  [[nodiscard]] std::filesystem::path path_of(const std::string& inputs) const;
  // Calls take(numbers) if there is a file of these inputs, and says whether there is.
  template <class Take>
  [[nodiscard]] bool read(const std::string& inputs, const Take& take) const;
  // What the file of a question has; null without one.
  [[nodiscard]] std::shared_ptr<const CostsWithinDistance> kept(const CostSpec& question) const;
  void write(const std::string& inputs, std::span<const std::int64_t> numbers) const;
  // The same of moduli.
  [[nodiscard]] std::unique_ptr<const ModulusTable> kept(const KeyModuli& moduli,
                                                         const std::string& inputs,
                                                         unsigned threads) const;
  void write(const std::string& inputs, const ModulusTable& table) const;

  std::filesystem::path directory_;
  mutable std::vector<TableFile> used_;  // what costs() and recipe() used, for who asks later
  mutable bool has_unused_ = false;
  // The moduli that were asked for last, which default parameters and a run share.
  mutable std::unique_ptr<const ModulusTable> last_;
  mutable std::string last_of_;
};

}  // namespace pate::reports
