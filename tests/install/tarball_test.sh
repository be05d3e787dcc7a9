#!/bin/sh
# The static tarball of the build tree $1 (`make tarball`): in a directory with nothing else in it the
# program does what that of the build does; as root that directory is its whole file system.
set -eu
build_dir=$1
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -C "$work" -xzf "$build_dir"/package/pate-*.tar.gz
mv "$work"/pate-* "$work/root"
root=$work/root

if ldd "$root/bin/pate" > "$work/ldd" 2>&1; then
  echo "the program wants libraries:" && cat "$work/ldd"
  exit 1
fi
# Hardening, as cmake/warnings.cmake has it: no code in data, nothing of the linker's left to write to, ends where a stack was
# overwritten; the program of the build, which is not static, anywhere in memory too.
readelf -hlWd "$build_dir/pate" > "$work/dynamic"
grep -Eq 'Type: +DYN' "$work/dynamic" || { echo "the program is not position-independent" && exit 1; }
grep -Eq 'NOW' "$work/dynamic" || { echo "it binds names late" && exit 1; }
readelf -hlW "$root/bin/pate" > "$work/static"
for elf in "$work/dynamic" "$work/static"; do
  grep -Eq 'GNU_STACK .* RW ' "$elf" || { echo "$elf: its stack may be executed" && exit 1; }
  if grep -Eq 'LOAD .* RWE ' "$elf"; then echo "$elf: it has memory that may be written to and executed" && exit 1; fi
  grep -q GNU_RELRO "$elf" || { echo "$elf: its tables of addresses may be written to" && exit 1; }
done
if [ "$(uname -m)" = x86_64 ]; then
  # endbr64, where alone a jump may land.
  [ "$(LC_ALL=C grep -caP '\xf3\x0f\x1e\xfa' "$build_dir/pate")" -gt 100 ] || { echo "it may be made to jump anywhere" && exit 1; }
fi
# The C library in it has these names anyway: the program of the build, of the same objects, asks another one for them.
readelf --dyn-syms -W "$build_dir/pate" > "$work/names"
for name in __stack_chk_fail '__[a-z]*_chk'; do
  grep -Eq " $name(@|\$)" "$work/names" || { echo "the program does not call $name" && exit 1; }
done

for file in share/man/man1/pate-analyze.1 share/bash-completion/completions/pate share/zsh/site-functions/_pate \
  share/fish/vendor_completions.d/pate.fish share/pate/schemas/analyze.schema.json share/doc/pate/copyright-libssl-dev share/doc/pate/pate.spdx.json; do
  test -s "$root/$file" || { echo "the tarball has no $file"; exit 1; }
done
if grep DYNAMIC_LINK "$root/share/doc/pate/pate.spdx.json"; then
  echo "its bill of materials has libraries that are loaded" && exit 1
fi

cp "$source_dir"/sample_votes/digits_100_*.npy "$root"
python3 - "$root" <<'END'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1] + "/votes.npz", "w", zipfile.ZIP_DEFLATED) as archive:
    archive.write(sys.argv[1] + "/digits_100_counts.npy", "votes.npy")
END
if [ "$(id -u)" = 0 ]; then
  alone() { program=$1 && shift && env -i "$(command -v chroot)" "$root" "/bin/$program" "$@"; }
else
  echo "skipped: chroot, which root may only"
  alone() { (cd "$root" && program=$1 && shift && env -i "bin/$program" "$@"); }
fi
of_build() { (cd "$root" && program=$1 && shift && "$build_dir/pate" "$program" "$@"); }

mechanism="--queries 100 --threshold 60 --sigma1 15 --sigma2 15 --delta 1e-5 --exact --orders 2,5 --quiet"
# shellcheck disable=SC2086 # words are wanted
alone pate-analyze votes.npz $mechanism -o report.json
# shellcheck disable=SC2086
of_build analyze votes.npz $mechanism -o expected.json
cmp "$root/report.json" "$root/expected.json"
alone pate-tune digits_100_counts.npy --queries 50 --sigma2 20:40:5 --delta 1e-5 --threads 2 --quiet -o tuned.json
alone pate darrm --teachers 11 --setting independent-fresh --epsilon 0.1 --m 3 --queries 10 --quiet -o noise.json
of_build darrm --teachers 11 --setting independent-fresh --epsilon 0.1 --m 3 --queries 10 --quiet -o noise_expected.json
cmp "$root/noise.json" "$root/noise_expected.json"
alone pate label digits_100_counts.npy --teachers 100 --sigma2 20 --delta 1e-5 --write-labels labels.csv --ledger ledger --quiet -o run.json
alone pate simulate -o votes.csv --quiet
status=0
alone pate plan --nonsense 2> "$work/said" || status=$?
[ "$status" = 2 ] || { echo "status $status where 2 is right" && cat "$work/said"; exit 1; }
alone pate --version --verbose > "$work/version"
"$build_dir/pate" --version --verbose | cmp - "$work/version"
echo "unpacked, alone in the world, and right"
