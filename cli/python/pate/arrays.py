"""Arrays of others as bytes that the program reads, and its labels as arrays.

What an array means is for the program to say: it is handed on as it is, in the format of numpy (.npy), or as CSV where
there are texts in it or cells are missing.
"""
import array
import ast
import collections.abc
import csv
import io
import math
import struct
import sys

from pate.errors import InputError

_MAGIC = b"\x93NUMPY"


def _header(descr, fortran, shape):
    text = f"{{'descr': {descr!r}, 'fortran_order': {fortran}, 'shape': {tuple(shape)!r}, }}"
    padding = -(len(_MAGIC) + 4 + len(text) + 1) % 64
    text += " " * padding + "\n"
    return _MAGIC + b"\x01\x00" + struct.pack("<H", len(text)) + text.encode("ascii")


def _csv(rows, heading=None):
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    if heading is not None:
        writer.writerow(heading)
    for row in rows:
        cells = list(row) if isinstance(row, (list, tuple)) else [row]
        writer.writerow(["" if _is_missing(cell) else cell for cell in cells])
    return [text.getvalue().encode()]


def _is_missing(cell):
    return cell is None or (isinstance(cell, float) and math.isnan(cell)) or type(cell).__name__ in ("NAType", "NaTType")


def _flat(values, what, shape, depth, into):
    """Appends the numbers of nested lists, all of one shape, which the first of each depth decides."""
    if not isinstance(values, (list, tuple, range)):
        if depth != len(shape):
            raise InputError(f"{what}: expected lists of one depth, found {values!r} beside lists")
        into.append(values)
        return
    if depth == len(shape):
        if into:
            raise InputError(f"{what}: expected lists of one depth, found a list beside {into[0]!r}")
        shape.append(len(values))
    elif len(values) != shape[depth]:
        raise InputError(f"{what}: expected {shape[depth]} values as in the first list, found a list of {len(values)}")
    for value in values:
        _flat(value, what, shape, depth + 1, into)


def _lists(values, what):
    shape, numbers = [], []
    _flat(values, what, shape, 0, numbers)
    if numbers and all(isinstance(number, bool) for number in numbers):
        return ".npy", [_header("|b1", False, shape), bytes(numbers)]
    if all(isinstance(number, int) for number in numbers):
        code, descr = "q", "i8"
    elif all(isinstance(number, (int, float)) for number in numbers):
        code, descr = "d", "f8"
    elif len(shape) <= 2:
        return ".csv", _csv(values)
    else:
        raise InputError(f"{what}: expected numbers in lists of lists of lists")
    try:
        packed = array.array(code, numbers)
    except OverflowError as error:
        raise InputError(f"{what}: expected integers in the range of int64") from error
    order = "<" if sys.byteorder == "little" else ">"
    return ".npy", [_header(order + descr, False, shape), packed.tobytes()]


def _as_numpy(values, what):
    import numpy  # there is one, or there were no such values

    if hasattr(values, "detach"):
        values = values.detach().cpu()
    if isinstance(values, numpy.ma.MaskedArray) and numpy.ma.is_masked(values):
        raise InputError(f"{what}: expected values everywhere, found a masked array; fill it with what the masked values mean")
    try:
        return numpy.asarray(values)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what}: expected an array, found {type(values).__name__}, which numpy makes none of: {error}") from error


def _numpy_array(values, what):
    import numpy

    values = _as_numpy(values, what)
    if values.dtype.kind == "V" and values.dtype.names:
        raise InputError(f"{what}: expected an array of integers, floats or bools, found one with named fields, {', '.join(values.dtype.names)}: "
                         "numpy.lib.recfunctions.structured_to_unstructured makes columns of them, or hand over a frame of pandas, which "
                         "keeps the names")
    if values.dtype.kind in "US" or (values.dtype.kind == "O" and values.ndim <= 2):
        return ".csv", _csv(values.astype(str).tolist() if values.dtype.kind == "S" else values.tolist())
    if values.dtype.kind not in "biuf" or values.dtype.isbuiltin == 2:
        raise InputError(f"{what}: expected an array of integers, floats or bools, found one of {values.dtype}")
    if not (values.flags.c_contiguous or values.flags.f_contiguous):
        values = numpy.ascontiguousarray(values)
    fortran = values.flags.f_contiguous and not values.flags.c_contiguous
    content = values.T if fortran else values
    return ".npy", [_header(values.dtype.str, fortran, values.shape), content.reshape(-1).view(numpy.uint8).data]


def _column_names(values):
    """The names of the columns of a frame, of any library; none where it is no frame."""
    names = getattr(values, "column_names", None)  # of pyarrow, whose .columns are the values
    names = list(names if isinstance(names, (list, tuple)) else getattr(values, "columns", ()))
    if not all(isinstance(name, tuple) for name in names):
        return names
    # Of several levels: the last, where the others are the same for all.
    alike = len({name[:-1] for name in names}) <= 1
    return [name[-1] if alike else " ".join(map(str, name)) for name in names]


def _is_number(name):
    return isinstance(name, (int, float)) or (hasattr(name, "dtype") and name.dtype.kind in "biuf")


def headings(values):
    """What stands above the columns of a frame, as texts where any of them is one; None where all are numbers, or no frame."""
    names = _column_names(values)
    return None if all(map(_is_number, names)) else list(map(str, names))


def check_classes(values, what):
    """Raises InputError where the columns of a frame, of which each is a class, are numbered otherwise than classes are."""
    names = _column_names(values)
    if not names or not all(map(_is_number, names)) or names == list(range(len(names))):
        return
    shown = ", ".join(map(str, names[:6])) + (", ..." if len(names) > 6 else "")
    whole = all(name >= 0 and name == int(name) for name in names)
    order = f"{what}.reindex(columns=range({int(max(names)) + 1}), fill_value=0) puts them into order, with a 0 where nobody voted" if whole else ""
    raise InputError(f"{what}: expected columns 0 to {len(names) - 1} in this order, which are the classes, found columns {shown}: "
                     f"{order + '; ' if order else ''}{what}.to_numpy() says that they are the classes 0, 1, ... as they stand")


def check_rows(values, votes, layout, what):
    """Raises InputError where a frame or Series beside the votes has as many rows, which its index names otherwise."""
    rows = getattr(votes, "columns" if layout == "predictions" else "index", None)
    of_pandas = all(type(each).__module__.partition(".")[0] == "pandas" for each in (values, votes))
    if of_pandas and rows is not None and len(values) == len(rows) and not values.index.equals(rows):
        raise InputError(f"{what}: expected the index of the votes, found another one: put its rows into their order, or hand over "
                         f"{what}.to_numpy() if they are")


def _frame(frame, what):
    """A DataFrame or Series of pandas; its index is left out, texts above its columns are kept."""
    import pandas

    if isinstance(frame, pandas.Series):
        frame = frame.to_frame()
    named = headings(frame)
    numbers = all(kind.kind in "biuf" for kind in frame.dtypes) and not frame.isna().any(axis=None)
    if numbers and not named:
        return _numpy_array(frame.to_numpy(), what)
    return ".csv", _csv(frame.astype(object).to_numpy().tolist(), named)


def _check_indices(rows, what):
    """Raises InputError where Series or frames of pandas in a list differ in what they call their rows and columns."""
    labelled = [row for row in rows if type(row).__module__.partition(".")[0] == "pandas"]
    for name in ("index", "columns"):
        axes = [getattr(row, name) for row in labelled if hasattr(row, name)]
        for number, axis in enumerate(axes):
            if not axis.equals(axes[0]):
                raise InputError(f"{what}: expected one {name} in all of the list, found another one at position {number} than at position 0: "
                                 f"put them into one order ([row.loc[{what}[0].index] for row in {what}], or pandas.DataFrame({what})), or hand "
                                 f"over [row.to_numpy() for row in {what}] if they lie in it")


def are_counted(values):
    """Whether these are votes as a Counter, or another mapping, has them for each query."""
    return isinstance(values, (list, tuple)) and len(values) > 0 and all(isinstance(row, collections.abc.Mapping) for row in values)


def counted(rows, classes, what):
    """Rows of counts of such votes. classes: how many there are, or their names in order, as a list or with commas between them.

    Of classes that nobody voted for mappings say nothing, and these take part in the noisy maximum too: without `classes` they are
    refused, and so is what is no class.
    """
    names = classes.split(",") if isinstance(classes, str) and "," in classes else classes
    if isinstance(names, str) and names.isdecimal():
        names = int(names)
    if names is None:
        raise InputError(f"{what}: expected how many classes there are beside {type(rows[0]).__name__}s, which leave out those that nobody voted "
                         "for: add classes=10, or their names, classes=[\"cat\", \"dog\"]")
    names = [names] if isinstance(names, str) else list(range(int(names))) if hasattr(names, "__index__") else list(names)
    places = {name: place for place, name in enumerate(names)}
    table = []
    for number, row in enumerate(rows):
        counts = [0] * len(names)
        for name, votes in row.items():
            if name not in places:
                raise InputError(f"{what}: row {number}: expected votes for the classes {', '.join(map(str, names[:3]))}"
                                 f"{', ...' if len(names) > 3 else ''}, found some for {name!r}")
            counts[places[name]] = votes.item() if hasattr(votes, "item") else votes
        table.append(counts)
    return table


def as_file(values, what):
    """The ending of a file of these values, and the bytes in it, piece by piece.

    values: lists, arrays of numpy, tensors of torch or jax, frames of pandas, sparse matrices of scipy, or whatever else
    has `__array__`. what: the name in messages. Raises InputError for what is no array, and for lists that are no table.
    """
    module = type(values).__module__.partition(".")[0]
    if module == "pandas":
        return _frame(values, what)
    if hasattr(values, "toarray"):
        values = values.toarray()
    if hasattr(values, "__array__"):
        named = headings(values)
        return (".csv", _csv(_as_numpy(values, what).tolist(), named)) if named else _numpy_array(values, what)
    if isinstance(values, range):
        values = list(values)
    if not isinstance(values, (list, tuple)):
        raise InputError(f"{what}: expected an array, lists or the path of a file, found {type(values).__name__}")
    if any(hasattr(value, "__array__") for value in values):  # of every teacher, say
        import numpy

        _check_indices(values, what)
        rows = [_as_numpy(value, what) for value in values]
        for number, row in enumerate(rows):
            if row.shape != rows[0].shape:
                raise InputError(f"{what}: expected arrays of one shape, {rows[0].shape}, found {row.shape} at position {number}")
        return _numpy_array(numpy.stack(rows), what)
    return _lists(values, what)


def lines_of(values, what):
    """A line for each of some numbers or texts, as bytes.

    values: a list, an array of numpy, a tensor, a Series. Raises InputError for what has other dimensions than one, for
    missing values, and for texts of several lines.
    """
    if hasattr(values, "detach"):
        values = values.detach().cpu()
    if hasattr(values, "tolist"):
        values = values.tolist()
    if not isinstance(values, (list, tuple, range)):
        raise InputError(f"{what}: expected one value for each teacher, in a list or an array, or the path of a file, found "
                         f"{type(values).__name__}")
    lines = []
    for number, value in enumerate(values):
        value = value.item() if hasattr(value, "item") else value
        text = value if isinstance(value, str) else repr(value) if isinstance(value, (int, float)) else None
        if text is None or isinstance(value, bool) or _is_missing(value) or "\n" in text or "\r" in text:
            raise InputError(f"{what}: expected a number or a text of one line for each teacher, found {value!r} at position {number}")
        lines.append(text + "\n")
    return "".join(lines).encode()


def from_npy(path):
    """The integers of a .npy file that the program wrote: an array of numpy where that is installed, else lists."""
    with open(path, "rb") as file:
        content = file.read()
    size = struct.unpack("<H", content[8:10])[0]
    head = ast.literal_eval(content[10:10 + size].decode("ascii"))
    numbers = array.array("q", content[10 + size:])
    if head["descr"] != "<i8" or head["fortran_order"] or len(numbers) != math.prod(head["shape"]):
        raise InputError(f"{path}: expected an array of int64, found {head}")
    if sys.byteorder != "little":
        numbers.byteswap()
    try:
        import numpy
    except ImportError:
        return _nested(numbers.tolist(), head["shape"])
    return numpy.array(numbers, dtype=numpy.int64).reshape(head["shape"])


def _nested(numbers, shape):
    if len(shape) == 1:
        return numbers
    return [numbers[begin:begin + shape[1]] for begin in range(0, len(numbers), shape[1])]
