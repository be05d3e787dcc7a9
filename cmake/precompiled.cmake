# Headers that nearly every source includes, compiled once per target. Sources include what they
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
  if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # What ccache needs to see them; its sloppiness must have pch_defines and time_macros.
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  endif()
endfunction()
