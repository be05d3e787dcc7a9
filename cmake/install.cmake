# What `make install` (or cmake --install) puts where: the program and the names it also answers to,
# the library with its headers, what find_package(pate) and pkg-config need, the report schemas, manual
# pages and completion.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# All that is installed.
add_custom_target(installed DEPENDS pate pate_library manual)

set(PATE_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/pate)

install(TARGETS pate RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# pate-analyze is pate analyze: the program looks at the name it is called by. So it is in the build.
foreach(name IN ITEMS analyze tune)
  add_custom_command(
    TARGET pate POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_FILE_NAME:pate> $<TARGET_FILE_DIR:pate>/pate-${name}
    VERBATIM)
  install(
    CODE "execute_process(COMMAND \"\${CMAKE_COMMAND}\" -E create_symlink pate
          \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/pate-${name}\")")
endforeach()

install(
  TARGETS pate_library
  EXPORT pate-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# Not as a set of headers, which CMake 3.22 does not know.
foreach(header IN LISTS PATE_PUBLIC_HEADERS)
  cmake_path(GET header PARENT_PATH folder)
  cmake_path(RELATIVE_PATH folder BASE_DIRECTORY lib)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()
install(EXPORT pate-targets NAMESPACE pate:: DESTINATION ${PATE_CONFIG_DIR})
configure_package_config_file(
  ${CMAKE_CURRENT_SOURCE_DIR}/cmake/pate-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/pate-config.cmake
  INSTALL_DESTINATION ${PATE_CONFIG_DIR})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/pate-config-version.cmake
                                 COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/pate-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/pate-config-version.cmake DESTINATION ${PATE_CONFIG_DIR})

# Where the prefix is, seen from the file: what is installed may be moved.
file(RELATIVE_PATH PATE_PREFIX_OF_PC /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/pate.pc.in ${CMAKE_CURRENT_BINARY_DIR}/pate.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/pate.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(DIRECTORY cli/schemas/ DESTINATION ${CMAKE_INSTALL_DATADIR}/pate/schemas
        FILES_MATCHING PATTERN "*.schema.json")
install(FILES ${PATE_MANUAL} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
foreach(place IN ITEMS bash:bash-completion/completions/pate zsh:zsh/site-functions/_pate
                       fish:fish/vendor_completions.d/pate.fish)
  string(REGEX MATCH "^([a-z]+):(.*)/([^/]*)$" place ${place})
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/completion/pate.${CMAKE_MATCH_1}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/${CMAKE_MATCH_2} RENAME ${CMAKE_MATCH_3})
endforeach()
install(FILES LICENSE ${PATE_SBOM} DESTINATION ${CMAKE_INSTALL_DOCDIR})
