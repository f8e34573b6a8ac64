"""Controllers that are written in Python."""

from __future__ import annotations

import inspect
import os
import re
import traceback
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, NamedTuple

from narrows._identity import identity
from narrows._narrows import Ack, Rate, Stats, Timeout, Window

Number = bool | int | float
# Larger numbers are no parameters.
LARGEST = 10**15

Course = Rate | Window | tuple[Rate, Window] | None


class Controller:
    """A congestion controller that is asked once per interval, or at each acknowledgement.

    Derive a class and define `on_interval`, or `on_ack`, which is far slower: each call of Python takes longer than the simulation of a
    packet. A class that defines both is asked by both. Each connection has an object of its own, which sees only its connection.
    Attributes of the class with an annotation and a number, or True or False, are parameters: with ``gain: float = 1.05`` and
    ``careful: bool = True`` scenarios and commands can choose ``"mine?gain=1.1"`` and ``"mine?careful=false"``, and sweeps take them.

    Each method answers a `Rate`, a pacing rate, with a window of twice what it carries in a round trip; a `Window`, without pacing; a
    tuple of both; or None, which leaves all as it was.

    Runs go on in several threads, which take turns in Python. What objects share, such as an attribute of the class that they change,
    makes results depend on the order of these turns: share nothing.

    Attributes
    ----------
    name : str
        The name in scenarios and results. That of the class in lower case, if it is not given.
    interval_ms : float or None
        How long intervals are, in ms, 0.1 at least. None, the default: as long as the smoothed round trip.
    spreads_reductions : bool
        Whether the transport spreads a lowered window over the acknowledgements of a recovery, as Linux does (RFC 6937). By default the
        window holds at once.
    seed : int
        For draws of its own: different for each connection, the same in each repetition.

    Examples
    --------
    >>> class Mine(nw.Controller):
    ...     gain: float = 1.05
    ...
    ...     def on_interval(self, stats):
    ...         return nw.Rate.mbps(max(stats.delivery_rate_mbps * self.gain, 0.1))
    >>> nw.compare(Mine, "mine?gain=1.2", "cubic")
    >>> class Halves(nw.Controller):
    ...     def on_ack(self, ack):
    ...         if ack.congestion:
    ...             return nw.Window(max(ack.window / 2, 2))
    ...         return nw.Window(ack.window + ack.acked_limited / ack.window)
    ...
    ...     def on_timeout(self, timeout):
    ...         return nw.Window(1)
    """

    name = ""
    interval_ms: float | None = None
    spreads_reductions: bool = False
    seed: int = 0

    def on_interval(self, stats: Stats) -> Course:
        """Decide at the end of an interval, the first of which begins with the first round trip.

        Parameters
        ----------
        stats : Stats
            What the connection has seen in it.

        Returns
        -------
        Rate, Window, tuple of both, or None
            A pacing rate, with a window of twice what it carries in a round trip; a window without pacing; both; or what held before.
        """
        raise NotImplementedError

    def on_ack(self, ack: Ack) -> Course:
        """Decide at an acknowledgement.

        Parameters
        ----------
        ack : Ack
            What it tells.

        Returns
        -------
        Rate, Window, tuple of both, or None
            As `on_interval` has it.
        """
        raise NotImplementedError

    def on_timeout(self, timeout: Timeout) -> Course:
        """Decide when the retransmission timer has expired. By default all holds that held before.

        Parameters
        ----------
        timeout : Timeout
            When, and what is presumed lost.

        Returns
        -------
        Rate, Window, tuple of both, or None
            As `on_interval` has it.
        """
        raise NotImplementedError

    def on_undo(self, now_s: float) -> Course:
        """Decide when the latest reduction proves to have been for nothing lost. By default all holds that held before.

        Parameters
        ----------
        now_s : float
            When, in seconds since the run began.

        Returns
        -------
        Rate, Window, tuple of both, or None
            As `on_interval` has it.
        """
        raise NotImplementedError


OURS = frozenset(inspect.get_annotations(Controller))


class Made(NamedTuple):
    """The methods of an object that its class defines, and how they are to be asked."""

    on_interval: Callable[[Stats], Course] | None
    on_ack: Callable[[Ack], Course] | None
    on_timeout: Callable[[Timeout], Course] | None
    on_undo: Callable[[float], Course] | None
    interval_ms: float | None
    spreads: bool


def made(of: Controller) -> Made:
    """Tell of an object which methods its class defines."""

    def defined(name: str) -> Any:
        return getattr(of, name) if getattr(type(of), name) is not getattr(Controller, name) else None

    methods = Made(
        defined("on_interval"), defined("on_ack"), defined("on_timeout"), defined("on_undo"), of.interval_ms, bool(of.spreads_reductions)
    )
    if methods.on_interval is None and methods.on_ack is None:
        raise NotImplementedError(f"{type(of).__name__} has no on_interval(self, stats), and no on_ack(self, ack) either")
    return methods


class Class:
    """What the registry must know of a class."""

    def __init__(self, of: type[Controller]) -> None:
        self.name = of.name or of.__name__.lower()
        self.summary = (inspect.getdoc(of) if of.__doc__ else None) or f"the Python class {of.__qualname__}"
        self.summary = self.summary.splitlines()[0]
        self.source = f"the Python class {of.__module__}.{of.__qualname__}"
        self.params = list(parameters(of))
        self.identity = identity(of, Controller)
        self.hears = of.on_ack is not Controller.on_ack
        self._of = of

    def factory(self, values: dict[str, Number], seed: int) -> Made:
        """Make the object of a connection."""
        own = self._of.__new__(self._of)
        own.seed = seed
        for name, value in values.items():
            setattr(own, name, value)
        own.__init__()  # type: ignore[misc]
        return made(own)


def parameters(of: type[Controller]) -> Iterable[tuple[str, Number]]:
    """The annotated numbers and truth values of a class and of those that it is derived from."""
    names = {name: None for one in reversed(of.__mro__) if issubclass(one, Controller) for name in inspect.get_annotations(one)}
    for name in names:
        value: object = getattr(of, name, None)
        if name not in OURS and re.fullmatch("[a-z][a-z0-9_]*", name) and isinstance(value, (bool, int, float)):
            if isinstance(value, int) and abs(value) > LARGEST:
                raise ValueError(f"{of.__qualname__}.{name} is {value}; give a parameter a number from -{LARGEST} to {LARGEST}")
            yield name, value


def rate_of_bps(value: int) -> Rate:
    """Make a rate of bit/s: what pickles of rates call."""
    return Rate.bps(value)


Chosen = str | type[Controller]


def chosen(controllers: Iterable[Chosen]) -> tuple[list[str], list[Class]]:
    """The names by which controllers are chosen, and the classes among them, each once."""
    names, classes = [], {}
    for one in controllers:
        if isinstance(one, str):
            names.append(one)
        elif isinstance(one, type) and issubclass(one, Controller):
            own = Class(one)
            names.append(own.name)
            classes[one] = own
        else:
            raise TypeError(f"{one!r} is no controller; give a name, or a class derived from narrows.Controller")
    return names, list(classes.values())


def told(error: BaseException, trace: TracebackType | None) -> str:
    """Tell of an exception in a line: where it was raised, and what it says."""
    said = f"{type(error).__name__}: {error}".strip().replace("\n", " ")
    frames = traceback.extract_tb(trace)
    if not frames:
        return said
    last = frames[-1]
    return f"{os.path.basename(last.filename)}:{last.lineno}, in {last.name}: {said}"
