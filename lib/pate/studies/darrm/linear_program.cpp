#include "pate/studies/darrm/linear_program.hpp"

#include "pate/base/error.hpp"

#ifdef PATE_HAVE_CLP

#include <coin/Clp_C_Interface.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>

// Null where the program was not linked with the solver.
#pragma weak Clp_newModel
#pragma weak Clp_deleteModel
#pragma weak Clp_setLogLevel
#pragma weak Clp_setOptimizationDirection
#pragma weak Clp_setPrimalTolerance
#pragma weak Clp_setDualTolerance
#pragma weak Clp_scaling
#pragma weak Clp_addColumns
#pragma weak Clp_addRows
#pragma weak Clp_dual
#pragma weak Clp_primal
#pragma weak Clp_status
#pragma weak Clp_getColSolution
#pragma weak Clp_getRowPrice

namespace pate {

struct LinearProgram::Model {
  // The functions of the solver, linked or loaded.
  struct Clp {
    // Loaded once, and kept until the process ends.
    static const Clp& get() {
      static const Clp clp;
      return clp;
    }

   private:
    void* library_ = &Clp_newModel != nullptr ? nullptr : dlopen(PATE_CLP_SONAME, RTLD_NOW);
    bool is_missing_ = false;

    template <typename Function>
    Function* find(Function* linked, const char* name) {
      if (linked != nullptr) return linked;
      if (library_ == nullptr) {
        is_missing_ = true;
        return nullptr;
      }
      auto* const found = std::bit_cast<Function*>(dlsym(library_, name));
      is_missing_ = is_missing_ || found == nullptr;
      return found;
    }

   public:
    decltype(&Clp_newModel) newModel = find(&Clp_newModel, "Clp_newModel");
    decltype(&Clp_deleteModel) deleteModel = find(&Clp_deleteModel, "Clp_deleteModel");
    decltype(&Clp_setLogLevel) setLogLevel = find(&Clp_setLogLevel, "Clp_setLogLevel");
    decltype(&Clp_setOptimizationDirection) setOptimizationDirection =
        find(&Clp_setOptimizationDirection, "Clp_setOptimizationDirection");
    decltype(&Clp_setPrimalTolerance) setPrimalTolerance =
        find(&Clp_setPrimalTolerance, "Clp_setPrimalTolerance");
    decltype(&Clp_setDualTolerance) setDualTolerance =
        find(&Clp_setDualTolerance, "Clp_setDualTolerance");
    decltype(&Clp_scaling) scaling = find(&Clp_scaling, "Clp_scaling");
    decltype(&Clp_addColumns) addColumns = find(&Clp_addColumns, "Clp_addColumns");
    decltype(&Clp_addRows) addRows = find(&Clp_addRows, "Clp_addRows");
    decltype(&Clp_dual) dual = find(&Clp_dual, "Clp_dual");
    decltype(&Clp_primal) primal = find(&Clp_primal, "Clp_primal");
    decltype(&Clp_status) status = find(&Clp_status, "Clp_status");
    decltype(&Clp_getColSolution) getColSolution = find(&Clp_getColSolution, "Clp_getColSolution");
    decltype(&Clp_getRowPrice) getRowPrice = find(&Clp_getRowPrice, "Clp_getRowPrice");

    [[nodiscard]] bool is_there() const { return !is_missing_; }
  };

  const Clp& solver = Clp::get();
  Clp_Simplex* clp = nullptr;
  std::vector<double> objective;
  std::vector<std::vector<double>> rows;
  std::vector<double> limits;  // of the rows
  std::size_t sent = 0;        // how many of the rows the solver has

  Model() {
    if (!solver.is_there()) {
      throw validity_error(
          "COIN-OR CLP, the solver of linear programs that the optimal noise function needs, "
          "cannot be loaded (" PATE_CLP_SONAME
          "): install coinor-libclp1; the other noise functions need none");
    }
    clp = solver.newModel();
  }
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  ~Model() { solver.deleteModel(clp); }
};

bool LinearProgram::is_available() {
  return Model::Clp::get().is_there();
}

LinearProgram::LinearProgram(std::span<const double> objective)
    : model_(std::make_unique<Model>()) {
  const Model::Clp& solver = model_->solver;
  model_->objective.assign(objective.begin(), objective.end());
  solver.setLogLevel(model_->clp, 0);
  solver.setOptimizationDirection(model_->clp, -1.0);
  solver.setPrimalTolerance(model_->clp, 1e-11);
  solver.setDualTolerance(model_->clp, 1e-11);
  // Its scaling loses rows that it has: the optimum violates them.
  solver.scaling(model_->clp, 0);
  const std::vector<double> low(objective.size(), 0.0);
  const std::vector<double> high(objective.size(), 1.0);
  solver.addColumns(model_->clp, static_cast<int>(objective.size()), low.data(), high.data(),
                    objective.data(), nullptr, nullptr, nullptr);
}

LinearProgram::~LinearProgram() = default;

void LinearProgram::add_row(std::span<const double> row, double most) {
  model_->rows.emplace_back(row.begin(), row.end());
  model_->limits.push_back(most);
}

LinearProgram::Solution LinearProgram::solve() {
  Model& model = *model_;
  const Model::Clp& solver = model.solver;
  const std::size_t columns = model.objective.size();
  std::vector<double> elements;
  std::vector<CoinBigIndex> starts{0};
  std::vector<int> indices;
  std::vector<double> high;
  for (; model.sent < model.rows.size(); ++model.sent) {
    high.push_back(model.limits[model.sent]);
    for (std::size_t j = 0; j < columns; ++j) {
      elements.push_back(model.rows[model.sent][j]);
      indices.push_back(static_cast<int>(j));
    }
    starts.push_back(static_cast<CoinBigIndex>(elements.size()));
  }
  const std::size_t added = starts.size() - 1;
  const std::vector<double> low(added, -std::numeric_limits<double>::max());
  if (added > 0) {
    solver.addRows(model.clp, static_cast<int>(added), low.data(), high.data(), starts.data(),
                   indices.data(), elements.data());
  }
  // The last optimum stays optimal but for the new rows.
  (void)solver.dual(model.clp, 0);
  if (solver.status(model.clp) != 0) (void)solver.primal(model.clp, 0);
  if (solver.status(model.clp) != 0) {
    throw validity_error(fmt::format("the linear program of {} rows found no optimum (status {})",
                                     model.rows.size(), solver.status(model.clp)));
  }
  Solution result;
  const double* x = solver.getColSolution(model.clp);
  const double* price = solver.getRowPrice(model.clp);
  result.x.assign(x, x + columns);
  for (double& value : result.x) value = std::clamp(value, 0.0, 1.0);
  std::vector<double> left = model.objective;
  for (std::size_t i = 0; i < model.rows.size(); ++i) {
    const double y = std::max(price[i], 0.0);
    if (y == 0.0) continue;
    result.upper += y * model.limits[i];
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

void LinearProgram::add_row(std::span<const double> /*row*/, double /*most*/) {}

LinearProgram::Solution LinearProgram::solve() {
  return {};
}

}  // namespace pate

#endif
