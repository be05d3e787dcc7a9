# Headers that nearly every source includes, compiled once for the library, the commands and the tests. Sources include what they
# need all the same: -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON, the tidy preset and the check of the
# headers build without this.
function(pate_precompile target)
  target_precompile_headers(
    ${target}
    PRIVATE
    ${ARGN}
    <algorithm>
    <array>
    <cmath>
    <cstddef>
    <cstdint>
    <filesystem>
    <functional>
    <limits>
    <map>
    <memory>
    <numeric>
    <optional>
    <span>
    <sstream>
    <stdexcept>
    <string>
    <string_view>
    <utility>
    <variant>
    <vector>
    <fmt/format.h>)
  pate_shows_precompiled(${target})
endfunction()

# The headers that `from` has compiled, with the same options.
function(pate_reuse_precompiled target from)
  target_precompile_headers(${target} REUSE_FROM ${from})
  pate_shows_precompiled(${target})
endfunction()

function(pate_shows_precompiled target)
  if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # What ccache needs to see them.
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  endif()
endfunction()
