#!/bin/sh
# The Debian package of the build tree $1: what is in it, and that it runs from where it unpacks; with
# mmdebstrap (root, network) also that it installs, runs and is removed in a bare chroot.
set -eu
build_dir=$1
if ! command -v dpkg-shlibdeps >/dev/null || ! command -v file >/dev/null; then
  echo "skipped: dpkg-dev and file are not installed"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cpack --config "$build_dir/CPackConfig.cmake" -B "$work" >/dev/null
package=$(ls "$work"/pate_*.deb)
dpkg-deb --field "$package" Package Version Depends
dpkg-deb --contents "$package" > "$work/contents"
for file in ./usr/bin/pate ./usr/bin/pate-analyze ./usr/share/man/man1/pate-analyze.1 ./usr/include/pate/pate.hpp \
  ./usr/share/bash-completion/completions/pate ./usr/share/zsh/site-functions/_pate; do
  grep -q -- " $file" "$work/contents" || { echo "the package has no $file" >&2; exit 1; }
done
dpkg-deb --extract "$package" "$work/root"
"$work/root/usr/bin/pate" --version
pc=$(find "$work/root" -name pate.pc)
if grep -n /usr/local "$pc"; then
  echo "$pc looks in the wrong place" >&2
  exit 1
fi
if [ "${PATE_TEST_CHROOT:-0}" != 1 ]; then
  echo "the chroot is left out: PATE_TEST_CHROOT=1 makes one with mmdebstrap"
  exit 0
fi
cat > "$work/in_chroot" <<'END'
set -eu
cp "$(dirname "$0")"/pate_*.deb "$1/tmp/pate.deb"
chroot "$1" apt-get install -y -qq --no-install-recommends /tmp/pate.deb >/dev/null
chroot "$1" sh -c 'pate simulate -o /tmp/v.npy --quiet && pate-analyze /tmp/v.npy --sigma2 40 --delta 1e-5 --summary'
chroot "$1" sh -c 'man pate-analyze | head -4'
chroot "$1" apt-get purge -y -qq pate >/dev/null
if find "$1/usr" "$1/etc" -name "pate*" -o -name "libpate*" -o -name _pate | grep .; then
  echo "the package leaves these behind" >&2
  exit 1
fi
END
mmdebstrap --quiet --variant=apt --include=man-db --customize-hook="sh $work/in_chroot \"\$1\"" --format=null bookworm
echo "installed, ran and was removed in a bare chroot"
