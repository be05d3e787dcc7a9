#!/bin/sh
# Installs the build tree $2 of the source tree $1 into a temporary prefix, moves that and uses what is there:
# the program under its other name, the schemas, the library through CMake and through pkg-config.
set -eu
source_dir=$1
build_dir=$2
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
votes=$source_dir/sample_votes/digits_100_counts.npy

cmake --install "$build_dir" --prefix "$prefix/before" >/dev/null
mv "$prefix/before" "$prefix/usr"
# No file that others build with names where it was made, where it was put, or where this machine has a library.
if grep -rE "$prefix|$build_dir|$source_dir|/usr/local|/usr/lib" "$prefix/usr" --include='*.cmake' --include='*.pc' |
  grep -v 'PACKAGE_PREFIX_DIR\|_IMPORT_PREFIX STREQUAL "/"\|_realCurr\|_realOrig\|^[^:]*:#'; then
  echo "these lines are of this machine alone" >&2
  exit 1
fi
report=$("$prefix/usr/bin/pate-analyze" "$votes" --queries 200 --sigma2 20 --delta 1e-5 --quiet)
epsilon=$(printf '%s' "$report" | python3 -c 'import json, sys; print(repr(json.load(sys.stdin)["headline"]["epsilon"]))')
"$prefix/usr/bin/pate-tune" "$votes" --queries 20 --sigma2 20,30 --delta 1e-5 --quiet >/dev/null
for page in pate pate-analyze pate-release; do
  grep -q "^.SH NAME" "$prefix/usr/share/man/man1/$page.1"
done
bash -n "$prefix/usr/share/bash-completion/completions/pate"
test -s "$prefix/usr/share/zsh/site-functions/_pate"
test -s "$prefix/usr/share/fish/vendor_completions.d/pate.fish"
python3 - "$prefix/usr" <<'END'
# The bill of materials has a licence for every library that the program says is in it, and relates it.
import json, subprocess, sys
bill = json.load(open(sys.argv[1] + "/share/doc/pate/pate.spdx.json"))
said = subprocess.run([sys.argv[1] + "/bin/pate", "--version", "--verbose"], capture_output=True, text=True, check=True)
said = " ".join(said.stdout.split())
packages = {p["SPDXID"]: p for p in bill["packages"]}
related = {r["relatedSpdxElement"]: r["relationshipType"] for r in bill["relationships"]}
assert bill["spdxVersion"] == "SPDX-2.3" and len(packages) == len(bill["packages"]) >= 8
for id, package in packages.items():
    assert package["licenseConcluded"] and id in related, package
    words = f"{package['name']} {package['versionInfo']}"
    assert words in said or package["name"] == "libstdc++", words
libraries = said.split("libraries: ")[1].split(", ")
assert len(libraries) == len(packages) - 2 + ("without COIN-OR CLP" in said), libraries
assert related["SPDXRef-pate"] == "DESCRIBES" and related["SPDXRef-fmt"] == "DYNAMIC_LINK"
END
python3 -m json.tool "$prefix/usr/share/pate/schemas/analyze.schema.json" >/dev/null

check() {
  if [ "$(python3 -c 'import sys; print(float(sys.argv[1]) == float(sys.argv[2]))' "$1" "$epsilon")" != True ]; then
    echo "$2: epsilon $1, the program says $epsilon" >&2
    exit 1
  fi
}

cmake -S "$source_dir/tests/install/consumer" -B "$prefix/consumer" -DCMAKE_PREFIX_PATH="$prefix/usr" \
  -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$prefix/consumer" >/dev/null
check "$("$prefix/consumer/consumer" "$votes")" "find_package(pate)"

if command -v pkg-config >/dev/null; then
  PKG_CONFIG_PATH=$(dirname "$(find "$prefix/usr" -name pate.pc)")
  export PKG_CONFIG_PATH
  # shellcheck disable=SC2046 # words are wanted
  "${CXX:-c++}" "$source_dir/tests/install/consumer/consumer.cpp" -o "$prefix/by_pkg_config" \
    $(pkg-config --cflags --libs pate)
  check "$("$prefix/by_pkg_config" "$votes")" "pkg-config"
fi
echo "installed, found and used: epsilon $epsilon"
