#!/bin/sh
# A project that takes the source tree $1 as a part of its own, by add_subdirectory and by FetchContent, is built and says
# what the program of the build tree $2 says.
set -eu
source_dir=$1
build_dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
votes=$source_dir/sample_votes/digits_100_counts.npy
epsilon=$("$build_dir/pate" analyze "$votes" --queries 200 --sigma2 20 --delta 1e-5 --quiet |
  python3 -c 'import json, sys; print(repr(json.load(sys.stdin)["headline"]["epsilon"]))')
for how in fetch_content add_subdirectory; do
  cmake -S "$source_dir/tests/install/consumer" -B "$work/$how" -DPATE_FROM="$how" -DPATE_SOURCE="$source_dir" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON -G Ninja >/dev/null
  [ "$how" = add_subdirectory ] || continue # the same targets: they are built once
  cmake --build "$work/$how" --target consumer -j "$(nproc)" >/dev/null
  said=$("$work/$how/consumer" "$votes")
  python3 -c 'import sys; sys.exit(float(sys.argv[1]) != float(sys.argv[2]))' "$said" "$epsilon" ||
    { echo "$how: epsilon $said, the program says $epsilon" >&2; exit 1; }
done
echo "built as a part of another project: epsilon $epsilon"
