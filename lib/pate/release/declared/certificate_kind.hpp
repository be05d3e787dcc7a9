#pragma once

#include <array>

#include "pate/accounting/names.hpp"

namespace pate {

/// What certifies that a run, and all runs within some teachers, keep (epsilon, delta), where a
/// private test decides about a number that was fixed beforehand.
enum class Certificate {
  renyi,    ///< the improved conversion of Renyi costs at some orders
  complex,  ///< the moduli of complex moments: nearly the exact profile
};
template <>
inline constexpr std::array<Named<Certificate>, 2> kNames<Certificate>{{
    {Certificate::renyi, "renyi"},
    {Certificate::complex, "complex"},
}};

}  // namespace pate
