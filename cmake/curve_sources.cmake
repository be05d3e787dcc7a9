# A digest of the sources that compute the tables of `pate release --tables`, and a source file that
# tells it: tables that other sources computed are not found. As a script (-P) with SOURCES and OUTPUT
# it writes that file.
if(CMAKE_SCRIPT_MODE_FILE)
  set(digests "")
  foreach(source IN LISTS SOURCES)
    file(SHA256 ${source} digest)
    string(APPEND digests ${digest})
  endforeach()
  string(SHA256 digest "${digests}")
  file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
#include "pate/reports/curve_sources.hpp"

const char* pate::reports::curve_sources() {
  return "@digest@";
}
]] @ONLY)
  return()
endif()

file(
  GLOB_RECURSE curve_sources CONFIGURE_DEPENDS
  lib/pate/math/*.?pp lib/pate/math/*.inc lib/pate/mechanisms/*.?pp lib/pate/bounds/*.?pp
  lib/pate/aggregators/*.?pp lib/pate/rdp/*.?pp lib/pate/sensitivity/*.?pp
  lib/pate/release/curve/*.?pp)
list(SORT curve_sources)
set(curve_sources_file ${CMAKE_CURRENT_BINARY_DIR}/curve_sources.cpp)
add_custom_command(
  OUTPUT ${curve_sources_file}
  COMMAND ${CMAKE_COMMAND} "-DSOURCES=${curve_sources}" -DOUTPUT=${curve_sources_file} -P
          ${CMAKE_CURRENT_LIST_FILE}
  DEPENDS ${curve_sources} ${CMAKE_CURRENT_LIST_FILE}
  COMMENT "Digest of the sources that compute tables"
  VERBATIM)
set_source_files_properties(${curve_sources_file} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
                                                             SKIP_PRECOMPILE_HEADERS ON)
