#!/usr/bin/env python3
"""Every source and every header of lib and cli parsed alone by clang, whose warnings are errors.

usage: alone.py SOURCE_DIR BUILD_DIR [--jobs N] [--precompiled]

BUILD_DIR is one of the preset `tidy`, which compiles a folder at a time: there a file can use what another of the folder
includes, which ends the build of those who compile each file for itself. A header that its own source includes first is
looked at with it; any other, twice in a unit of its own. What was clean is not looked at again before it, a header it
includes or its options change: BUILD_DIR/alone.json has the digests.
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import shlex
import subprocess
import sys

from tidy import INCLUDE, Texts, write


def sources_with_options(source, build):
    """Path of each source of lib and cli, and what its compiler is called with."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        path = pathlib.Path(entry["file"])
        options = shlex.split(re.sub(r" -o \S+ -c \S+", "", entry["command"]))
        members = INCLUDE.findall(path.read_text(encoding="utf-8")) if "/Unity/" in str(path) else [str(path)]
        for member in members:
            member = pathlib.Path(member)
            if any(member.is_relative_to(source / folder) for folder in ("lib", "cli")):
                found.setdefault(member, options)
    return found


def begins_with_its_header(path):
    first = INCLUDE.search(path.read_text(encoding="utf-8"))
    return first is not None and first[1].endswith(f"{path.parent.name}/{path.stem}.hpp")


def units(source, build):
    """Name, command and standard input of everything that is parsed."""
    found = sources_with_options(source, build)
    if not found:
        sys.exit(f"there is no source to look at in {build}")
    for path, options in found.items():
        yield path, [*options, "-fsyntax-only", str(path)], ""
    # Who sees all rooms sees all that a header may include. Tests promote to long double by the dozen.
    widest = max(found.values(), key=lambda options: sum(word.startswith(("-I", "-isystem")) for word in options))
    seen = {path.with_suffix(".hpp") for path in found if begins_with_its_header(path)}
    folders = (source / "lib", source / "cli", source / "tests/support")
    for header in sorted(path for folder in folders for path in folder.rglob("*.hpp")):
        if header not in seen:
            text = f'#include "{header}"\n' * 2
            yield header, [*widest, f"-I{source / 'tests'}", "-Wno-double-promotion", "-fsyntax-only", "-x", "c++", "-"], text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    source, build = given.source.resolve(), given.build.resolve()

    kept_file, texts = build / "alone.json", Texts(source)
    version = subprocess.run(["clang++", "--version"], stdout=subprocess.PIPE, text=True, check=False).stdout
    clean = set(json.loads(kept_file.read_text(encoding="utf-8"))) if kept_file.exists() else set()

    def parse(unit):
        """What is said, if anything, or None where it was clean before."""
        path, command, text = unit
        digest = texts.digest(path, *command, text, version)
        if digest in clean:
            return path, digest, None
        done = subprocess.run(command, cwd=build, input=text, capture_output=True, text=True, check=False)
        return path, digest, done.stderr.strip() or ("" if done.returncode == 0 else f"status {done.returncode}")

    found, looked, wrong = set(), 0, 0
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for path, digest, said in pool.map(parse, units(source, build)):
            looked += said is not None
            if said:
                wrong += 1
                print(f"{said}\nDOES NOT COMPILE ALONE: {path.relative_to(source)}", flush=True)
            else:
                found.add(digest)
    write(kept_file, json.dumps(sorted(found), indent=1) + "\n")
    print(f"alone: {len(found) + wrong} sources and headers, {looked} looked at, {wrong} wrong")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
