"""The commands of the program that make results."""

from narrows._commands.evidence import attack, check, fidelity, reproduce
from narrows._commands.runs import compare, live, matrix, run
from narrows._commands.sweeps import merge, sweep

__all__ = ["attack", "check", "compare", "fidelity", "live", "matrix", "merge", "reproduce", "run", "sweep"]
