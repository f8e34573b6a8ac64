"""Congestion control simulated, and run on the Linux kernel over emulated links.

    import narrows as nw
    result = nw.compare("cubic", "bbr", path="lte", seeds=10)
    result                          # its table and, in a notebook, its figures
    result.flows.to_polars()        # one row for each flow of each run

Each command of the program ``narrows`` that makes a result is a function here: the same options, the same files, the same texts in errors.
``python -m narrows`` is the program itself.
"""

from narrows._commands import attack, check, compare, fidelity, live, matrix, merge, reproduce, run, sweep
from narrows._controllers import Controller
from narrows._narrows import Ack, Error, Rate, Stats, Timeout, Window, version
from narrows._results import Figure, Result, Table, open

__version__ = version()
del version

__all__ = [
    "Ack",
    "Controller",
    "Error",
    "Figure",
    "Rate",
    "Result",
    "Stats",
    "Table",
    "Timeout",
    "Window",
    "attack",
    "check",
    "compare",
    "fidelity",
    "live",
    "matrix",
    "merge",
    "open",
    "reproduce",
    "run",
    "sweep",
]
