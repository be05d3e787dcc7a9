#!/bin/sh
# Installs those of the Debian packages $@ that are missing. With none missing it is quick, needs
# neither network nor root, and prints nothing. PATE_SKIP_DEPS=1: nothing is looked at.
set -eu
if [ "${PATE_SKIP_DEPS:-0}" = 1 ]; then exit 0; fi
if ! command -v apt-get > /dev/null || ! command -v dpkg-query > /dev/null; then
  { echo "This system has no apt-get. pate wants what Debian 12 has under these names:"
    printf '  %s\n' "$@"
    echo "Install them your way, then say that they are there: make PATE_SKIP_DEPS=1 ..."; } >&2
  exit 1
fi
missing=
for package in "$@"; do
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2> /dev/null)" = installed ] || missing="$missing $package"
done
if [ -z "$missing" ]; then exit 0; fi
as_root=
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo > /dev/null; then
    echo "Missing packages, and neither root nor sudo to install them. As root:" >&2
    echo "  apt-get update && apt-get install -y$missing" >&2
    exit 1
  fi
  as_root=sudo
fi
echo "Installing${as_root:+ with sudo}:$missing"
$as_root apt-get update -q
# shellcheck disable=SC2086 # words
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
