# Source files that tell digests of sources: what was kept by other sources is not taken. As a script
# (-P) with SOURCES, NAME and OUTPUT it writes the file of one of them.
if(CMAKE_SCRIPT_MODE_FILE)
  set(digests "")
  foreach(source IN LISTS SOURCES)
    file(SHA256 ${source} digest)
    string(APPEND digests ${digest})
  endforeach()
  string(SHA256 digest "${digests}")
  file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
#include "pate/reports/source_digests.hpp"

const char* pate::reports::@NAME@() {
  return "@digest@";
}
]] @ONLY)
  return()
endif()

set(source_digest_files "")

# pate::reports::NAME(), the digest of the sources that the patterns name.
function(add_source_digest name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${ARGN})
  list(SORT sources)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} "-DSOURCES=${sources}" -DNAME=${name} -DOUTPUT=${output} -P
            ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    DEPENDS ${sources} ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    COMMENT "Digest of sources: ${name}"
    VERBATIM)
  set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
                                                   SKIP_PRECOMPILE_HEADERS ON)
  set(source_digest_files ${source_digest_files} ${output} PARENT_SCOPE)
endfunction()

add_source_digest(
  curve_sources
  lib/pate/numerics/*.?pp lib/pate/numerics/*.inc lib/pate/mechanisms/*.?pp
  lib/pate/divergence/bounds/*.?pp lib/pate/divergence/complex/*.?pp lib/pate/divergence/keys/*.?pp
  lib/pate/divergence/rdp/*.?pp lib/pate/release/sensitivity/*.?pp lib/pate/release/curve/*.?pp
  lib/pate/release/declared/*.?pp)
add_source_digest(library_sources lib/pate/*.?pp lib/pate/*.inc)
