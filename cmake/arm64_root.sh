#!/bin/sh
# Puts into build/arm64-root what Debian 12 has for arm64 of all that the program is built with, unpacked
# from its packages, which apt checks: the root of the toolchain arm64.cmake, beside this. Status 77
# where something to do it with is missing.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)/build/arm64-root
packages=libc6-dev,libstdc++-12-dev,libgfortran-12-dev,libboost-dev,libfmt-dev,libssl-dev,zlib1g-dev,libzip-dev
packages=$packages,libbz2-dev,nlohmann-json3-dev,libcli11-dev,libxsimd-dev,libfast-float-dev,doctest-dev
packages=$packages,coinor-libclp-dev,coinor-libcoinutils-dev,liblapack-dev,libblas-dev
for program in aarch64-linux-gnu-g++ qemu-aarch64 mmdebstrap; do
  command -v "$program" >/dev/null || { echo "skipped: $program is not installed"; exit 77; }
done
[ "$(cat "$root/packages" 2>/dev/null)" != "$packages" ] || exit 0

rm -rf "$root"
# Unpacked and not set up: nothing of it need run.
mmdebstrap --quiet --architectures=arm64 --variant=extract --include="$packages" bookworm "$root" ||
  { rm -rf "$root"; echo "skipped: Debian's packages of arm64 are not to be had"; exit 77; }
# Links to /lib lead to this machine's otherwise.
find "$root/usr/lib/aarch64-linux-gnu" -lname '/*' | while read -r link; do
  ln -sfn "$root$(readlink "$link")" "$link"
done
# Links that setting them up would make, and one for g++-aarch64-linux-gnu, which has no Fortran.
for file in blas/libblas.a blas/libblas.so.3 lapack/liblapack.a lapack/liblapack.so.3 \
  ../gcc/aarch64-linux-gnu/12/libgfortran.a; do
  ln -sfn "$file" "$root/usr/lib/aarch64-linux-gnu/"
done
echo "$packages" > "$root/packages"
