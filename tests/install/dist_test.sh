#!/bin/sh
# The archive of the sources (`make dist`) can be configured where there is no git, and built as a part of another project;
# what it then installs is what the build tree $1 installs, to the last bit, though it was built in another folder. Without
# an archive, the checkout is built as a part of another project.
set -eu
build_dir=$1
here=$(cd "$(dirname "$0")" && pwd)
source_dir=$(cd "$here/../.." && pwd)
if ! git -C "$source_dir" rev-parse --quiet --verify HEAD > /dev/null 2>&1; then
  "$here/subdirectory_test.sh" "$source_dir" "$build_dir"
  echo "skipped: no git clone to make an archive of"
  exit 77
fi
if "$build_dir/pate" --version --verbose | grep -q changed; then
  "$here/subdirectory_test.sh" "$source_dir" "$build_dir"
  echo "skipped: files differ from the commit, so the program of the archive is another one"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make -C "$source_dir" dist > "$work/said"
archive=$source_dir/$(grep -o 'build/dist/.*' "$work/said")
tar -C "$work" -xzf "$archive"
mv "$work"/pate-* "$work/sources"
[ ! -e "$work/sources/.git" ]
(cd "$work/sources" && cmake --preset package -DPATE_TESTS=OFF -DPATE_BENCHMARKS=OFF --log-level=ERROR > /dev/null)
rm -r "$work/sources/build"
# One build for both: what others make a part of their own, and all that is installed.
"$here/subdirectory_test.sh" "$work/sources" "$build_dir" "$work/theirs"
built=$work/theirs/add_subdirectory
cmake --build "$built" --target installed -j "$(nproc)" > "$work/built" || { tail -50 "$work/built"; exit 1; }
cmake --install "$built" --prefix "$work/their_files" > /dev/null
cmake --build "$build_dir" --target installed > /dev/null
cmake --install "$build_dir" --prefix "$work/our_files" > /dev/null
diff -r "$work/our_files" "$work/their_files"
echo "built twice, in two folders, with git and without: the same bits"
