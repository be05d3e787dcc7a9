#!/bin/sh
# Makes the static tarball and the wheel of arm64, in $1 jobs, in build/arm64/package, and checks both:
# programs of arm64 that load nothing; under qemu the README's first example says what it says there, in
# the shell and through the wheel's package.
set -eu
jobs=$1
cd "$(dirname "$0")/../.."
cmake/arm64_root.sh
cmake -S . -B build/arm64 -G Ninja --log-level=NOTICE -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/arm64.cmake" \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON
cmake --build build/arm64 -j "$jobs" --target wheel
tarball=$(echo build/arm64/package/pate-*-linux-aarch64.tar.gz)
wheel=$(echo build/arm64/package/pate_accountant-*-manylinux_2_17_aarch64.whl)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# $1 is a program of arm64 that wants no loader.
check_program() {
  aarch64-linux-gnu-readelf --file-header "$1" | grep -q 'Machine: *AArch64' ||
    { echo "$1 is not of arm64"; exit 1; }
  if aarch64-linux-gnu-readelf --program-headers "$1" | grep -q INTERP; then
    echo "$1 loads libraries" && exit 1
  fi
}

mkdir "$work/tarball" "$work/wheel"
tar -C "$work/tarball" -xzf "$tarball" --strip-components=1
check_program "$work/tarball/bin/pate"
for file in share/man/man1/pate-analyze.1 share/bash-completion/completions/pate share/doc/pate/copyright-libssl-dev; do
  test -s "$work/tarball/$file" || { echo "the tarball has no $file"; exit 1; }
done

# pip takes a wheel of another machine where it is told to, and to a folder alone.
/usr/bin/python3 -m pip install --quiet --root-user-action ignore --no-index --no-deps --no-compile --only-binary :all: \
  --platform manylinux_2_17_aarch64 --target "$work/wheel" "$wheel"
check_program "$work/wheel/bin/pate"
cmp "$work/tarball/bin/pate" "$work/wheel/bin/pate"

/usr/bin/python3 -B - "$work" <<'PYTHON'
import json, os, pathlib, subprocess, sys
work = pathlib.Path(sys.argv[1])
readme = pathlib.Path("README.md").read_text(encoding="utf-8")
command, _, printed = readme.split("```console\n$ pate ")[1].split("\n```")[0].partition("--summary\n")
done = subprocess.run(["qemu-aarch64", work / "tarball/bin/pate", *command.replace("\\\n", " ").split(), "--summary"],
                      capture_output=True, text=True, check=False)
if (done.returncode, done.stdout.strip()) != (0, printed.strip()):
    sys.exit(f"the first example of the README printed, with status {done.returncode}:\n{done.stdout}{done.stderr}")

# The solver is in it.
darrm = "darrm --teachers 11 --setting independent-fresh --epsilon 0.1 --m 3 --queries 10 --quiet"
done = subprocess.run(["qemu-aarch64", work / "tarball/bin/pate", *darrm.split()], capture_output=True, text=True, check=False)
if done.returncode != 0 or not 0 < json.loads(done.stdout)["objective"]["value"]:
    sys.exit(f"{darrm}: status {done.returncode}\n{done.stdout}{done.stderr}")

# What the package starts is this machine's: a line that starts qemu.
program = work / "pate"
program.write_text(f'#!/bin/sh\nexec qemu-aarch64 "{work}/wheel/bin/pate" "$@"\n', encoding="utf-8")
program.chmod(0o755)
code, printed = readme.split("## In Python")[1].split("<<'END'\n")[1].split("\n```")[0].split("\nEND\n")
done = subprocess.run(["/usr/bin/python3", "-c", code], capture_output=True, text=True, check=False,
                      env={**os.environ, "PYTHONPATH": str(work / "wheel"), "PATE_PROGRAM": str(program)})
if (done.returncode, done.stdout.strip()) != (0, printed.strip()):
    sys.exit(f"the README's lines of Python printed, with status {done.returncode}:\n{done.stdout}{done.stderr}")
PYTHON
echo "$tarball, $wheel: of arm64, alone, and right"
