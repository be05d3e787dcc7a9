# Where ccache is installed, what was compiled before is taken from it: in this build or in another,
# in this checkout or in another. Its sloppiness is what precompiled headers need.
option(PATE_CCACHE "Compile with ccache where it is installed" ON)
if(PATE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(CCACHE ccache)
  mark_as_advanced(CCACHE)
  if(CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} ${CCACHE})
  endif()
endif()
