#!/bin/sh
# Builds with the preset $1, in $2 jobs, the tests of the suite $3, and runs them. A suite is a folder
# with tests (bounds), a file of tests without its ending (step_cost), or a test of ctest (golden).
set -eu
preset=$1
jobs=$2
suite=$3
cd "$(dirname "$0")/.."
if [ -z "$suite" ]; then
  echo "Which suite? make check SUITE=..., a folder or a file of tests without _test.cpp. Folders are:" >&2
  find tests/lib tests/cli -name '*_test.cpp' | xargs -n 1 dirname | sort -u | sed 's,.*/,  ,' >&2
  exit 2
fi
places=$(find tests/lib tests/cli -type d -name "$suite" | while read -r folder; do
  [ -z "$(find "$folder" -name '*_test.cpp')" ] || echo "$folder/*"
done)
[ -n "$places" ] || places=$(find tests/lib tests/cli -name "${suite}_test.cpp")
cmake --preset "$preset" --log-level=ERROR > /dev/null
if [ -z "$places" ]; then
  cmake --build --preset "$preset" -j "$jobs" --target pate
  exec ctest --preset "$preset" --no-tests=error -R "^$suite\$"
fi
programs=$(echo "$places" | sed -E 's,tests/(lib/)?([^/]*)/.*,test_\2,' | sort -u)
# shellcheck disable=SC2086 # words are wanted
cmake --build --preset "$preset" -j "$jobs" --target $programs
for program in $programs; do
  "build/$preset/tests/$program" --source-file="$(echo "$places" | sed 's,^,*,' | paste -sd,)"
done
