#pragma once

#include "pate/mechanisms/stability_test.hpp"

namespace pate::test {

/// PTR with this noise of its test, whose parameter is an epsilon or a sigma.
inline StabilityTest stability_test(TestNoise noise, double parameter, double delta) {
  return noise == TestNoise::gaussian ? StabilityTest::with_gaussian(parameter, delta)
                                      : StabilityTest::with_laplace(parameter, delta);
}

}  // namespace pate::test
