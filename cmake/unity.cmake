# Where CMAKE_UNITY_BUILD is on (the release preset), the sources of a folder are compiled as one:
# they share their headers, and the build takes a fraction of the time. So names in anonymous
# namespaces are unique within a folder. Every source compiles on its own too. Sources of the folders
# named after the target are compiled on their own everywhere.
function(pate_unity target)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME group)
    if(NOT group IN_LIST ARGN)
      set_source_files_properties(${source} TARGET_DIRECTORY ${target}
                                  PROPERTIES UNITY_GROUP ${group})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()
