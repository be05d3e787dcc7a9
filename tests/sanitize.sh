#!/bin/sh
# Builds with the preset $1, in $2 jobs, the tests of rooms, and runs those of their cases that match $3:
# sanitize.sh PRESET JOBS PATTERN ROOM... A room without such a case is an error.
set -eu
preset=$1
jobs=$2
pattern=$3
shift 3
cd "$(dirname "$0")/.."
# A folder at a time: it is the quickest way from nothing to a program.
cmake --preset "$preset" -DCMAKE_UNITY_BUILD=ON --log-level=ERROR > /dev/null
# shellcheck disable=SC2046 # words are wanted
cmake --build --preset "$preset" -j "$jobs" --target $(printf 'test_%s ' "$@")
for room in "$@"; do
  if "build/$preset/tests/test_$room" --count --test-case="$pattern" | grep -q 'filters: 0$'; then
    echo "$preset: no test of $room is named like $pattern" >&2
    exit 1
  fi
done
# shellcheck disable=SC2016 # of the shell that runs
printf '%s\n' "$@" | xargs -P "$jobs" -n 1 sh -c '
  began=$(date +%s)
  "build/$1/tests/test_$3" --minimal --test-case="$2" && echo "$1: $3, $(($(date +%s) - began)) s"' sh "$preset" "$pattern"
