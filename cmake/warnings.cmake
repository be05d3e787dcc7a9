# The warnings, sanitizers and hardening every target of ours is built with.
#
# A release build has the checks of the compiler and the C library that turn a write out of bounds
# into an end, lies anywhere in memory, and cannot be made to call what is not its own; and it knows
# nothing of the folder it was built in, so that two builds are the same bits. Results must be the
# same bits on every machine that runs the same program, so the compiler may not fuse a product and
# a sum where the processor could (-ffp-contract=off).
function(pate_warnings target)
  target_compile_options(
    ${target}
    PRIVATE -Wall
            -Wextra
            -Wpedantic
            -Wshadow
            -Wconversion
            -Wsign-conversion
            -Wold-style-cast
            -Wnon-virtual-dtor
            -Woverloaded-virtual
            -Wdouble-promotion
            -ffp-contract=off
            -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.
            -ffile-prefix-map=${PROJECT_BINARY_DIR}=build
            $<$<BOOL:${PATE_WARNINGS_AS_ERRORS}>:-Werror>)
  if(PATE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${PATE_SANITIZE} -fno-sanitize-recover=all
                                             -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${PATE_SANITIZE})
  else()
    target_compile_options(
      ${target} PRIVATE "$<$<CONFIG:Release>:-fstack-protector-strong;-D_FORTIFY_SOURCE=2>"
                        "$<$<AND:$<CONFIG:Release>,$<STREQUAL:${CMAKE_SYSTEM_PROCESSOR},x86_64>>:-fcf-protection>")
    target_link_options(${target} PRIVATE "$<$<CONFIG:Release>:LINKER:-z,relro,-z,now>")
  endif()
endfunction()
