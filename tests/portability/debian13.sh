#!/bin/sh
# As compilers.sh, with the compilers $2 ... of Debian 13, in build/debian13-root: a bare system with its
# packages. Needs mmdebstrap, root and the network. $PATE is the program of this machine, $ROOMS the rooms.
set -eu
# What is mounted is seen by what follows alone, and gone when it ends.
[ -n "${PATE_MOUNTED:-}" ] || PATE_MOUNTED=yes exec unshare --mount "$0" "$@"
jobs=$1
shift
cd "$(dirname "$0")/../.."
root=$PWD/build/debian13-root
packages=cmake,ninja-build,python3,libc6-dev,libboost-dev,libfmt-dev,libssl-dev,zlib1g-dev,libzip-dev,libbz2-dev
packages=$packages,nlohmann-json3-dev,libcli11-dev,libxsimd-dev,libfast-float-dev,doctest-dev,coinor-libclp-dev
for compiler in "$@"; do
  package=$compiler
  case $compiler in
    clang++-*) package=clang-${compiler#clang++-} ;;
  esac
  packages=$packages,$package
done
command -v mmdebstrap >/dev/null || { echo "skipped: mmdebstrap is not installed"; exit 77; }
mkdir -p build
if [ "$(cat "$root/packages" 2>/dev/null)" != "$packages" ]; then
  rm -rf "$root"
  mmdebstrap --quiet --variant=apt --include="$packages" trixie "$root" ||
    { rm -rf "$root"; echo "skipped: Debian 13's packages are not to be had"; exit 77; }
  echo "$packages" > "$root/packages"
fi

# What is kept in git, as it is here; what was built stays where it is.
mkdir -p "$root/src"
git ls-files -z | tar --null --files-from=- -cf - | tar -xf - -C "$root/src"
# shellcheck disable=SC2016 # inside, not here
printf '#!/bin/sh\ncd /src\nbuild=$1\nshift\nexec "build/portability/$build/pate" "$@"\n' > "$root/src/pate-of"
chmod +x "$root/src/pate-of"
mount -t proc proc "$root/proc"
for compiler in "$@"; do
  chroot "$root" env -u PATE ROOMS="$ROOMS" /src/tests/portability/compilers.sh "$jobs" "$compiler"
  python3 -B tests/portability/compare.py . "$PATE" chroot "$root" /src/pate-of "$compiler"
done
