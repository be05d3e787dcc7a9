"""The privacy accountant for teacher ensembles (PATE), in Python.

    import pate
    report = pate.analyze(votes, sigma2=40, delta=1e-5)
    print(report.epsilon)

There is a function for every command of the program, whose keywords are the options; votes are arrays, frames, lists
or paths. Every call runs the program once: numbers are those of the command line, to the last bit.
"""
from pate.commands import *  # noqa: F401,F403
from pate.commands import __all__ as _commands
from pate.errors import (BugError, Error, InputError, LedgerError, LimitError, NotValidError, OutputError, ProgramError,
                         UsageError)
from pate.calls import Simulated
from pate.running import __version__, program
from pate.reports import Page, Picture, Report, load

__all__ = [*_commands, "BugError", "Error", "InputError", "LedgerError", "LimitError", "NotValidError", "OutputError", "Page", "Picture",
           "ProgramError", "Report", "Simulated", "UsageError", "load"]
