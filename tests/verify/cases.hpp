#pragma once

#include <cmath>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "pate/mechanisms/noisy_max.hpp"
#include "pate/mechanisms/threshold_check.hpp"
#include "verify/reference.hpp"

namespace verify {

/// Random numbers of one case, from its number alone (splitmix64).
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
  }
  double unit() { return (static_cast<double>(bits() >> 11U) + 0.5) * 0x1p-53; }
  double between(double a, double b) { return a + (b - a) * unit(); }
  /// Its logarithm is uniform.
  double scale(double a, double b) { return std::exp(between(std::log(a), std::log(b))); }
  std::int64_t integer(std::int64_t a, std::int64_t b) {
    return a + static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(b - a + 1));
  }
  bool chance(double p) { return unit() < p; }

  // The domain.
  double sigma() { return chance(0.5) ? scale(1e-3, 1e6) : scale(0.5, 500.0); }
  double order() { return 1.0 + (chance(0.5) ? scale(1e-9, 1e5) : scale(0.1, 100.0)); }
  double log_q() { return chance(0.1) ? between(-1e5, 0.0) : -scale(1e-3, 1e5); }
  double delta() { return chance(0.5) ? scale(1e-300, 0.5) : scale(1e-12, 0.1); }
  std::int64_t teachers() { return static_cast<std::int64_t>(scale(1.0, 1e6 + 0.999)); }
  std::int64_t classes() { return static_cast<std::int64_t>(scale(2.0, 1000.999)); }
  /// Votes of so many teachers on so many classes: uneven at random.
  std::vector<std::int32_t> counts(std::int64_t teachers, std::int64_t classes);

 private:
  std::uint64_t state_;
};

/// One case: what it is about, and every number of the library beside the reference.
class Case {
 public:
  /// Costs: at least the reference and at most (1 + 1e-9) times it. Below 1e-300 anything positive
  /// goes that is no larger than 1e-300.
  void cost(const char* what, double value, const Real& reference, double room = 1e-9);
  /// An epsilon from RDP and what its conversion adds, which may be negative: at least their sum,
  /// and above it by at most 1e-9 of it or, where they cancel, of the RDP, which is that much
  /// above.
  void converted(const char* what, double value, const Real& rdp, const Real& added);
  /// An epsilon by the optimal conversion: at least the reference, and above it by at most 1e-9 or
  /// what an RDP larger by 2e-9 makes.
  void optimal(const char* what, double value, const Real& rdp, const Real& order,
               const Real& delta);
  /// |value - reference| <= room |reference|.
  void near(const char* what, double value, const Real& reference, double room);
  /// From below: at most the reference, at least (1 - room) times it.
  void lower(const char* what, double value, const Real& reference, double room);
  void require(const char* what, bool holds);
  /// An input, for the message.
  void input(const char* name, double value);
  void input(const char* name, std::span<const std::int32_t> counts);

  struct Compared {
    const char* what;
    double relative;  ///< value / reference - 1
  };
  const std::vector<Compared>& compared() const { return compared_; }
  const std::string& failures() const { return failures_; }
  const std::string& inputs() const { return inputs_; }

 private:
  void fail(const char* what, double value, const Real& reference);

  std::string inputs_;
  std::string failures_;
  std::vector<Compared> compared_;
};

/// A kind of case, and how often it is drawn.
struct Kind {
  const char* name;
  int weight;
  void (*run)(Draw&, Case&);
};

/// log of the union bound on q, capped.
Real log_union(const pate::NoisyMax& noise, std::span<const std::int32_t> counts);
/// log Pr[answered | v], log Pr[refused | v].
struct Answers {
  Real log_p, log_not;
};
Answers answers(const pate::ThresholdCheck& check, std::int64_t v);

std::vector<Kind> step_kinds();
std::vector<Kind> conversion_kinds();
std::vector<Kind> release_kinds();
std::vector<Kind> exact_kinds();
std::vector<Kind> all_kinds();

}  // namespace verify
