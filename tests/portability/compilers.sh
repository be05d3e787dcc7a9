#!/bin/sh
# Builds with other compilers, in $1 jobs, the program and the tests of the rooms $ROOMS, runs those tests,
# and compares the numbers of the program with those of the program $PATE, if there is one. $2 ... are
# compilers: g++-11, clang++-19, with libc++ clang++-19-libc++ (as on macOS and FreeBSD).
set -eu
jobs=$1
shift
cd "$(dirname "$0")/../.."
for compiler in "$@"; do
  command -v "${compiler%-libc++}" >/dev/null || { echo "skipped: ${compiler%-libc++} is not installed"; exit 77; }
done

for compiler in "$@"; do
  build=build/portability/$compiler
  set -- -DCMAKE_CXX_COMPILER="${compiler%-libc++}"
  case $compiler in
    g++-13)
      # Beside a newer g++ its libstdc++ lacks what a fmt built by that one needs, and finds when it runs.
      set -- "$@" -DCMAKE_EXE_LINKER_FLAGS=-Wl,--allow-shlib-undefined
      ;;
    clang++-19)
      # Which it takes std::stable_sort of libstdc++ 12 itself to use.
      set -- "$@" -DCMAKE_CXX_FLAGS=-Wno-deprecated-declarations
      ;;
    *-libc++)
      # Debian's fmt is built with libstdc++, so what is in its headers is used. Boost 1.74 derives from
      # what C++17 took away.
      set -- "$@" -DCMAKE_EXE_LINKER_FLAGS=-Wl,--as-needed -DCMAKE_SHARED_LINKER_FLAGS=-Wl,--as-needed \
        "-DCMAKE_CXX_FLAGS=-stdlib=libc++ -DFMT_HEADER_ONLY=1 -D_LIBCPP_ENABLE_CXX17_REMOVED_UNARY_BINARY_FUNCTION"
      ;;
  esac
  cmake -S . -B "$build" -G Ninja --log-level=NOTICE -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON \
    -DPATE_TESTS=ON -DPATE_WARNINGS_AS_ERRORS=ON "$@"
  # shellcheck disable=SC2046,SC2086 # words are wanted
  cmake --build "$build" -j "$jobs" --target pate $(printf 'test_%s ' $ROOMS)
  for room in $ROOMS; do
    "$build/tests/test_$room" --minimal
  done
  [ -z "${PATE:-}" ] || python3 -B tests/portability/compare.py . "$PATE" "$build/pate"
  echo "$compiler: program, tests of $ROOMS, numbers"
done
