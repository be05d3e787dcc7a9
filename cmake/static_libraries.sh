#!/bin/sh
# Makes static archives of libraries of which Debian 12 has shared ones only, libzip.a and libfmt.a, in
# the directory $1: from Debian's source packages, which apt checks. Needs dpkg-dev, and the network.
# $2, if there is one, is for CMake, which builds them: a toolchain for another machine.
set -eu
mkdir -p "$1/lists/partial" "$1/cache"
cd "$1"
for_cmake=${2:-}
# shellcheck source=/dev/null
. /etc/os-release
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] \
http://deb.debian.org/debian $VERSION_CODENAME main" > sources.list
set -- -qq -o Dir::Etc::SourceList="$PWD/sources.list" -o Dir::Etc::SourceParts=- \
  -o Dir::State::Lists="$PWD/lists" -o Dir::Cache="$PWD/cache" -o APT::Sandbox::User=root
apt-get "$@" update
apt-get "$@" source --download-only libzip fmtlib >/dev/null

# The source package $1, built with the CMake options that follow.
build() {
  package=$1
  shift
  rm -rf "$package"
  dpkg-source --no-check -x "$package"_*.dsc "$package" >/dev/null
  cmake -S "$package" -B "$package/build" -G Ninja --log-level=ERROR -Wno-dev -DCMAKE_BUILD_TYPE=Release \
    -DBUILD_SHARED_LIBS=OFF ${for_cmake:+"$for_cmake"} "$@" >/dev/null
  cmake --build "$package/build" >/dev/null
  find "$package/build" -name '*.a' -exec cp {} . \;
}
build fmtlib -DFMT_DOC=OFF -DFMT_TEST=OFF
build libzip -DBUILD_TOOLS=OFF -DBUILD_REGRESS=OFF -DBUILD_EXAMPLES=OFF -DBUILD_DOC=OFF \
  -DENABLE_COMMONCRYPTO=OFF -DENABLE_GNUTLS=OFF -DENABLE_MBEDTLS=OFF -DENABLE_OPENSSL=OFF \
  -DENABLE_WINDOWS_CRYPTO=OFF -DENABLE_BZIP2=OFF -DENABLE_LZMA=OFF
