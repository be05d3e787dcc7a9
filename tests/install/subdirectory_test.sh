#!/bin/sh
# A project that takes the source tree $1 as a part of its own, by add_subdirectory and by FetchContent, is built and says
# what the program of the build tree $2 says. It is built in the folder $3, which stays, or in one that does not.
set -eu
source_dir=$1
build_dir=$2
consumer=$(cd "$(dirname "$0")" && pwd)/consumer
if [ $# -gt 2 ]; then
  work=$3
else
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
fi
votes=$source_dir/sample_votes/digits_100_counts.npy
epsilon=$("$build_dir/pate" analyze "$votes" --queries 200 --sigma2 20 --delta 1e-5 --quiet |
  python3 -c 'import json, sys; print(repr(json.load(sys.stdin)["headline"]["epsilon"]))')
for how in fetch_content add_subdirectory; do
  # Compiled here, not taken from elsewhere: dist_test.sh looks whether it becomes the same bits.
  cmake -S "$consumer" -B "$work/$how" -DPATE_FROM="$how" -DPATE_SOURCE="$source_dir" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON -DPATE_CCACHE=OFF -G Ninja >/dev/null
  [ "$how" = add_subdirectory ] || continue # the same targets: they are built once
  cmake --build "$work/$how" --target consumer -j "$(nproc)" >"$work/said" || { tail -50 "$work/said"; exit 1; }
  said=$("$work/$how/consumer" "$votes")
  python3 -c 'import sys; sys.exit(float(sys.argv[1]) != float(sys.argv[2]))' "$said" "$epsilon" ||
    { echo "$how: epsilon $said, the program says $epsilon" >&2; exit 1; }
done
echo "built as a part of another project: epsilon $epsilon"
