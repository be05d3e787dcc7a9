#include "pate/majority/linear_program.hpp"

#include "pate/error.hpp"

#ifdef PATE_HAVE_CLP

#include <coin/Clp_C_Interface.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace pate {

struct LinearProgram::Model {
  Clp_Simplex* clp = Clp_newModel();
  std::vector<double> objective;
  std::vector<std::vector<double>> rows;
  std::size_t sent = 0;  // how many of the rows the solver has

  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  ~Model() { Clp_deleteModel(clp); }
};

bool LinearProgram::is_available() {
  return true;
}

LinearProgram::LinearProgram(std::span<const double> objective)
    : model_(std::make_unique<Model>()) {
  model_->objective.assign(objective.begin(), objective.end());
  Clp_setLogLevel(model_->clp, 0);
  Clp_setOptimizationDirection(model_->clp, -1.0);
  Clp_setPrimalTolerance(model_->clp, 1e-11);
  Clp_setDualTolerance(model_->clp, 1e-11);
  // Its scaling loses rows that it has: the optimum violates them.
  Clp_scaling(model_->clp, 0);
  const std::vector<double> low(objective.size(), 0.0);
  const std::vector<double> high(objective.size(), 1.0);
  Clp_addColumns(model_->clp, static_cast<int>(objective.size()), low.data(), high.data(),
                 objective.data(), nullptr, nullptr, nullptr);
}

LinearProgram::~LinearProgram() = default;

void LinearProgram::add_row(std::span<const double> row) {
  model_->rows.emplace_back(row.begin(), row.end());
}

LinearProgram::Solution LinearProgram::solve() {
  Model& model = *model_;
  const std::size_t columns = model.objective.size();
  std::vector<double> elements;
  std::vector<CoinBigIndex> starts{0};
  std::vector<int> indices;
  for (; model.sent < model.rows.size(); ++model.sent) {
    for (std::size_t j = 0; j < columns; ++j) {
      elements.push_back(model.rows[model.sent][j]);
      indices.push_back(static_cast<int>(j));
    }
    starts.push_back(static_cast<CoinBigIndex>(elements.size()));
  }
  const std::size_t added = starts.size() - 1;
  const std::vector<double> low(added, -std::numeric_limits<double>::max());
  const std::vector<double> high(added, 1.0);
  if (added > 0) {
    Clp_addRows(model.clp, static_cast<int>(added), low.data(), high.data(), starts.data(),
                indices.data(), elements.data());
  }
  // The last optimum stays optimal but for the new rows.
  (void)Clp_dual(model.clp, 0);
  if (Clp_status(model.clp) != 0) (void)Clp_primal(model.clp, 0);
  if (Clp_status(model.clp) != 0) {
    throw validity_error(fmt::format("the linear program of {} rows found no optimum (status {})",
                                     model.rows.size(), Clp_status(model.clp)));
  }
  Solution result;
  const double* x = Clp_getColSolution(model.clp);
  const double* price = Clp_getRowPrice(model.clp);
  result.x.assign(x, x + columns);
  for (double& value : result.x) value = std::clamp(value, 0.0, 1.0);
  std::vector<double> left = model.objective;
  for (std::size_t i = 0; i < model.rows.size(); ++i) {
    const double y = std::max(price[i], 0.0);
    if (y == 0.0) continue;
    result.upper += y;
    for (std::size_t j = 0; j < columns; ++j) left[j] -= y * model.rows[i][j];
  }
  for (const double value : left) result.upper += std::max(value, 0.0);
  return result;
}

}  // namespace pate

#else

namespace pate {

struct LinearProgram::Model {};

bool LinearProgram::is_available() {
  return false;
}

LinearProgram::LinearProgram(std::span<const double> /*objective*/) {
  throw validity_error(
      "this program was built without a solver of linear programs, which the optimal noise "
      "function "
      "needs: install coinor-libclp-dev and build it again; the other noise functions need none");
}

LinearProgram::~LinearProgram() = default;

void LinearProgram::add_row(std::span<const double> /*row*/) {}

LinearProgram::Solution LinearProgram::solve() {
  return {};
}

}  // namespace pate

#endif
