# The rooms of the library, from the lowest up. Each is a library of objects, pate_NAME, made of the
# folder lib/pate/NAME; after its name come the rooms that its files may include (tests/layout checks
# every #include against this list). What a room uses must be in those rooms or below them: a shared
# library is linked of each room and its floors alone, where tests are built (`layers`).

# pate_room(NAME [ROOM...] [PRIVATE LIBRARY...] [ALONE FOLDER...]): LIBRARY is one of others that this
# room alone uses; sources of FOLDER are never part of a unity build.
function(pate_room room)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "PRIVATE;ALONE")
  set(target pate_${room})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/lib/pate/${room}/*.cpp)
  add_library(${target} OBJECT ${sources})
  set(below ${room})
  foreach(used IN LISTS arg_UNPARSED_ARGUMENTS)
    get_target_property(its pate_${used} PATE_FLOORS)
    list(APPEND below ${its})
  endforeach()
  list(REMOVE_DUPLICATES below)
  set_target_properties(${target} PROPERTIES PATE_FLOORS "${below}")
  target_include_directories(${target} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/lib)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PUBLIC fmt::fmt Boost::headers Threads::Threads ${arg_PRIVATE})
  pate_warnings(${target})
  if(PATE_COVERAGE)
    # Before what tests have of headers, when they are linked: that is not counted.
    target_compile_options(${target} PRIVATE -O1 -g1 --coverage -fprofile-update=atomic -fno-inline)
    target_link_options(${target} INTERFACE --coverage)
  elseif(room STREQUAL base)
    pate_precompile(${target})
  else()
    pate_reuse_precompiled(${target} pate_base)
  endif()
  pate_unity(${target} ${arg_ALONE})
  set(PATE_ROOMS ${PATE_ROOMS} ${room} PARENT_SCOPE)
endfunction()

# The targets of rooms and of all that is below them, as objects to link.
function(pate_floors result)
  set(targets)
  foreach(room IN LISTS ARGN)
    get_target_property(below pate_${room} PATE_FLOORS)
    list(TRANSFORM below PREPEND pate_)
    list(APPEND targets ${below})
  endforeach()
  list(REMOVE_DUPLICATES targets)
  set(${result} ${targets} PARENT_SCOPE)
endfunction()

# The rooms that pate/pate.hpp may include.
set(PATE_FRONT_DOOR base votes accounting)

set(PATE_ROOMS)
pate_room(base PRIVATE OpenSSL::Crypto nlohmann_json::nlohmann_json)
pate_room(numerics base ALONE kernels)
pate_room(votes base PRIVATE ${LIBZIP_LIBRARY} ${ZLIB_LIBRARIES})
pate_room(mechanisms base numerics)
pate_room(divergence base numerics votes mechanisms)
pate_room(accounting base numerics votes mechanisms divergence)
pate_room(inspection base numerics votes mechanisms accounting)
pate_room(release base numerics mechanisms divergence accounting ALONE sensitivity)
pate_room(labeling base numerics mechanisms divergence accounting)
pate_room(tuning base numerics mechanisms divergence accounting release labeling)
pate_room(studies base numerics votes mechanisms divergence accounting)
pate_room(events base numerics mechanisms divergence accounting release labeling studies)
pate_room(reports base numerics votes mechanisms divergence accounting inspection release labeling
          tuning studies events)

target_include_directories(pate_base SYSTEM PRIVATE ${FAST_FLOAT_INCLUDE_DIR})
target_include_directories(pate_numerics SYSTEM PRIVATE ${XSIMD_INCLUDE_DIR})
include(cmake/kernels.cmake)
target_include_directories(pate_votes PRIVATE ${LIBZIP_INCLUDE_DIR} ${ZLIB_INCLUDE_DIRS})
# Lets its inner loop become one of vectors; no result changes.
set_source_files_properties(lib/pate/divergence/pld/optimistic_profile.cpp
                            PROPERTIES COMPILE_OPTIONS -fno-trapping-math)
if(CLP_INCLUDE_DIR AND CLP_LIBRARY)
  # Loaded when a command needs it: libClp.so.1 and not the link for compilers.
  file(REAL_PATH ${CLP_LIBRARY} clp)
  string(REGEX MATCH "libClp[.]so[.][0-9]+" clp ${clp})
  target_compile_definitions(pate_studies PRIVATE PATE_HAVE_CLP PATE_CLP_SONAME="${clp}")
  target_include_directories(pate_studies SYSTEM PRIVATE ${CLP_INCLUDE_DIR})
  target_link_libraries(pate_studies PUBLIC ${CMAKE_DL_LIBS})
endif()
include(cmake/source_digests.cmake)
target_sources(pate_reports PRIVATE ${source_digest_files})

# Sanitizers leave symbols to be found when the program starts.
if(PATE_TESTS AND NOT PATE_SANITIZE)
  add_custom_target(layers ALL)
  foreach(room IN LISTS PATE_ROOMS)
    pate_floors(floors ${room})
    add_library(layer_${room} SHARED)
    set_target_properties(
      layer_${room} PROPERTIES LINKER_LANGUAGE CXX LIBRARY_OUTPUT_DIRECTORY
                                                   ${CMAKE_CURRENT_BINARY_DIR}/layers)
    target_link_libraries(layer_${room} PRIVATE ${floors})
    target_link_options(layer_${room} PRIVATE LINKER:-z,defs)
    add_dependencies(layers layer_${room})
  endforeach()
endif()
