"""Congestion control, simulated and run on the Linux kernel over emulated links.

    import narrows as nw
    result = nw.compare("cubic", "bbr", path="lte", seeds=10)
    result                          # its table and, in a notebook, its figures
    result.flows.to_polars()        # one row for each flow of each run

Each command of the program ``narrows`` that writes a result is a function here, with equal options,
files and error messages. ``python -m narrows`` is the program itself.
"""

from narrows import units
from narrows._commands import attack, check, compare, deploy_plan, fidelity, fit, live, matrix, merge, reproduce, run, sweep
from narrows._controllers import Controller
from narrows._narrows import Ack, Error, Rate, Stats, Timeout, Window, version
from narrows._results import Figure, Result, Table, open
from narrows._scenario import Scenario

__version__ = version()
del version

__all__ = [
    "Ack",
    "Controller",
    "Error",
    "Figure",
    "Rate",
    "Result",
    "Scenario",
    "Stats",
    "Table",
    "Timeout",
    "Window",
    "attack",
    "check",
    "compare",
    "deploy_plan",
    "fidelity",
    "fit",
    "live",
    "matrix",
    "merge",
    "open",
    "reproduce",
    "run",
    "sweep",
    "units",
]
