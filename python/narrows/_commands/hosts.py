"""Measurements on real hosts, and experiments that are planned there."""

from __future__ import annotations

from narrows._commands.carry_out import Path, carry_out
from narrows._results import Result


def fit(
    measurement: Path,
    *,
    controller: str | None = None,
    seeds: int | None = None,
    out: Path | None = None,
    jobs: int | None = None,
    progress: bool | None = None,
) -> Result:
    """Estimate the path of a bulk flow that was measured, and simulate the flow on it.

    Parameters
    ----------
    measurement : path
        Measurement of one TCP connection at its sender: output of ``iperf3 --json``, lines of ``ss -tin``, or a capture.
    controller : str
        Controller of the simulation. The measured one by default; CUBIC if that is not known.
    seeds : int
        Number of seeds of the simulation. 3 by default.
    out, jobs, progress
        See `compare`.

    Returns
    -------
    Result
        The simulation on the estimated path, which is ``directory / "scenario.toml"``. ``text`` has the estimate.

    Raises
    ------
    Error
        The file is no measurement: the reason and a remedy.
    KeyboardInterrupt
        Ctrl-C stopped it. Nothing was written.
    """
    return carry_out("simulating", "fit", locals())


def deploy_plan(
    experiment: Path,
    *,
    quick: bool = False,
    seeds: int | None = None,
    full: bool = False,
    observed: Path | None = None,
    out: Path | None = None,
    jobs: int | None = None,
    progress: bool | None = None,
) -> Result:
    """Simulate an experiment on real connections before it is made: how wrong an A/B test would be, how long a switchback takes.

    Parameters
    ----------
    experiment : path
        File of the experiment.
    quick : bool
        Simulate 3 seeds and no ramp-up.
    seeds : int
        Number of seeds. 10 by default, with ``quick`` 3.
    full : bool
        Simulate a plan of any size, however long it takes.
    observed : path
        An experiment's observation on a host, from which the noise of the traffic and the classes of size are taken.
    out, jobs, progress
        See `compare`.

    Returns
    -------
    Result
        The plan with its tables, figures and report.

    Raises
    ------
    Error
        The experiment is invalid: place, value and remedy.
    KeyboardInterrupt
        Ctrl-C stopped it. Nothing was written.
    """
    return carry_out("simulating", "deploy plan", locals())
