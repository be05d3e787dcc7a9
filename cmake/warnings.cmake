# The warnings and sanitizers every target of ours is built with.
#
# Results must be the same bits on every machine that runs the same program, so the compiler may
# not fuse a product and a sum where the processor could (-ffp-contract=off).
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
            $<$<BOOL:${PATE_WARNINGS_AS_ERRORS}>:-Werror>)
  if(PATE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${PATE_SANITIZE} -fno-sanitize-recover=all
                                             -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${PATE_SANITIZE})
  endif()
endfunction()
