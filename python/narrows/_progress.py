"""Progress bars of commands."""

from __future__ import annotations

import sys
from collections.abc import Callable

WIDTH = 40


class Bar:
    """A line on standard error that is rewritten at each call, at most ten times per second.

    Parameters
    ----------
    verb : str
        First word of the line, such as ``simulating``.
    """

    def __init__(self, verb: str) -> None:
        self._verb = verb
        self._shown = False

    def __call__(self, done: int, of: int) -> None:
        """Show that `done` of `of` units are finished."""
        share = done / of if of else 0.0
        full = round(WIDTH * share)
        print(f"\r{self._verb} {'█' * full}{'░' * (WIDTH - full)} {100 * share:3.0f} %", end="", file=sys.stderr, flush=True)
        self._shown = True

    def end(self) -> None:
        """Erase the line."""
        if self._shown:
            print("\r" + " " * (len(self._verb) + WIDTH + 8) + "\r", end="", file=sys.stderr, flush=True)


def bar(verb: str, wanted: bool | None) -> Bar | None:
    """Make a bar if it is wanted; by default in a terminal or a notebook."""
    notebook = type(sys.stderr).__module__.startswith("ipykernel")
    looks = sys.stderr.isatty() or notebook if wanted is None else wanted
    return Bar(verb) if looks else None


Progress = Callable[[int, int], object]
