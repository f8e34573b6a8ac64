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
# Largest absolute value of a parameter.
LARGEST = 10**15

Course = Rate | Window | tuple[Rate, Window] | None


class Controller:
    """A congestion controller that decides once per interval, or at each acknowledgement.

    Derive a class and define `on_interval` or `on_ack`. `on_ack` is far slower, because each call of
    Python takes longer than the simulation of a packet. If a class defines both, both are called.
    Each connection has its own object. Annotated attributes of the class with a number, True or
    False are parameters: with ``gain: float = 1.05`` and ``careful: bool = True`` scenarios and
    commands can choose ``"mine?gain=1.1"`` and ``"mine?careful=false"``, and sweeps can vary them.

    Each method returns a `Rate` (a pacing rate, with a window of twice its data per round trip), a
    `Window` without pacing, a tuple of both, or None for no change.

    Runs go on in several threads, which take turns in Python. If objects share data, for example an
    attribute of the class, results depend on the order of these turns: share nothing.

    Attributes
    ----------
    name : str
        Name in scenarios and results. The name of the class in lower case by default.
    interval_ms : float or None
        Length of intervals in ms, at least 0.1. None, the default, for the smoothed round trip.
    spreads_reductions : bool
        Whether the transport spreads a reduction of the window over the acknowledgements of a
        recovery, as Linux does (RFC 6937). By default the window takes effect at once.
    seed : int
        Seed for random draws of the object: different for each connection, equal in each repetition.

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
        """Decide at the end of an interval. The first interval begins with the first round trip.

        Parameters
        ----------
        stats : Stats
            Measurements of the connection in the interval.

        Returns
        -------
        Rate, Window, tuple of both, or None
            A pacing rate, with a window of twice its data per round trip; a window without pacing;
            both; or None for no change.
        """
        raise NotImplementedError

    def on_ack(self, ack: Ack) -> Course:
        """Decide at an acknowledgement.

        Parameters
        ----------
        ack : Ack
            Contents of the acknowledgement.

        Returns
        -------
        Rate, Window, tuple of both, or None
            See `on_interval`.
        """
        raise NotImplementedError

    def on_timeout(self, timeout: Timeout) -> Course:
        """Decide when the retransmission timer has expired. The default is no change.

        Parameters
        ----------
        timeout : Timeout
            Time of the timeout, and the presumed losses.

        Returns
        -------
        Rate, Window, tuple of both, or None
            See `on_interval`.
        """
        raise NotImplementedError

    def on_undo(self, now_s: float) -> Course:
        """Decide when the latest reduction proves spurious, because nothing was lost. The default is no change.

        Parameters
        ----------
        now_s : float
            Time in seconds since the run began.

        Returns
        -------
        Rate, Window, tuple of both, or None
            See `on_interval`.
        """
        raise NotImplementedError


OURS = frozenset(inspect.get_annotations(Controller))


class Made(NamedTuple):
    """The methods that the class of an object defines, and how the transport calls them."""

    on_interval: Callable[[Stats], Course] | None
    on_ack: Callable[[Ack], Course] | None
    on_timeout: Callable[[Timeout], Course] | None
    on_undo: Callable[[float], Course] | None
    interval_ms: float | None
    spreads: bool


def made(of: Controller) -> Made:
    """Return the methods that the class of an object defines."""

    def defined(name: str) -> Any:
        return getattr(of, name) if getattr(type(of), name) is not getattr(Controller, name) else None

    methods = Made(
        defined("on_interval"), defined("on_ack"), defined("on_timeout"), defined("on_undo"), of.interval_ms, bool(of.spreads_reductions)
    )
    if methods.on_interval is None and methods.on_ack is None:
        raise NotImplementedError(f"{type(of).__name__} has no on_interval(self, stats), and no on_ack(self, ack) either")
    return methods


class Class:
    """The entry of a class in the registry of controllers."""

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
    """Yield the annotated numbers and truth values of a class and its base classes."""
    names = {name: None for one in reversed(of.__mro__) if issubclass(one, Controller) for name in inspect.get_annotations(one)}
    for name in names:
        value: object = getattr(of, name, None)
        if name not in OURS and re.fullmatch("[a-z][a-z0-9_]*", name) and isinstance(value, (bool, int, float)):
            if isinstance(value, int) and abs(value) > LARGEST:
                raise ValueError(f"{of.__qualname__}.{name} is {value}; give a parameter a number from -{LARGEST} to {LARGEST}")
            yield name, value


def rate_of_bps(value: int) -> Rate:
    """Make a rate from bit/s; pickles of rates call this."""
    return Rate.bps(value)


Chosen = str | type[Controller]


def chosen(controllers: Iterable[Chosen]) -> tuple[list[str], list[Class]]:
    """Return the names of controllers, and the classes among them, each once."""
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
    """Describe an exception in one line: the place where it was raised, and its message."""
    said = f"{type(error).__name__}: {error}".strip().replace("\n", " ")
    frames = traceback.extract_tb(trace)
    if not frames:
        return said
    last = frames[-1]
    return f"{os.path.basename(last.filename)}:{last.lineno}, in {last.name}: {said}"
