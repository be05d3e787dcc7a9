"""What every changed place asks: whether its mutant is the chosen one. Included before all else of a mutated source."""
MOST = 1 << 21  # all numbers are below it: the array `seen` has one place for each
HEADER = """#pragma once
#pragma GCC system_header
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <unistd.h>
namespace pate_mutants {
inline unsigned char seen[MOST];
struct Chosen {
  int id = -1;
  const char* trace = std::getenv("PATE_MUTANT_TRACE");
  Chosen() {
    if (const char* text = std::getenv("PATE_MUTANT")) id = std::atoi(text);
  }
  ~Chosen() {
    if (trace == nullptr) return;
    std::FILE* file = std::fopen((std::string(trace) + "." + std::to_string(getpid())).c_str(), "w");
    if (file == nullptr) return;
    for (int i = 0; i < MOST; ++i) {
      if (seen[i]) std::fprintf(file, "%d\\n", i);
    }
    std::fclose(file);
  }
};
inline const Chosen chosen;
inline bool on(int i) {
  seen[i] = 1;
  return i == chosen.id;
}
#define PATE_BINARY(NAME, OP, OTHER)                                  \\
  template <class A, class B>                                         \\
  auto NAME(int i, const A& a, const B& b) -> decltype(a OP b) {      \\
    static_assert(std::is_same_v<decltype(a OP b), decltype(a OTHER b)>); \\
    return on(i) ? (a OTHER b) : (a OP b);                            \\
  }
// Of floating-point numbers the contrary: when they are equal, both sides of a comparison are nearly always right.
#define PATE_COMPARE(NAME, OP, OTHER)                                            \\
  template <class A, class B>                                                    \\
  bool NAME(int i, const A& a, const B& b) {                                     \\
    if constexpr (std::is_floating_point_v<A> || std::is_floating_point_v<B>) {  \\
      return on(i) != (a OP b);                                                  \\
    } else {                                                                     \\
      return on(i) ? (a OTHER b) : (a OP b);                                     \\
    }                                                                            \\
  }
PATE_COMPARE(lt, <, <=)
PATE_COMPARE(le, <=, <)
PATE_COMPARE(gt, >, >=)
PATE_COMPARE(ge, >=, >)
PATE_BINARY(eq, ==, !=)
PATE_BINARY(ne, !=, ==)
PATE_BINARY(add, +, -)
PATE_BINARY(sub, -, +)
PATE_BINARY(mul, *, /)
PATE_BINARY(div, /, *)
#define PATE_ASSIGN(NAME, OP, OTHER)                    \\
  template <class A, class B>                           \\
  decltype(auto) NAME(int i, A&& a, const B& b) {       \\
    return on(i) ? (a OTHER b) : (a OP b);              \\
  }
PATE_ASSIGN(add_to, +=, -=)
PATE_ASSIGN(sub_from, -=, +=)
PATE_ASSIGN(mul_by, *=, /=)
PATE_ASSIGN(div_by, /=, *=)
template <class A>
bool no(int i, const A& a) {
  return on(i) ? static_cast<bool>(a) : !a;
}
template <class T>
T number(int i, T a, T b) {
  return on(i) ? b : a;
}
template <class T>
T value(int i, T a) {
  static_assert(std::is_arithmetic_v<T>);
  if (!on(i)) return a;
  if constexpr (std::is_same_v<T, bool>) return !a;
  else if constexpr (std::is_integral_v<T>) return static_cast<T>(a + 1);
  else return a == 0 || a - a != 0 ? T(1) : a / 2;  // infinities too
}
template <class T>
T none(int i, T a) {
  static_assert(std::is_arithmetic_v<T>);
  return on(i) ? T(0) : a;
}
template <class T>
T one(int i, T a) {
  static_assert(std::is_arithmetic_v<T>);
  return on(i) ? T(1) : a;
}
template <class T>
const T& least(int i, const T& a, const T& b) {
  return (b < a) != on(i) ? b : a;
}
template <class T>
T least(int i, std::initializer_list<T> all) {
  T found = *all.begin();
  for (const T& one : all) found = least(i, found, one);
  return found;
}
template <class T>
const T& most(int i, const T& a, const T& b) {
  return (a < b) != on(i) ? b : a;
}
template <class T>
T most(int i, std::initializer_list<T> all) {
  T found = *all.begin();
  for (const T& one : all) found = most(i, found, one);
  return found;
}
}  // namespace pate_mutants
""".replace("MOST", str(MOST))
