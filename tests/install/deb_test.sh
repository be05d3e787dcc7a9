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
if [ "${PATE_TEST_CHROOT:-0}" != 1 ]; then
  echo "the chroot is left out: PATE_TEST_CHROOT=1 makes one with mmdebstrap"
  exit 0
fi
root=$work/chroot
mmdebstrap --variant=apt --include=man-db bookworm "$root" >/dev/null
cp "$package" "$root/tmp/pate.deb"
chroot "$root" apt-get install -y -qq --no-install-recommends /tmp/pate.deb >/dev/null
chroot "$root" sh -c 'pate simulate -o /tmp/v.npy --quiet && pate-analyze /tmp/v.npy --sigma2 40 --delta 1e-5 --summary && man pate-analyze | head -4'
chroot "$root" apt-get purge -y -qq pate >/dev/null
if chroot "$root" sh -c 'find /usr -name "*pate*" -not -path "*update*" -not -path "*/perl*" | grep -E "/(lib)?pate([-.]|$)"'; then
  echo "the package leaves files behind" >&2
  exit 1
fi
echo "installed, ran and was removed in a bare chroot"
