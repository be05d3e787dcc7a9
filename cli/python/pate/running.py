"""Which program is run, and how."""
import atexit
import contextlib
import functools
import os
import pathlib
import shutil
import subprocess
import sysconfig
import tempfile
import threading

from pate.errors import ProgramError, error_of

__version__ = "1.0.0"


def _places():
    """Where the program may be, in the order in which it is looked for."""
    said = os.environ.get("PATE_PROGRAM")
    if said:
        yield said
        return
    # Where pip puts the programs of a wheel, also with --target and --user.
    here = pathlib.Path(__file__).resolve().parent.parent
    if (here / f"pate_accountant-{__version__}.dist-info").is_dir():
        yield here / "bin" / "pate"
        # The scheme that is the default of this Python, and that of --user.
        for scheme in ((), (f"{os.name}_user",)):
            yield pathlib.Path(sysconfig.get_path("scripts", *scheme)) / "pate"
    found = shutil.which("pate")
    if found:
        yield found


@functools.lru_cache(maxsize=None)
def _checked(path):
    """The path of a program, which is of the version of this package: another may know other options."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    except OSError as error:
        raise ProgramError(f"{path}: cannot be run: {error.strerror}") from error
    if done.returncode != 0 or done.stdout.strip() != f"pate {__version__}":
        raise ProgramError(f"{path}: expected the program of this package, 'pate {__version__}', found '{done.stdout.strip()[:80]}'; "
                           "install both in one version, or name the program in PATE_PROGRAM")
    return path


def program() -> str:
    """The path of the program that is run: that of the environment variable PATE_PROGRAM, else that of the wheel, else that of PATH.

    Raises ProgramError where there is none, and where it is of another version.
    """
    for place in _places():
        if os.environ.get("PATE_PROGRAM") or os.access(place, os.X_OK):
            return _checked(os.fspath(place))
    raise ProgramError("there is no program pate: neither beside this package nor in PATH; install the wheel, or name it in PATE_PROGRAM")


# Outlives this process, whatever ends it: then the pipe that it reads has no writer. It knows the
# private directories (+ a new one, - one that is gone), ends the programs in them and removes them.
_CLEANER = r"""
trap "" HUP INT QUIT TERM
while IFS= read -r line; do
  case $line in
    +*) set -- "$@" "${line#+}" ;;
    -*) for known; do shift; [ "$known" = "${line#-}" ] || set -- "$@" "$known"; done ;;
  esac
done
for directory; do
  if read -r program <"$directory/pid"; then
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do kill "$program" || break; sleep .1; done
  fi
  rm -rf -- "$directory"
done
"""


class _Cleaner:
    """Removes private directories when this process is killed."""

    def __init__(self):
        self.lock = threading.Lock()
        self.process = None

    def tell(self, line):
        with self.lock:
            if self.process is None:
                self.process = subprocess.Popen(["/bin/sh", "-c", _CLEANER], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                                stderr=subprocess.DEVNULL, start_new_session=True)
            os.write(self.process.stdin.fileno(), os.fsencode(line + "\n"))

    def end(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()

    def forget(self):
        """In a child of this process: its end is not that of its parent."""
        process, self.lock, self.process = self.process, threading.Lock(), None
        if process is not None:
            process.stdin.close()
            process.returncode = 0  # the parent waits for it


_cleaner = _Cleaner()
atexit.register(_cleaner.end)
os.register_at_fork(after_in_child=_cleaner.forget)


@contextlib.contextmanager
def private_directory():
    """A directory that none but the owner enters, and that is removed even if this process is killed."""
    directory = ""
    try:
        _cleaner.tell("")  # it is there before the directory
        with tempfile.TemporaryDirectory(prefix="pate-") as directory:
            _cleaner.tell("+" + directory)
            yield directory
    finally:
        _cleaner.tell("-" + directory)


def _feed(pipe, chunks):
    try:
        for chunk in chunks:
            pipe.write(chunk)
        pipe.close()
    except BrokenPipeError:
        pass  # the program tells why it read no further


def run(words, chunks=None):
    """Runs the program; returns its exit status and what it wrote to standard output and standard error.

    chunks: the bytes of its standard input, one after the other. An interruption (Ctrl-C, or that of a notebook)
    ends the program, which then leaves no files that are half written; so does the end of this process.
    """
    # The shell becomes the program, whose number is known before it begins.
    shell = ["/bin/sh", "-c", 'echo $$ >"$0/pid" && exec "$@"']
    pipes = {"stdin": subprocess.DEVNULL if chunks is None else subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with private_directory() as directory, subprocess.Popen([*shell, directory, program(), *words], **pipes) as process:
        feeder, process.stdin = process.stdin, None
        if feeder is not None:
            threading.Thread(target=_feed, args=(feeder, chunks), daemon=True).start()
        try:
            out, said = process.communicate()
        except BaseException:
            process.terminate()
            process.wait()
            raise
    return process.returncode, out, said.decode("utf-8", "replace")


def run_well(words, chunks=None):
    """The same; returns what it wrote to standard output, and raises the error of its exit status otherwise."""
    status, out, said = run(words, chunks)
    if status != 0:
        raise error_of(status, said)
    return out
