#!/bin/sh
# Packs what the build tree $1 installs, with the program $2 in the place of its own, as $1/package/$3.tar.gz.
# The packages it was built from are those of $SYSROOT; $STRIP strips it.
set -eu
stage=$1/static/$3
rm -rf "$stage"
cmake --install "$1" --prefix "$stage" >/dev/null
rm -rf "$stage/include" "$stage"/lib*
"${STRIP:-strip}" -o "$stage/bin/pate" "$2"
# This program has inside what the build's own loads.
sed -i 's/"DYNAMIC_LINK"/"STATIC_LINK"/' "$stage/share/doc/pate/pate.spdx.json"
for package in libc6-dev libstdc++-12-dev libgfortran-12-dev libssl-dev zlib1g-dev libbz2-dev libfmt-dev \
  libzip-dev libcli11-dev nlohmann-json3-dev libboost-dev coinor-libclp-dev coinor-libcoinutils-dev \
  liblapack-dev libblas-dev libxsimd-dev libfast-float-dev; do
  [ ! -e "${SYSROOT:-}/usr/share/doc/$package/copyright" ] ||
    cp -L "${SYSROOT:-}/usr/share/doc/$package/copyright" "$stage/share/doc/pate/copyright-$package"
done
mkdir -p "$1/package"
tar -C "$1/static" --sort=name --owner=root:0 --group=root:0 -czf "$1/package/$3.tar.gz" "$3"
echo "$1/package/$3.tar.gz"
