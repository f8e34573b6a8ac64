"""Evidence: published figures, verdicts on controllers, searches for their weaknesses, and the distance to the kernel."""

from __future__ import annotations

from collections.abc import Sequence

from narrows._commands.carry_out import Many, Path, carry_out
from narrows._results import Result


def reproduce(
    *papers: str,
    quick: bool = False,
    live: bool = False,
    why: bool = False,
    figure: Many | None = None,
    out: Path | None = None,
    jobs: int | None = None,
    progress: bool | None = None,
) -> Result:
    """Reproduce the figures of papers, and judge their claims.

    Parameters
    ----------
    *papers : str
        Papers (``python -m narrows list papers``), or folders with a ``paper.toml``. All papers by default.
    quick : bool
        Run scaled-down versions; each figure explains its scaling.
    live : bool
        Also run the figures that support it on this host's kernel.
    why : bool
        Run the experiments that decide why statements do not hold.
    figure : str or list of str
        Run only these figures.
    out, jobs, progress
        See `compare`.

    Returns
    -------
    Result
        The result with its figures and report. ``met`` is false if the verdict on a claim differs from its file.

    Raises
    ------
    Error
        An option is invalid: place, value and remedy.
    KeyboardInterrupt
        Ctrl-C stopped it.
    """
    return carry_out("simulating", "reproduce", locals(), "papers")


def check(
    controller: str,
    *,
    suite: str | None = None,
    quick: bool = False,
    only: Many | None = None,
    scope: str | None = None,
    baselines: Many | None = None,
    against: str | Path | None = None,
    about: Path | None = None,
    keep: Path | None = None,
    live: bool = False,
    strict: bool = False,
    seeds: int | None = None,
    seed: int | None = None,
    out: Path | None = None,
    jobs: int | None = None,
    progress: bool | None = None,
) -> Result:
    """Gather evidence on a controller, by the criteria of RFC 9743 or the cases of BBR's draft.

    Parameters
    ----------
    controller : str
        The controller with its parameters, or a file.
    suite : str
        ``"rfc9743"`` (the default), ``"bbr-draft"``, or ``"startup"`` for how connections start. ``"tcpeval"`` and ``"media"`` give
        numbers without verdicts.
    quick : bool
        Few cells and five seeds.
    only : str or list of str
        Only these criteria or cases: ``["loss", "coexist"]``.
    scope : str
        Networks in which the controller is meant to be used: ``"internet"`` (the default), ``"datacenter"`` or ``"controlled"``.
    baselines : str or list of str
        Judge against these controllers. NewReno and CUBIC by default.
    against : str or path
        Show changes since another version: a controller, or the result of an earlier check.
    about : path
        TOML file with the authors' statements.
    keep : path
        Folder with findings that `attack` has kept; they are repeated and shown, not judged.
    live : bool
        Also run the worst cells on this host's kernel.
    strict : bool
        Count concerns and criteria that were not run as missed too.
    seeds, seed : int
        Number of seeds of each cell in the first round, 10 or if quick 5, and the first seed, 1.
    out, jobs, progress
        See `compare`.

    Returns
    -------
    Result
        The result with its report and its table ``runs``; ``summary`` is the content of ``check.json``. ``met`` is false if a criterion
        failed, or with `against` if a verdict got worse.

    Raises
    ------
    Error
        An option is invalid: place, value and remedy.
    KeyboardInterrupt
        Ctrl-C stopped it; the same call resumes it.
    """
    return carry_out("simulating", "check", locals(), "controller")


def attack(
    controller: str,
    *,
    goal: str | None = None,
    genome: Many | None = None,
    quick: bool = False,
    budget: int | None = None,
    search: str | None = None,
    seed: int | None = None,
    findings: int | None = None,
    reference: Many | None = None,
    transport: Many | None = None,
    keep: Path | None = None,
    live: bool = False,
    out: Path | None = None,
    jobs: int | None = None,
    progress: bool | None = None,
) -> Result:
    """Search for networks on which a controller does badly and standard ones do well, and simplify these networks.

    Parameters
    ----------
    controller : str
        The controller with its parameters, or a file.
    goal : str
        ``"idle"`` (the default), ``"stall"``, ``"delay"``, ``"harm"``, ``"starve"``, ``"stuck"`` or ``"waste"``.
    genome : str or list of str
        Kinds of networks: ``"steps"``, ``"trace"``, ``"cross"``, ``"pair"``, ``"acks"``, ``"drops"``. The goal's by default.
    quick : bool
        Evaluate 3000 networks instead of 20,000.
    budget : int
        Evaluate this many networks.
    search : str
        ``"evolve"`` (the default) or ``"random"``.
    seed : int
        Seed of the search's draws. 1 by default.
    findings : int
        Examine this many of the best networks. 3 by default.
    reference : str or list of str
        Compare with these controllers. NewReno and CUBIC by default, without the controller itself.
    transport : str or list of str
        Keys of the transport of all flows: ``"min_rto=1 s"``.
    keep : path
        Replay the findings kept in this directory first, and keep new ones there.
    live : bool
        Also run confirmed findings on this host's kernel.
    out, jobs, progress
        See `compare`.

    Returns
    -------
    Result
        The findings with the controller and its references over time. ``met`` is false if a finding was confirmed.

    Raises
    ------
    Error
        An option is invalid: place, value and remedy.
    KeyboardInterrupt
        Ctrl-C stopped it; the same call resumes it.
    """
    return carry_out("evaluating", "attack", locals(), "controller")


def fidelity(
    *,
    quick: bool = False,
    cells: Sequence[int] = (),
    controllers: Many | None = None,
    out: Path | None = None,
    jobs: int | None = None,
    progress: bool | None = None,
) -> Result:
    """Measure the distance between simulator and kernel over a set of generated networks. Has the requirements of `live`.

    Parameters
    ----------
    quick : bool
        Run 20 cells once for 15 s instead of 72 cells three times for 30 s.
    cells : list of int
        Run only these cells.
    controllers : str or list of str
        Controllers; those that the kernel lacks are loaded.
    out, jobs, progress
        See `compare`.

    Returns
    -------
    Result
        The result with its figures and report.

    Raises
    ------
    Error
        This host cannot run it: the reason and a remedy.
    KeyboardInterrupt
        Ctrl-C stopped it. Nothing was written.
    """
    return carry_out("running live", "lab fidelity", locals())
