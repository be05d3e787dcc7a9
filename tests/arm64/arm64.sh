#!/bin/sh
# Builds for arm64, in $1 jobs, the tests of the rooms $2 ... and the program, runs those tests under
# qemu, and compares the numbers of the program with those of the program of this machine, $PATE.
set -eu
jobs=$1
shift
cd "$(dirname "$0")/../.."
root=$PWD/build/arm64-root
packages=libc6-dev,libstdc++-12-dev,libboost-dev,libfmt-dev,libssl-dev,zlib1g-dev,libzip-dev,nlohmann-json3-dev
packages=$packages,libcli11-dev,libxsimd-dev,libfast-float-dev,doctest-dev,coinor-libclp-dev
for program in aarch64-linux-gnu-g++ qemu-aarch64; do
  command -v "$program" >/dev/null || { echo "skipped: $program is not installed"; exit 77; }
done
if [ ! -e "$root/usr/include" ]; then
  command -v mmdebstrap >/dev/null || { echo "skipped: mmdebstrap is not installed"; exit 77; }
  # Unpacked and not set up: nothing of it need run.
  mmdebstrap --quiet --architectures=arm64 --variant=extract --include="$packages" bookworm "$root" ||
    { rm -rf "$root"; echo "skipped: Debian's packages of arm64 are not to be had"; exit 77; }
  # Links to /lib lead to this machine's otherwise.
  find "$root/usr/lib/aarch64-linux-gnu" -lname '/*' | while read -r link; do
    ln -sfn "$root$(readlink "$link")" "$link"
  done
fi
cmake -S . -B build/arm64 -G Ninja --log-level=NOTICE -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/arm64.cmake" \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON -DPATE_TESTS=ON -DPATE_WARNINGS_AS_ERRORS=ON
# shellcheck disable=SC2046 # words are wanted
cmake --build build/arm64 -j "$jobs" --target $(printf 'test_%s ' "$@") ${PATE:+pate}
for room in "$@"; do
  began=$(date +%s)
  qemu-aarch64 -L "$root" "build/arm64/tests/test_$room" --minimal ${PATE_ARM64_TESTS:+--test-case="$PATE_ARM64_TESTS"}
  echo "arm64: $room, $(($(date +%s) - began)) s"
done
if [ -n "${PATE:-}" ]; then
  python3 -B tests/arm64/compare.py . "$PATE" qemu-aarch64 -L "$root" build/arm64/pate
fi
