# Manual pages and completion, from the program itself (`pate help --manual`, `pate completion`) and the
# pages of the commands, cli/commands/NAME.md, which pandoc turns into roff.
find_program(PANDOC pandoc)
mark_as_advanced(PANDOC)
if(NOT PANDOC)
  message(STATUS "pandoc is not installed: manual pages have options and no text")
  set(PANDOC "")
endif()

set(PATE_MANUAL)
file(GLOB pages CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cli/commands/*.md)
foreach(page IN LISTS pages ITEMS "")
  cmake_path(GET page STEM command)
  set(name pate-${command})
  if(NOT page)
    set(command pate)
    set(name pate)
  endif()
  set(manual ${CMAKE_CURRENT_BINARY_DIR}/man/${name}.1)
  add_custom_command(
    OUTPUT ${manual}
    COMMAND ${CMAKE_COMMAND} "-DPROGRAM=${CMAKE_CROSSCOMPILING_EMULATOR};$<TARGET_FILE:pate>" "-DCOMMAND=${command}" "-DPAGE=${page}"
            "-DPANDOC=${PANDOC}" "-DMANUAL=${manual}" -P
            ${CMAKE_CURRENT_SOURCE_DIR}/cmake/manual_page.cmake
    DEPENDS pate cmake/manual_page.cmake ${page}
    VERBATIM)
  list(APPEND PATE_MANUAL ${manual})
endforeach()

set(PATE_COMPLETION)
foreach(shell IN ITEMS bash zsh fish)
  set(script ${CMAKE_CURRENT_BINARY_DIR}/completion/pate.${shell})
  add_custom_command(
    OUTPUT ${script}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/completion
    COMMAND pate completion ${shell} > ${script}
    DEPENDS pate
    VERBATIM)
  list(APPEND PATE_COMPLETION ${script})
endforeach()
add_custom_target(manual ALL DEPENDS ${PATE_MANUAL} ${PATE_COMPLETION})
