#!/bin/sh
# Builds for arm64, in $1 jobs, the tests of the rooms $2 ... and the program, runs those tests under
# qemu, and compares the numbers of the program with those of the program of this machine, $PATE.
# With LONGEST those cases alone that take no more seconds there.
set -eu
jobs=$1
shift
cd "$(dirname "$0")/../.."
cmake/arm64_root.sh
cmake -S . -B build/arm64 -G Ninja --log-level=NOTICE -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/arm64.cmake" \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON -DPATE_TESTS=ON -DPATE_WARNINGS_AS_ERRORS=ON
# shellcheck disable=SC2046 # words are wanted
cmake --build build/arm64 -j "$jobs" --target pate $(printf 'test_%s ' "$@")
qemu="qemu-aarch64 -L build/arm64-root"
for room in "$@"; do
  began=$(date +%s)
  if [ -n "${LONGEST:-}" ]; then
    # shellcheck disable=SC2086 # words are wanted
    python3 -B tests/quick_cases.py "$LONGEST" "$jobs" "build/arm64/tests/test_$room" -- $qemu
  else
    $qemu "build/arm64/tests/test_$room" --minimal ${PATE_ARM64_TESTS:+--test-case="$PATE_ARM64_TESTS"}
  fi
  echo "arm64: $room, $(($(date +%s) - began)) s"
done
# shellcheck disable=SC2086 # words are wanted
python3 -B tests/portability/compare.py . "$PATE" $qemu build/arm64/pate
