"""How far a command is, for people who wait."""

from __future__ import annotations

import sys
from collections.abc import Callable

WIDTH = 40


class Bar:
    """A line on standard error that is written anew, ten times per second at most.

    Parameters
    ----------
    verb : str
        The first word of the line, such as ``simulating``.
    """

    def __init__(self, verb: str) -> None:
        self._verb = verb
        self._shown = False

    def __call__(self, done: int, of: int) -> None:
        """Show that so much is done of so much in all."""
        share = done / of if of else 0.0
        full = round(WIDTH * share)
        print(f"\r{self._verb} {'█' * full}{'░' * (WIDTH - full)} {100 * share:3.0f} %", end="", file=sys.stderr, flush=True)
        self._shown = True

    def end(self) -> None:
        """Take the line away."""
        if self._shown:
            print("\r" + " " * (len(self._verb) + WIDTH + 8) + "\r", end="", file=sys.stderr, flush=True)


def bar(verb: str, wanted: bool | None) -> Bar | None:
    """A bar, if it is wanted, or if nobody has said and somebody looks: at a terminal or a notebook."""
    notebook = type(sys.stderr).__module__.startswith("ipykernel")
    looks = sys.stderr.isatty() or notebook if wanted is None else wanted
    return Bar(verb) if looks else None


Progress = Callable[[int, int], object]
