# What `pate --version --verbose` and the bill of materials tell: the commit ("-changed" where files
# differ from it, as of the last configuration), the compiler, and the libraries in the program.
# In an archive that git made (`make dist`) git has filled these in.
set(PATE_COMMIT "$Format:%H$")
set(PATE_COMMIT_TIME "$Format:%ct$")
find_package(Git QUIET)
if(NOT PATE_COMMIT MATCHES "Format")
  string(SUBSTRING ${PATE_COMMIT} 0 12 PATE_COMMIT)
elseif(Git_FOUND AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/.git)
  execute_process(
    COMMAND ${GIT_EXECUTABLE} describe --always --abbrev=12 --dirty=-changed --exclude=*
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    OUTPUT_VARIABLE PATE_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(
    COMMAND ${GIT_EXECUTABLE} log -1 --format=%ct
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    OUTPUT_VARIABLE PATE_COMMIT_TIME OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/.git/logs/HEAD)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
                                           ${CMAKE_CURRENT_SOURCE_DIR}/.git/logs/HEAD)
  endif()
else()
  set(PATE_COMMIT "not known: built outside of a git clone")
  set(PATE_COMMIT_TIME 0)
endif()

# Notes a library: its name, version and licence (of SPDX), Debian's package, and whether the program
# has it inside (STATIC) or loads it (DYNAMIC).
macro(pate_has name version licence package link)
  string(JOIN ", " PATE_LIBRARIES ${PATE_LIBRARIES} "${name} ${version}")
  list(APPEND PATE_COMPONENTS "${name}|${version}|${licence}|${package}|${link}")
endmacro()
# The version that a header defines as NAME.
function(defined_version file name result)
  file(STRINGS ${file} line REGEX "define ${name} ")
  string(REGEX MATCH "[0-9.]+" version "${line}")
  set(${result} ${version} PARENT_SCOPE)
endfunction()
pate_has(Boost ${Boost_VERSION_STRING} BSL-1.0 libboost-dev STATIC)
pate_has(CLI11 ${CLI11_VERSION} BSD-3-Clause libcli11-dev STATIC)
pate_has(fmt ${fmt_VERSION} MIT libfmt-dev DYNAMIC)
pate_has(nlohmann_json ${nlohmann_json_VERSION} MIT nlohmann-json3-dev STATIC)
pate_has(xsimd ${xsimd_VERSION} BSD-3-Clause libxsimd-dev STATIC)
# Releases before 6 do not say in their headers which they are.
find_package(FastFloat QUIET)
pate_has(fast_float "${FastFloat_VERSION}" "Apache-2.0 OR MIT" libfast-float-dev STATIC)
pate_has(OpenSSL ${OPENSSL_VERSION} Apache-2.0 libssl-dev DYNAMIC)
pate_has(zlib ${ZLIB_VERSION_STRING} Zlib zlib1g-dev DYNAMIC)
defined_version(${LIBZIP_INCLUDE_DIR}/zipconf.h LIBZIP_VERSION version)
pate_has(libzip ${version} BSD-3-Clause libzip-dev DYNAMIC)
if(CLP_INCLUDE_DIR AND CLP_LIBRARY)
  defined_version(${CLP_INCLUDE_DIR}/coin/ClpConfig.h CLP_VERSION version)
  pate_has("COIN-OR CLP" ${version} EPL-1.0 coinor-libclp-dev DYNAMIC)
else()
  string(APPEND PATE_LIBRARIES ", without COIN-OR CLP")
endif()
set_source_files_properties(
  cli/options/version.cpp
  PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON
    SKIP_PRECOMPILE_HEADERS ON
    COMPILE_DEFINITIONS
    "PATE_BUILD_COMMIT=\"${PATE_COMMIT}\";PATE_BUILD_COMPILER=\"${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}, ${CMAKE_BUILD_TYPE}\";PATE_BUILD_LIBRARIES=\"${PATE_LIBRARIES}\""
)
