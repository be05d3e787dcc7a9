"""How a call becomes a command line, and what comes back."""
import collections
import os
import pathlib
import re
from typing import Any, Union

from pate import reports, running
from pate.arrays import are_counted, as_file, check_classes, check_rows, counted, from_npy, headings, lines_of
from pate.errors import InputError, UsageError, error_of
from pate.flags import FLAGS

# Of the signatures: the path of a file; that or an array; that or a report.
Path = Union[str, "os.PathLike[str]"]
Votes = Union[Path, Any]
Reported = Union[Path, reports.Report, dict]

# Options whose files may be given as arrays, and as reports.
ARRAYS = frozenset({"indices", "student", "labels", "decisions"})
# Those with a line for each teacher, a number or a text.
LINES = frozenset({"groups", "teacher_weights"})
REPORTS = frozenset({"parameters_from", "resume"})
# Those with a row for each query.
ROWS = frozenset({"student", "labels", "decisions"})
# Options that are given once for each value, NAME=VALUE: of a mapping, for each of its items.
NAMED = frozenset({"rdp", "approximate", "gaussian_mu", "zcdp", "source"})

Simulated = collections.namedtuple("Simulated", "votes labels")
Simulated.__doc__ = "Simulated votes, in the layout that was asked for, and the true classes."


def _rows(value):
    """Of `queries`: a slice or a range of the rows after each other, as A:B."""
    begin, end, step = value.start or 0, value.stop, value.step or 1
    if step != 1 or end is None or not 0 <= begin < end:
        raise UsageError(f"queries: expected rows after each other, slice(A, B) with 0 <= A < B, found {value!r}; others are "
                         "named by indices=[...], and all of them by leaving queries out")
    return f"{begin}:{end}"


def _text(name, value):
    """A value as the command line has it."""
    if isinstance(value, slice) or (name == "queries" and isinstance(value, range)):
        if name != "queries":
            raise UsageError(f"{name}: expected a number, a text or a list of them, found {value!r}")
        return _rows(value)
    if name == "queries" and (isinstance(value, (list, tuple)) or hasattr(value, "tolist") and getattr(value, "ndim", 1)):
        raise UsageError(f"queries: expected a number N (the first N), slice(A, B) or \"A:B\", found {type(value).__name__}; "
                         "rows are named by indices=[...]")
    if hasattr(value, "tolist"):  # an array of numpy, a tensor, a Series: a list, or the number that is in it
        value = value.tolist()
    if isinstance(value, (list, tuple, range)):
        return ",".join(_text(name, item) for item in value)
    if hasattr(value, "items"):  # of group_epsilon
        return ",".join(f"{key}={_text(name, item)}" for key, item in value.items())
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise UsageError(f"{name}: expected a number, a text or a list of them, found {type(value).__name__}")
    return repr(value)


def _is_bool(value):
    """Also of numpy."""
    return isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")


class _Files:
    """Files that live as long as a call, in a directory that none but the owner enters."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)

    def write(self, name, chunks):
        path = self.directory / name
        with open(path, "wb") as file:
            for chunk in chunks:
                file.write(chunk)
        return os.fspath(path)

    def by_keyword(self, said):
        """What the program said, with the keywords that files were made of in the place of their paths."""
        return re.sub(re.escape(os.fspath(self.directory) + os.sep) + r"([a-z_]+)\.(?:npy|csv|txt|json)", r"\1", said)

    def of(self, name, value):
        """The path of what an option names: that of an array or a report is new."""
        if isinstance(value, (str, os.PathLike)):
            return os.fspath(value)
        if name in ARRAYS:
            ending, chunks = as_file(value, name)
            return self.write(name + ending, chunks)
        if name in LINES:
            return self.write(name + ".txt", [lines_of(value, name)])
        if name in REPORTS and isinstance(value, reports.Report):
            value.save(self.directory / f"{name}.json")
            return os.fspath(self.directory / f"{name}.json")
        raise InputError(f"{name}: expected the path of a file, found {type(value).__name__}")


def words_of(options, files, paths):
    """The options as words; None and False are options that are left out. paths: the names of those that take a file."""
    words = []
    for name, value in options.items():
        is_flag = name in FLAGS and _is_bool(value)
        if value is None or value is False or (is_flag and not value):
            continue
        option = "--" + name.rstrip("_").replace("_", "-")  # for_ is --for
        if is_flag:
            words.append(option)
        elif _is_bool(value):
            raise UsageError(f"{name}: expected a value, found {value!r}")
        elif name in NAMED:
            each = [f"{key}={_text(name, item)}" for key, item in value.items()] if hasattr(value, "items") else value
            words += [f"{option}={item}" for item in ([each] if isinstance(each, str) else each)]
        else:
            words.append(f"{option}={files.of(name, value) if name in paths else _text(name, value)}")
    return words


def _votes(value, options):
    """The word for the votes, their bytes if they go by standard input, and what that adds to the options."""
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value), None
    if are_counted(value):
        if options.get("layout") not in (None, "counts"):
            raise InputError(f"votes: expected the class that each teacher voted for, with layout=\"{options['layout']}\", found "
                             f"{type(value[0]).__name__}s: counts of votes are read without layout")
        value = counted(value, options.get("classes"), "votes")
    ending, chunks = as_file(value, "votes")
    if ending == ".csv" and options.get("header") is None:
        # What is above the columns of a frame is known, and no row of others is one.
        options["header"] = "yes" if headings(value) else "no"
    return "-", chunks


def call(command, votes, options, paths):
    """Runs a command on votes, which may be None, and returns its report.

    options: by keyword; paths: the names of those that take a file. `write_labels=True` stands for a file that the
    labels are read from and that is then removed.
    """
    with running.private_directory() as directory:
        files, options, word, chunks = _Files(directory), dict(options), None, None
        if votes is not None:
            word, chunks = _votes(votes, options)
            if options.get("layout") in (None, "counts"):
                check_classes(votes, "votes")
            check_classes(options.get("student"), "student")
            for name in ROWS & options.keys():
                check_rows(options[name], votes, options.get("layout"), name)
        labels = options.get("write_labels")
        if labels is True and options.get("dry_run"):
            labels = options["write_labels"] = None  # a rehearsal draws none
        if labels is True:
            if options.get("ledger") is not None:
                raise UsageError("write_labels: labels that a ledger records have cost privacy, and must not be lost with this process; "
                                 "name a file, write_labels=\"labels.npy\"")
            labels = options["write_labels"] = os.path.join(directory, "labels.npy")
        report = os.path.join(directory, "report.json")
        words = [command, *words_of(options, files, paths), "--summary", f"--output={report}"]
        status, summary, said = running.run(words + (["--", word] if word is not None else []), chunks)
        said = files.by_keyword(said)
        if status not in (0, 1):
            raise error_of(status, said)
        text = pathlib.Path(report).read_text(encoding="utf-8") if os.path.exists(report) else None
        drawn = from_npy(labels) if labels and os.fspath(labels).endswith(".npy") and status == 0 else None
    result = None if text is None else reports.Report(text, summary.decode(), drawn)
    if status == 1:
        error = error_of(status, said)
        error.report = result
        raise error
    return result


def call_with_reports(command, given, options, paths):
    """Runs a command on reports."""
    if not given:
        raise UsageError(f"pate.{command}: a report is missing")
    def work(names):
        with running.private_directory() as directory:
            report = os.path.join(directory, "report.json")
            words = [command, *words_of(options, _Files(directory), paths), "--summary", f"--output={report}", "--", *names]
            status, summary, said = running.run(words)
            text = pathlib.Path(report).read_text(encoding="utf-8") if os.path.exists(report) else None
        result = None if text is None else reports.Report(text, summary.decode())
        if status != 0:
            error = error_of(status, said)
            error.report = result
            raise error
        return result
    return reports.with_files(given, work)


def text_of(command, given, options):
    """Runs a command that puts out a text, on reports if there are any."""
    def work(names):
        return running.run_well([command, *words_of(options, None, ()), *(["--", *names] if names else [])]).decode()
    return reports.with_files(given, work)


def page_of(given, options):
    """Runs `pate report`."""
    return reports.page_of(given, words_of(options, None, ()))


def picture_of(given, options):
    """Runs `pate plot`."""
    return reports.picture_of(given, options["kind"], words_of(options, None, ()))


def simulate(options):
    """Runs `pate simulate`; votes and true classes come back as arrays."""
    with running.private_directory() as directory:
        votes, labels = (os.path.join(directory, name) for name in ("votes.npy", "labels.npy"))
        running.run_well(["simulate", *words_of(options, _Files(directory), ()), "--quiet", f"--output={votes}", f"--labels-output={labels}"])
        return Simulated(from_npy(votes), from_npy(labels))
