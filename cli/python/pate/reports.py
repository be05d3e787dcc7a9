"""What calls return: reports, pages, pictures."""
from __future__ import annotations

import decimal
import html
import json
import math
import os
import pathlib
import re
import shutil
import tempfile
from typing import Any

from pate import running
from pate.errors import Error, InputError


def _rounded_up(cost: float) -> str:
    """Four decimals, or three digits where those say little, never below the cost: as summaries have it."""
    if not math.isfinite(cost):
        return str(cost)
    exact = decimal.Decimal(repr(float(cost)))
    if cost == 0 or 0.01 <= cost < 1e4:
        return str(exact.quantize(decimal.Decimal("0.0001"), rounding=decimal.ROUND_CEILING))
    return f"{decimal.Context(prec=3, rounding=decimal.ROUND_CEILING).create_decimal(exact):.2e}"


class Page(str):
    """A page of HTML, which a notebook shows."""

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self)}" sandbox="" title="report of pate" '
                'style="width: 100%; height: 40em; border: 1px solid #ccc"></iframe>')

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file that its owner alone may read: it may tell of votes."""
        _save(path, self.encode())


class Picture:
    """A picture as SVG, which a notebook shows."""

    def __init__(self, reports: list[Any], kind: str, words: list[str], svg: str) -> None:
        self._reports, self._kind, self._words, self.svg = reports, kind, words, svg

    def __repr__(self) -> str:
        return f"<pate.Picture {self._kind}>"

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture to a file: .svg, .pdf, .png or, for LaTeX, .tex."""
        with_files(self._reports, lambda files: running.run_well(["plot", *self._words, "--quiet", f"--output={os.fspath(path)}", "--", *files]))


class Report:
    """A report of the program: what it says in JSON, as attributes, and whole by `to_dict()`.

    `report["teachers"]` is a field of it; `print(report)` shows the summary for people.
    """

    def __init__(self, text: str, summary: str | None = None, labels: Any = None, command: str | None = None) -> None:
        try:
            self._fields = json.loads(text)
        except ValueError as error:
            raise InputError(f"expected a report of pate, found no JSON: {error}") from error
        if not isinstance(self._fields, dict) or not str(self._fields.get("schema", "")).startswith("pate/"):
            raise InputError("expected a report of pate, found other JSON")
        self._text, self._summary, self._labels, self._page = text, summary, labels, None
        self._command = command

    @property
    def command(self) -> str:
        """The command that made it: "label". Of what is public the file does not say it, but whether votes were given ("analyze")."""
        settings = self._fields.get("settings")
        return settings["command"] if settings else self._command or self._fields["schema"].split("/")[1]

    def _headline(self) -> dict[str, Any]:
        public = self._fields.get("public") or {}
        for place in (self._fields, public):
            if place.get("headline"):
                return place["headline"]
        if self._fields["schema"].startswith("pate/release/"):
            if public.get("epsilon") is None:
                raise AttributeError("this call of pate release drew no epsilon")
            return public
        if self._fields.get("best"):
            return {"delta": self._fields["delta"], **self._fields["best"]}
        raise AttributeError(f"a report of pate {self.command} has no one epsilon; see to_dict()")

    @property
    def epsilon(self) -> float:
        """That of the headline: of a release the number that is published, of a tuning that of the best point."""
        epsilon = self._headline()["epsilon"]
        return math.inf if epsilon is None else epsilon  # JSON has no infinity

    @property
    def delta(self) -> float:
        """The delta that goes with `epsilon`."""
        return self._headline()["delta"]

    @property
    def guarantee(self) -> dict[str, Any]:
        """What is promised to whom, and what is assumed and not covered: a dict of texts."""
        return self["guarantee"]

    @property
    def notices(self) -> list[str]:
        """What must be known of the numbers, as texts."""
        return [notice["message"] for notice in self._fields.get("notices", [])]

    @property
    def costs(self) -> Any:
        """Every bound and conversion with its epsilon: a DataFrame where pandas is installed, else a list of dicts."""
        place = self._fields if "costs" in self._fields else self._fields.get("public", {})
        if "costs" not in place:
            raise AttributeError(f"a report of pate {self.command} lists no costs; see to_dict()")
        try:
            import pandas
        except ImportError:
            return place["costs"]
        return pandas.json_normalize(place["costs"])

    @property
    def labels(self) -> Any:
        """The labels that were drawn, -1 where a query was refused: an array of numpy, or a list where that is not installed.

        With `reinforce_above` there is a second column: who each label is from.
        """
        if self._labels is None:
            raise AttributeError("no labels were drawn, or they are in a text file alone: write_labels=\"labels.npy\" gives them back"
                                 if self.command in ("label", "darrm") else f"pate {self.command} draws no labels; pate.label does")
        return self._labels

    def public(self) -> Report:
        """What may be published of it: the report without numbers that depend on the votes."""
        if self._fields["schema"].startswith("pate/release/") and self._fields.get("public"):
            public = dict(self._fields["public"])  # as it was drawn
            if record := self._fields.get("record"):
                public["record"] = {**record, "events": [{name: part for name, part in event.items() if name != "private"} for event in record["events"]]}
            return Report(json.dumps({**{name: self._fields[name] for name in ("schema", "tool")}, "public": public}), command=self.command)
        text = with_files([self], lambda files: running.run_well(["compose", "--public-only", "--quiet", "--output=-", "--", *files])).decode()
        return Report(text, command=self.command)

    def page(self, public_only: bool = False) -> Page:
        """The report as a page of HTML for people who run no commands; with pictures where gnuplot is installed."""
        if not public_only:
            return page_of([self])
        return page_of([self.public() if "settings" in self._fields else self], ["--public-only"])

    def plot(self, kind: str) -> Picture:
        """A picture, which gnuplot draws: see `pate.plot` for the kinds."""
        return picture_of([self], kind, [f"--kind={kind}"])

    def to_dict(self) -> dict[str, Any]:
        """All of it."""
        return json.loads(self._text)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the report to a file that its owner alone may read, to the last bit as the program made it."""
        _save(path, self._text.encode())

    def __getitem__(self, name: str) -> Any:
        public = self._fields.get("public") or {}
        return self._fields[name] if name in self._fields or name not in public else public[name]

    def __repr__(self) -> str:
        try:
            return f"<pate.Report {self.command}: epsilon {_rounded_up(self.epsilon)} at delta {float(self.delta)!r}>"
        except (AttributeError, TypeError):
            return f"<pate.Report {self.command}>"

    def __str__(self) -> str:
        return repr(self) if self._summary is None else self._summary.rstrip("\n")

    def _repr_html_(self) -> str:
        if self._page is None:
            self._page = self.page()
        return self._page._repr_html_()

    def __reduce__(self) -> tuple[Any, ...]:
        return Report, (self._text, self._summary, self._labels, self._command)


def load(path: str | os.PathLike[str]) -> Report:
    """A report that was saved, or that the program wrote."""
    try:
        text = pathlib.Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{os.fspath(path)}: expected a report of pate, found no text: {error}") from error
    except OSError as error:
        raise InputError(f"{os.fspath(path)}: cannot be read: {error.strerror}") from error
    return Report(text)


def _save(path, content):
    """Whole or not at all, as the program writes files."""
    path = pathlib.Path(path)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def with_files(reports, work):
    """What `work` returns of the paths of files that have the reports: Reports, dicts or paths.

    Errors call a report of the first two kinds "report 1", by its place: its file is gone by then.
    """
    with running.private_directory() as directory:
        files = []
        for number, report in enumerate(reports, 1):
            if isinstance(report, (str, os.PathLike)):
                files.append(os.fspath(report))
                continue
            if isinstance(report, dict):
                report = Report(json.dumps(report))
            if not isinstance(report, Report):
                raise InputError(f"report {number}: expected a Report, a dict or the path of one, found {type(report).__name__}")
            files.append(os.path.join(directory, f"report{number}.json"))
            report.save(files[-1])
        try:
            return work(files)
        except Error as error:
            name = re.compile(re.escape(os.path.join(directory, "report")) + r"(\d+)\.json")
            error.args = tuple(name.sub(r"report \1", part) if isinstance(part, str) else part for part in error.args)
            raise


def page_of(reports, words=()):
    """The page of `pate report` with these options; without pictures where there is no gnuplot to draw them."""
    if "--no-pictures" not in words and shutil.which("gnuplot") is None:
        words = [*words, "--no-pictures"]
    return Page(with_files(reports, lambda files: running.run_well(["report", "--output=-", *words, "--", *files])).decode())


def picture_of(reports, kind, words):
    """The picture of `pate plot` with these options."""
    def draw(files):
        with running.private_directory() as directory:
            picture = pathlib.Path(directory) / "picture.svg"
            running.run_well(["plot", *words, "--quiet", f"--output={picture}", "--", *files])
            return picture.read_text(encoding="utf-8")
    reports = list(reports)
    return Picture(reports, kind, words, with_files(reports, draw))
