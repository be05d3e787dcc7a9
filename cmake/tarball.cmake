# `make tarball`: the program linked statically, glibc too, with manual pages, completion, schemas and
# what the libraries in it want to be said, for Linux without Debian's packages. It is linked from the
# objects of the build; what Debian has no static archive of, static_libraries.sh makes.
set(static ${CMAKE_CURRENT_BINARY_DIR}/static)
add_custom_command(
  OUTPUT ${static}/libzip.a ${static}/libfmt.a
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cmake/static_libraries.sh ${static}
          $<$<BOOL:${CMAKE_TOOLCHAIN_FILE}>:-DCMAKE_TOOLCHAIN_FILE=${CMAKE_TOOLCHAIN_FILE}>
  DEPENDS cmake/static_libraries.sh
  COMMENT "libzip and fmt as static archives, from Debian's source packages"
  COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(static_libraries DEPENDS ${static}/libzip.a ${static}/libfmt.a)

add_executable(pate_static EXCLUDE_FROM_ALL cli/main.cpp)
set_target_properties(pate_static PROPERTIES POSITION_INDEPENDENT_CODE OFF)
add_dependencies(pate_static pate_commands pate_library static_libraries)
target_include_directories(pate_static PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/lib)
# The warnings are of libcrypto's calls into the network and of modules, which hashing does not make.
target_link_options(pate_static PRIVATE -static LINKER:--no-warnings)
# libgfortran refers to these weakly and calls them when it ends, so they must be there.
foreach(call IN ITEMS mutex_destroy mutex_init mutex_trylock cond_broadcast cond_destroy cond_init
                      cond_wait create getspecific join key_create key_delete self setspecific)
  target_link_options(pate_static PRIVATE "LINKER:-u,pthread_${call}")
endforeach()
target_link_libraries(
  pate_static PRIVATE $<TARGET_FILE:pate_commands> $<TARGET_FILE:pate_library> ${static}/libfmt.a
                      ${static}/libzip.a)
if(CLP_INCLUDE_DIR AND CLP_LIBRARY)
  # The library takes it where it is there, and asks for none.
  target_link_options(pate_static PRIVATE LINKER:-u,Clp_newModel)
  target_link_libraries(pate_static PRIVATE -lClp -lCoinUtils -lbz2 -llapack -lblas -lgfortran)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    # Elsewhere `long double` is what it is for.
    target_link_libraries(pate_static PRIVATE -lquadmath)
  endif()
endif()
target_link_libraries(pate_static PRIVATE -lcrypto -lz)

string(TOLOWER "pate-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" tarball)
add_custom_target(
  tarball
  COMMAND ${CMAKE_COMMAND} -E env "STRIP=${CMAKE_STRIP}" "SYSROOT=${CMAKE_SYSROOT}"
          ${CMAKE_CURRENT_SOURCE_DIR}/cmake/tarball.sh ${CMAKE_CURRENT_BINARY_DIR}
          $<TARGET_FILE:pate_static> ${tarball}
  COMMENT "package/${tarball}.tar.gz"
  VERBATIM)
add_dependencies(tarball pate_static pate manual)
