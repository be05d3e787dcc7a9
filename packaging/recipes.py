#!/usr/bin/env python3
"""Fills in the recipes of packaging/recipes for a release.

usage: recipes.py URL ARCHIVE DIRECTORY

URL is where ARCHIVE, the file that `make dist` makes, is published; the version is that of CMakeLists.txt.
"""
import hashlib
import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[1]


def fill(url, archive, directory):
    """Writes every recipe below `directory`; returns their paths."""
    content = pathlib.Path(archive).read_bytes()
    values = {"URL": url, "VERSION": re.search(r"^  VERSION (\S+)$", (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8"), re.M)[1],
              "SHA256": hashlib.sha256(content).hexdigest(), "SHA512": hashlib.sha512(content).hexdigest()}
    written = []
    for recipe in sorted((SOURCE / "packaging/recipes").glob("*/*")):
        text = re.sub("@([A-Z0-9]+)@", lambda match: values[match[1]], recipe.read_text(encoding="utf-8"))
        target = pathlib.Path(directory) / recipe.parent.name / recipe.name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        written.append(target)
    return written


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    print("\n".join(map(str, fill(*sys.argv[1:]))))


if __name__ == "__main__":
    main()
