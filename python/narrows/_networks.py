"""Networks for training."""

from __future__ import annotations

import operator
import os
from collections.abc import Sequence

from narrows import _narrows

Range = float | tuple[float, float]
Path = str | os.PathLike[str]


def _pair(name: str, value: Range) -> tuple[float, float]:
    """Return the two ends of a range; a single number is both ends."""
    if isinstance(value, (int, float)):
        return float(value), float(value)
    try:
        low, high = value
        return float(low), float(high)
    except (TypeError, ValueError):
        raise ValueError(f"{name} is {value!r}; give a number, or two as a range: (5, 50)") from None


class _Drawn:
    """A distribution of networks."""

    @property
    def parts(self) -> Sequence[tuple[float, Networks]]:
        """Kinds of networks, each with its weight."""
        raise NotImplementedError

    def scenario(self, seed: int, controller: str = "cubic", duration_s: float = 60.0) -> str:
        """Write the network of an environment's first episode as the text of a scenario.

        Parameters
        ----------
        seed : int
            Seed of the environment.
        controller : str
            Controller, as in scenarios, of the flow that an agent would steer.
        duration_s : float
            Duration of this flow, in s. Samples are a base round trip apart.

        Raises
        ------
        ValueError
            A range or a trace is invalid: the name, the value and a remedy.
        """
        return _narrows.network(self, seed, controller, duration_s)


class Networks(_Drawn):
    """A distribution of networks: each value is uniform in its range, and the logarithm of a buffer is.

    A single number instead of a range is a constant. The defaults are the networks on which
    Aurora's code trains: 1.2 to 6 Mbit/s, 50 to 500 ms one way, 2 to 2981 packets, loss up to 5 %.

    Parameters
    ----------
    rate_mbps : float or (float, float)
        Rate of the bottleneck, in Mbit/s.
    rtt_ms : float or (float, float)
        Base round trip, in ms.
    buffer_packets : float or (float, float)
        Buffer of the bottleneck, in packets.
    loss : float or (float, float)
        Random loss of data packets, 0 to 0.9.
    trace : path or list of path
        Recorded capacities that replace the rate of the bottleneck: one is drawn, and the episode
        begins at a random time in it. The format is that of ``trace`` in scenarios.
    beside : str or list of str
        Controllers of flows that share the bottleneck from the beginning: ``"cubic"``, one flow for each.
    """

    def __init__(
        self,
        rate_mbps: Range = (1.2, 6.0),
        rtt_ms: Range = (100.0, 1000.0),
        buffer_packets: Range = (2.0, 2981.0),
        loss: Range = (0.0, 0.05),
        trace: Path | Sequence[Path] = (),
        beside: str | Sequence[str] = (),
    ) -> None:
        self.rate_mbps = _pair("rate_mbps", rate_mbps)
        self.rtt_ms = _pair("rtt_ms", rtt_ms)
        self.buffer_packets = _pair("buffer_packets", buffer_packets)
        self.loss = _pair("loss", loss)
        self.traces = [os.fspath(one) for one in ([trace] if isinstance(trace, (str, os.PathLike)) else trace)]
        self.beside = [beside] if isinstance(beside, str) else list(beside)

    @property
    def parts(self) -> Sequence[tuple[float, Networks]]:
        """This kind of networks, with the weight 1."""
        return [(1.0, self)]


class Mix(_Drawn):
    """Several kinds of networks; each episode draws one of them.

    Parameters
    ----------
    *parts : (float, Networks)
        Kinds with positive weights. The probability of a kind is its weight divided by the sum.

    Examples
    --------
    >>> Mix((3, Networks()), (1, Networks(beside="cubic")), (1, Networks(trace=["lte.trace", "wifi.trace"])))
    """

    def __init__(self, *parts: tuple[float, Networks | Mix]) -> None:
        self._parts: list[tuple[float, Networks]] = []
        for weight, part in parts:
            checked("a part of a mix", part)
            total = sum(own for own, _ in part.parts)
            self._parts.extend((weight * own / total, kind) for own, kind in part.parts)

    @property
    def parts(self) -> Sequence[tuple[float, Networks]]:
        """All kinds, each with its weight."""
        return self._parts


def checked(name: str, networks: object) -> Networks | Mix:
    """Return networks or a mix; an error names other values."""
    if not isinstance(networks, (Networks, Mix)):
        raise TypeError(f"{name} is {networks!r}; give narrows.gym.Networks(...) or narrows.gym.Mix(...)")
    return networks


def whole(name: str, value: object, least: int, most: int) -> int:
    """Return a whole number within these bounds; an error names other values."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = least - 1
    if not least <= number <= most:
        raise ValueError(f"{name} is {value!r}; give a whole number from {least} to {most}")
    return number


def _calibrated(rate_mbps: float, one_way_ms: float, packets: float, loss: float = 0.0) -> tuple[float, Networks]:
    return 1.0, Networks(rate_mbps, 2 * one_way_ms, packets, loss)


# The first six networks on which MVFST-RL trains (train/experiments.yml of its code, after
# Pantheon's emulators of real paths). There, the first three deliver at random times, with the
# mean rates used here.
PANTHEON = Mix(
    _calibrated(0.57, 28, 14, 0.0477),
    _calibrated(2.64, 88, 130),
    _calibrated(3.04, 130, 426),
    _calibrated(100.42, 27, 173),
    _calibrated(77.72, 51, 94, 0.0006),
    _calibrated(114.68, 45, 450),
)

# Our choice, not checked against the ranges of the paper. The default network of Orca's code
# (orca.sh: 48 Mbit/s, 20 ms, a buffer of 160 packets) is within these ranges.
ORCA = Networks(rate_mbps=(6.0, 192.0), rtt_ms=(4.0, 400.0), buffer_packets=(2.0, 2000.0), loss=0.0)
