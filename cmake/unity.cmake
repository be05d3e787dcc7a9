# Where CMAKE_UNITY_BUILD is on (the preset package: what is built once and from nothing), the sources
# of a folder are compiled as one: they share their headers, and the build takes a fraction of the
# time. Everywhere else every source is compiled on its own. Sources of the folders named after the
# target are compiled on their own everywhere; so are files that have a name in common with another
# one of their folder, once they are listed here.
set(PATE_COMPILED_ALONE)

function(pate_unity target)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME group)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
    if(NOT group IN_LIST ARGN AND NOT name IN_LIST PATE_COMPILED_ALONE)
      set_source_files_properties(${source} TARGET_DIRECTORY ${target}
                                  PROPERTIES UNITY_GROUP ${group})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()
