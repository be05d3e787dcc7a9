#include "pate/majority/linear_program.hpp"

#include "pate/error.hpp"

#ifdef PATE_HAVE_CLP

#include <coin/Clp_C_Interface.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>

// Null where the program was not linked with the solver.
#define PATE_OF_CLP(function) \
  extern "C" __attribute__((weak)) decltype(Clp_##function) Clp_##function
PATE_OF_CLP(newModel);
PATE_OF_CLP(deleteModel);
PATE_OF_CLP(setLogLevel);
PATE_OF_CLP(setOptimizationDirection);
PATE_OF_CLP(setPrimalTolerance);
PATE_OF_CLP(setDualTolerance);
PATE_OF_CLP(scaling);
PATE_OF_CLP(addColumns);
PATE_OF_CLP(addRows);
PATE_OF_CLP(dual);
PATE_OF_CLP(primal);
PATE_OF_CLP(status);
PATE_OF_CLP(getColSolution);
PATE_OF_CLP(getRowPrice);
#undef PATE_OF_CLP

namespace pate {

struct LinearProgram::Model {
  // The functions of the solver, linked or loaded.
  struct Clp {
    Clp() {
      if (Clp_newModel == nullptr) {
        library_ = dlopen(PATE_CLP_SONAME, RTLD_NOW | RTLD_LOCAL);
        is_there = library_ != nullptr;
      }
#define PATE_FROM_CLP(function) find(function, Clp_##function, "Clp_" #function)
      PATE_FROM_CLP(newModel);
      PATE_FROM_CLP(deleteModel);
      PATE_FROM_CLP(setLogLevel);
      PATE_FROM_CLP(setOptimizationDirection);
      PATE_FROM_CLP(setPrimalTolerance);
      PATE_FROM_CLP(setDualTolerance);
      PATE_FROM_CLP(scaling);
      PATE_FROM_CLP(addColumns);
      PATE_FROM_CLP(addRows);
      PATE_FROM_CLP(dual);
      PATE_FROM_CLP(primal);
      PATE_FROM_CLP(status);
      PATE_FROM_CLP(getColSolution);
      PATE_FROM_CLP(getRowPrice);
#undef PATE_FROM_CLP
    }

    // Loaded once, and kept until the process ends.
    static const Clp& get() {
      static const Clp clp;
      return clp;
    }

    bool is_there = true;
    decltype(&Clp_newModel) newModel;
    decltype(&Clp_deleteModel) deleteModel;
    decltype(&Clp_setLogLevel) setLogLevel;
    decltype(&Clp_setOptimizationDirection) setOptimizationDirection;
    decltype(&Clp_setPrimalTolerance) setPrimalTolerance;
    decltype(&Clp_setDualTolerance) setDualTolerance;
    decltype(&Clp_scaling) scaling;
    decltype(&Clp_addColumns) addColumns;
    decltype(&Clp_addRows) addRows;
    decltype(&Clp_dual) dual;
    decltype(&Clp_primal) primal;
    decltype(&Clp_status) status;
    decltype(&Clp_getColSolution) getColSolution;
    decltype(&Clp_getRowPrice) getRowPrice;

   private:
    template <typename Function>
    void find(Function*& function, Function* linked, const char* name) {
      function = linked;
      if (function != nullptr || !is_there) return;
      function = reinterpret_cast<Function*>(dlsym(library_, name));
      is_there = function != nullptr;
    }

    void* library_ = nullptr;
  };

  const Clp& solver = Clp::get();
  Clp_Simplex* clp = nullptr;
  std::vector<double> objective;
  std::vector<std::vector<double>> rows;
  std::size_t sent = 0;  // how many of the rows the solver has

  Model() {
    if (!solver.is_there) {
      throw validity_error(
          "COIN-OR CLP, the solver of linear programs that the optimal noise function needs, "
          "cannot be loaded (" PATE_CLP_SONAME
          "): install coinor-libclp1; the other noise functions need none");
    }
    clp = solver.newModel();
  }
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  ~Model() {
    solver.deleteModel(clp);
  }
};

bool LinearProgram::is_available() {
  return Model::Clp::get().is_there;
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

void LinearProgram::add_row(std::span<const double> row) {
  model_->rows.emplace_back(row.begin(), row.end());
}

LinearProgram::Solution LinearProgram::solve() {
  Model& model = *model_;
  const Model::Clp& solver = model.solver;
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
