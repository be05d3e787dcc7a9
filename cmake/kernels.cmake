# The inner loops (lib/pate/numerics/kernels), once an instruction set. They share no precompiled headers
# with what is compiled for every machine, and write what their caller alone knows: the thread
# sanitizer, which would look at every number in minutes, leaves them alone.
function(pate_kernels target name)
  set_source_files_properties(
    lib/pate/numerics/kernels/${name}.cpp
    TARGET_DIRECTORY ${target}
    PROPERTIES SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS "-fno-sanitize=thread;${ARGN}")
endfunction()
pate_kernels(pate_numerics baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  pate_kernels(pate_numerics avx2 -mavx2)
  # g++ 12 takes undefined registers in its own intrinsics for numbers that nobody set.
  pate_kernels(pate_numerics avx512f -mavx512f
               $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized>
               $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()
