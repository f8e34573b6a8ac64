"""The commands of the program that make results."""

from narrows._commands.evidence import attack, check, fidelity, reproduce
from narrows._commands.hosts import deploy_plan, fit
from narrows._commands.runs import compare, live, matrix, run
from narrows._commands.sweeps import merge, sweep

__all__ = ["attack", "check", "compare", "deploy_plan", "fidelity", "fit", "live", "matrix", "merge", "reproduce", "run", "sweep"]
