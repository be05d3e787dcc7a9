#!/usr/bin/env python3
"""Checks that includes go one way: the rooms of cmake/rooms.cmake against the code.

usage: check_layout.py PROJECT_DIRECTORY

Also checked: the rooms have no cycle, every folder is one, and lib/README.md tells of each; nlohmann/json and OpenSSL are included in
lib/pate/base only, zlib and libzip in lib/pate/votes/tables only, CLI11 in cli/options/option_parser.cpp only, CLP in lib/pate/studies/darrm/linear_program.cpp only, xsimd in lib/pate/numerics/kernels only,
fast_float in lib/pate/base/read_double.cpp only, the random source of the system in lib/pate/base/system.cpp only; the library includes nothing of cli.
In a checkout of git nothing stands at the top but what has its place there: a trial leaves no files.
The headers that are installed (cmake/public_headers.cmake) include each other and the standard library only, and are at most 30.
Prints one line per violation; exit status 1 if there are any.
"""
import re
import subprocess
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
SUFFIXES = {".hpp", ".cpp", ".inc"}
# What git may have at the top, beside names that begin with a dot.
TOP = {"CHANGELOG.md", "CITATION.cff", "CMakeLists.txt", "CMakePresets.json", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "LICENSE",
       "MIGRATION.md", "Makefile", "README.md", "SECURITY.md", "TUTORIAL.md", "cli", "cmake", "lib", "packaging", "sample_votes",
       "tests"}
# What the path of an include begins with, and the folders that may include it.
OUTSIDERS = {
    "nlohmann/": ("lib/pate/base/",),
    "CLI/": ("cli/options/option_parser.cpp",),
    "openssl/": ("lib/pate/base/",),
    "zlib.h": ("lib/pate/votes/tables/",),
    "zip.h": ("lib/pate/votes/tables/",),
    "coin/": ("lib/pate/studies/darrm/linear_program.cpp",),
    "xsimd/": ("lib/pate/numerics/kernels/",),
    "fast_float/": ("lib/pate/base/read_double.cpp",),
    "sys/random.h": ("lib/pate/base/system.cpp",),
    "cli/": ("cli/",),
}


def allowed_includes(rooms):
    """What rooms.cmake says, as {room: set of rooms it may include}, itself not among them."""
    table = {}
    for words in re.findall(r"^pate_room\(([^)]*)\)", rooms, re.M):
        room, *rest = words.split()
        used = []
        for word in rest:
            if word in ("PRIVATE", "ALONE"):
                break
            used.append(word)
        table[room] = set(used)
    front = re.search(r"^set\(PATE_FRONT_DOOR([^)]*)\)", rooms, re.M)
    if front:
        table["pate.hpp"] = set(front.group(1).split())
    return table


def cycle_in(table):
    """A folder from which the table leads back to it, or None."""
    for start in sorted(table):
        reached, todo = set(), list(table[start])
        while todo:
            folder = todo.pop()
            if folder == start:
                return start
            if folder not in reached:
                reached.add(folder)
                todo.extend(table.get(folder, ()))
    return None


def includes_of(root, folder):
    """(path below root, line number, included path) of every include below a folder."""
    for path in sorted((root / folder).rglob("*")):
        if path.suffix in SUFFIXES:
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                found = INCLUDE.match(line)
                if found:
                    yield path.relative_to(root).as_posix(), number, found.group(1)


def folder_of(path):
    """math for pate/numerics/normal.hpp, error.hpp for pate/base/error.hpp."""
    return path.split("/")[1]


def public_violations(root):
    """What is wrong with the headers that are installed."""
    listing = root / "cmake/public_headers.cmake"
    public = re.findall(r"^\s*lib/(\S+\.hpp)", listing.read_text(encoding="utf-8"), re.MULTILINE)
    result = []
    if not 0 < len(public) <= 32:
        result.append(f"cmake/public_headers.cmake: {len(public)} headers, expected 1 to 32")
    for header in public:
        path = root / "lib" / header
        if not path.is_file():
            result.append(f"cmake/public_headers.cmake: there is no lib/{header}")
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            found = INCLUDE.match(line)
            # Headers of the standard library have neither a folder nor a suffix; sys/ is POSIX.
            if not found or found.group(1) in public or found.group(1).startswith("sys/"):
                continue
            if re.search(r"[/.]", found.group(1)):
                result.append(f"lib/{header}:{number}: includes {found.group(1)}, "
                              "which is not installed, or not ours")
    return result


def strays(root):
    """Names at the top that git has and that have no place there; none outside of a checkout."""
    if not (root / ".git").exists():
        return []
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    names = {name.split("/")[0] for name in listed.stdout.decode(errors="replace").split("\0") if name}
    return sorted(name for name in names - TOP if not name.startswith("."))


def violations(root):
    table = allowed_includes((root / "cmake/rooms.cmake").read_text(encoding="utf-8"))
    if not table:
        return ["cmake/rooms.cmake: no pate_room(...)"]
    result = []
    around = cycle_in(table)
    if around:
        result.append(f"cmake/rooms.cmake: the rooms lead from {around} back to {around}")
    told = set(re.findall(r"^\| `([^`]+)` \|", (root / "lib/README.md").read_text(encoding="utf-8"), re.M))
    result.extend(f"lib/README.md: no row of a table tells of {room}" for room in sorted(table.keys() - told))
    for entry in sorted((root / "lib/pate").iterdir()):
        is_code = entry.is_dir() or entry.suffix in SUFFIXES
        if is_code and entry.name not in table:
            result.append(f"cmake/rooms.cmake: lib/pate/{entry.name} is no room")
    result.extend(public_violations(root))
    result.extend(f"{name}: has no place at the top" for name in strays(root))
    checked = 0
    for path, number, included in [*includes_of(root, "lib"), *includes_of(root, "cli")]:
        checked += 1
        where = f"{path}:{number}: includes {included}"
        if path.startswith("lib/") and included.startswith("pate/"):
            own, other = folder_of(path.removeprefix("lib/")), folder_of(included)
            if own != other and other not in table.get(own, set()):
                result.append(f"{where}, but {own} may not include {other}")
        for prefix, homes in OUTSIDERS.items():
            if included.startswith(prefix) and not path.startswith(homes):
                result.append(f"{where}, which is for {', '.join(homes)} only")
    if checked == 0:
        result.append(f"{root}: no includes found at all")
    return result


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = violations(Path(sys.argv[1]))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
