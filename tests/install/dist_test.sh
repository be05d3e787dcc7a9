#!/bin/sh
# The archive of the sources (`make dist`) builds where there is no git, and what it installs is what
# the build tree $1 installs, to the last bit, though it was built in another folder.
set -eu
build_dir=$1
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
if ! git -C "$source_dir" rev-parse --quiet --verify HEAD > /dev/null 2>&1; then
  echo "skipped: no git clone to make an archive of"
  exit 77
fi
if "$build_dir/pate" --version --verbose | grep -q changed; then
  echo "skipped: files differ from the commit, so the program of the archive is another one"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make -C "$source_dir" dist > "$work/said"
archive=$source_dir/$(grep -o 'build/dist/.*' "$work/said")
tar -C "$work" -xzf "$archive"
mv "$work"/pate-* "$work/sources"
cd "$work/sources"
[ ! -e .git ]
cmake --preset package -DPATE_TESTS=OFF -DPATE_BENCHMARKS=OFF --log-level=ERROR
cmake --build --preset package --target installed -j "$(nproc)" > "$work/built" || { tail -50 "$work/built"; exit 1; }
cmake --install build/package --prefix "$work/theirs" > /dev/null
cmake --build "$build_dir" --target installed > /dev/null
cmake --install "$build_dir" --prefix "$work/ours" > /dev/null
diff -r "$work/ours" "$work/theirs"
echo "built twice, in two folders, with git and without: the same bits"
