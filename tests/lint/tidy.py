#!/usr/bin/env python3
"""clang-tidy on every file of lib and cli, a room at a time: its files share their headers, which take most of the time.

usage: tidy.py SOURCE_DIR BUILD_DIR [--jobs N] [--analyzer | --without-style] [--only WORD] [--again]

BUILD_DIR is one of the preset `tidy`. --analyzer follows paths through functions too (clang-analyzer-*), which takes several
times as long; --without-style leaves out what is about readable and modern code, and takes two thirds of it. A room that was
clean is not looked at again before it, a header it includes, the options of its compiler or .clang-tidy changes:
BUILD_DIR/clean.json has the digests. --only looks at rooms with a source whose path has WORD, --again at those that were
clean too.
"""
import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import time

# A unit includes the sources of its room, which is what it is for.
CHECKS = "-bugprone-suspicious-include"
STYLE = ",-modernize-*,-readability-*"
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)


class Texts:
    """The files that a unit is made of: itself and, of ours, what it includes."""

    def __init__(self, source):
        self.folders = (source / "lib", source)
        self.known = {}

    def of(self, path):
        if path not in self.known:
            text = path.read_bytes()
            names = INCLUDE.findall(text.decode("utf-8", "replace"))
            candidates = [folder / name for name in names for folder in (path.parent, *self.folders)]
            self.known[path] = text, [one for one in candidates if one.is_file()]
        return self.known[path]

    def digest(self, path, *words):
        found, waiting = {}, [path]
        while waiting:
            one = waiting.pop()
            if one not in found:
                found[one], more = self.of(one)
                waiting += more
        digest = hashlib.sha256("\0".join(words).encode())
        for one in sorted(found):
            digest.update(hashlib.sha256(found[one]).digest())
        return digest.hexdigest()


def units(source, build):
    """What is looked at as one, the largest first: path, command, sources, and the units of the build it is made of. It is a
    room, or the sources of a folder that the build compiles alone."""
    groups = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        path = pathlib.Path(entry["file"])
        target = re.search(r"CMakeFiles/(\w+)\.dir/Unity/", str(path))
        options = re.sub(r" -o \S+ -c \S+", "", entry["command"])
        if target:
            groups.setdefault((target[1], options), []).append((entry, INCLUDE.findall(path.read_text(encoding="utf-8"))))
        elif path.is_relative_to(source) and not path.is_relative_to(build):
            groups.setdefault((f"{path.parent.name}_alone", options), []).append((entry, [str(path)]))
    (build / "rooms").mkdir(exist_ok=True)
    found, entries = [], []
    for (name, _), parts in groups.items():
        members = sorted({member for _, its in parts for member in its})
        if any(members == its for *_, its, _ in found):
            continue  # the program, dynamic and static
        entry, path = dict(parts[0][0]), pathlib.Path(members[0])
        if len(members) > 1:
            path = build / f"rooms/{name}.cpp"
            write(path, "".join(f'#include "{member}"\n' for member in members))
            entry["command"] = entry["command"].replace(entry["file"], str(path))
            entry["file"] = str(path)
        entries.append(entry)
        found.append((path, entry["command"], members, [pathlib.Path(one["file"]) for one, _ in parts]))
    write(build / "rooms/compile_commands.json", json.dumps(entries, indent=1))
    return sorted(found, key=lambda it: -sum(pathlib.Path(name).stat().st_size for name in it[2]))


def write(path, text):
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=2)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--analyzer", action="store_true")
    how.add_argument("--without-style", action="store_true")
    parser.add_argument("--only", default="", metavar="WORD")
    parser.add_argument("--again", action="store_true")
    given = parser.parse_args()
    source, build = given.source.resolve(), given.build.resolve()
    # What is clean with more checks is clean with fewer.
    level = 2 if given.analyzer else 0 if given.without_style else 1
    words = ["--checks=" + CHECKS + (STYLE if level == 0 else "") + ("" if level == 2 else ",-clang-analyzer-*")]
    if given.analyzer:  # in the sources that a unit includes, not only in itself
        words += ["--extra-arg=-Xclang", "--extra-arg=-analyzer-opt-analyze-headers"]
    version = subprocess.run(["clang-tidy", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    settings = "".join(path.read_text(encoding="utf-8")
                       for path in [source / ".clang-tidy", *sorted((source / "lib").rglob(".clang-tidy"))])
    kept_file = build / "clean.json"
    kept = json.loads(kept_file.read_text(encoding="utf-8")) if kept_file.exists() else {}
    texts = Texts(source)
    all_of_them = [(path, members, folders, texts.digest(path, command, version, settings))
                   for path, command, members, folders in units(source, build) if given.only in str(path) + " ".join(members)]
    if not all_of_them:
        sys.exit(f"there is no unit to look at in {build}")
    wanted = [one for one in all_of_them if given.again or kept.get(one[-1], -1) < level]

    def tidy(database, path):
        done = subprocess.run(["clang-tidy", "--quiet", *words, "-p", database, path], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        return done.stdout if done.stdout.strip() or done.returncode == 0 else done.stderr

    def look(unit):
        """What is found, and after how many seconds. Folders of a room that have a name in common are looked at alone."""
        path, _, folders, _ = unit
        began = time.monotonic()
        said = tidy(build / "rooms", path)
        if "[clang-diagnostic-error]" in said and len(folders) > 1:
            said = "".join(tidy(build, folder) for folder in folders)
        return said.strip(), time.monotonic() - began

    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for (path, members, _, digest), (said, seconds) in zip(wanted, pool.map(look, wanted)):
            name = path.stem if len(members) > 1 else str(pathlib.Path(members[0]).relative_to(source))
            if said:
                wrong += 1
                print(f"{said}\nNOT CLEAN: {name}", flush=True)
                continue
            print(f"clean: {name}, {len(members)} sources, {seconds:.0f} s", flush=True)
            kept[digest] = max(level, kept.get(digest, level))
            write(kept_file, json.dumps({one: level for one, level in kept.items()
                                         if given.only or one in {digest for *_, digest in all_of_them}}, indent=1) + "\n")
    print(f"{len(all_of_them)} units of {sum(len(members) for _, members, *_ in all_of_them)} sources, "
          f"{len(all_of_them) - len(wanted)} clean before, {wrong} not clean")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
