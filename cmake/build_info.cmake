# What `pate --version --verbose` tells: the commit ("-changed" where files differ from it, as of the
# last configuration), the compiler and the libraries.
set(PATE_COMMIT "not known: built outside of a git clone")
find_package(Git QUIET)
if(Git_FOUND AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/.git)
  execute_process(
    COMMAND ${GIT_EXECUTABLE} describe --always --abbrev=12 --dirty=-changed --exclude=*
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    OUTPUT_VARIABLE PATE_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/.git/logs/HEAD)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
                                           ${CMAKE_CURRENT_SOURCE_DIR}/.git/logs/HEAD)
  endif()
endif()
set(PATE_LIBRARIES "Boost ${Boost_VERSION_STRING}, CLI11 ${CLI11_VERSION}, fmt ${fmt_VERSION}")
string(APPEND PATE_LIBRARIES ", nlohmann_json ${nlohmann_json_VERSION}, OpenSSL ${OPENSSL_VERSION}")
# The version that a header defines as NAME.
function(defined_version file name result)
  file(STRINGS ${file} line REGEX "define ${name} ")
  string(REGEX MATCH "[0-9.]+" version "${line}")
  set(${result} ${version} PARENT_SCOPE)
endfunction()
defined_version(${LIBZIP_INCLUDE_DIR}/zipconf.h LIBZIP_VERSION version)
string(APPEND PATE_LIBRARIES ", zlib ${ZLIB_VERSION_STRING}, libzip ${version}")
if(CLP_INCLUDE_DIR AND CLP_LIBRARY)
  defined_version(${CLP_INCLUDE_DIR}/coin/ClpConfig.h CLP_VERSION version)
  string(APPEND PATE_LIBRARIES ", COIN-OR CLP ${version}")
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
