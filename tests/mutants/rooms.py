"""Rooms: the folders of lib/pate and the folder cli; which sources are mutated, and which tests are near them.

A room is called `release`, `cli`, or, if only a folder of it is meant, `release/curve`, `cli/commands`.
"""
import pathlib
import re

PROGRAM = "cli"


class Rooms:
    def __init__(self, source, named=()):
        self.source = source
        self.library = source / "lib/pate"
        self.there = sorted(folder.name for folder in self.library.iterdir() if folder.is_dir())
        self.there += [PROGRAM] if (source / PROGRAM).is_dir() else []
        self.named = list(named) or self.there
        unknown = [name for name in self.named if not self.folder(name).is_dir() or name.split("/")[0] not in self.there]
        if unknown:
            raise ValueError(f"{' '.join(unknown)}: the rooms are {' '.join(self.there)}, or folders of them as release/curve")

    def folder(self, name):
        return (self.source if name.split("/")[0] == PROGRAM else self.library) / name

    def mutates(self, path):
        return any(self.folder(name) in path.parents for name in self.named)

    def sources(self):
        """All of them, in an order in which those of the program come last."""
        return sorted(self.library.rglob("*.cpp")) + sorted((self.source / PROGRAM).rglob("*.cpp"))

    def stage_of(self, tests):
        """Tests of the mutated rooms are the first stage, those of the rest of the library the second, of the program the third."""
        mutated = {name.split("/")[0] for name in self.named}
        own = {room_of(test) for test in tests.split()}
        return 0 if own & mutated else 1 if own - {PROGRAM, ""} else 2


def room_of(path):
    """The room of a source or a test."""
    found = re.search(r"(?:^|/)lib/(?:pate/)?(\w+)/", path) or re.search(rf"(?:^|/)({PROGRAM})/", path)
    return found.group(1) if found else ""


def near(source, test):
    """How soon a test is asked: those of a source, or of the command it has, before those of its room."""
    stem = pathlib.Path(source).stem
    if f"/{stem}_test" in test or f"/{PROGRAM}/{stem}/" in test:
        return 0.1
    return 1.0 if room_of(test) == room_of(source) else 4.0
