"""The commands of the program that make results."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from narrows import _narrows
from narrows._controllers import Chosen, Controller, chosen
from narrows._progress import bar
from narrows._results import Result

_narrows.is_in(_narrows.__file__)

Path = str | os.PathLike[str]
# A quantity with its unit, as on the command line: "50 Mbit/s", "30 ms", "1.5 bdp", "1 %".
Quantity = str
Many = str | Sequence[str]


def _text(value: object) -> str:
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _words(command: str, named: Iterable[object], options: Mapping[str, object]) -> list[str]:
    words = ["narrows", command, "--quiet"]
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(flag)
        elif isinstance(value, Sequence) and not isinstance(value, str):
            words.extend(f"{flag}={_text(one)}" for one in value)
        else:
            words.append(f"{flag}={_text(value)}")
    words.append("--")
    words.extend(map(_text, named))
    return words


def _carry_out(verb: str, command: str, given: Mapping[str, Any], named: str = "", classes: str = "") -> Result:
    """Carry out a command of the program for a function whose arguments are its options, by the same names.

    Parameters
    ----------
    verb : str
        The word beside the bar.
    command : str
        The command's name.
    given : mapping
        The function's arguments: its ``locals()``, before anything else is in them.
    named : str
        The argument of what has no flag, one or several. None by default.
    classes : str
        The argument that has classes of controllers among it, or only such. None by default.
    """
    names, own = chosen(given[classes] if classes else ())
    listed = names if named == classes else given[named]
    if isinstance(listed, (str, os.PathLike)):
        listed = [listed]
    options = {name: value for name, value in given.items() if name not in (named, classes, "progress")}
    shown = bar(verb, given["progress"])
    try:
        status, text, directory = _narrows.carry_out(_words(command, listed, options), own, shown)
    finally:
        if shown is not None:
            shown.end()
    assert directory is not None, "a command that makes a result tells where"
    return Result(directory, status, text)


def compare(
    *controllers: Chosen,
    file: Path | None = None,
    path: Many | None = None,
    trace: Path | None = None,
    trace_back: Path | None = None,
    rate: Quantity | None = None,
    rtt: Quantity | None = None,
    buffer: Quantity | None = None,
    flows: int | None = None,
    stagger: Quantity | None = None,
    loss: Quantity | float | None = None,
    queue: str | None = None,
    workload: str | None = None,
    traffic: Many | None = None,
    beside: Many | None = None,
    icn: bool = False,
    duration: Quantity | None = None,
    warmup: Quantity | None = None,
    seeds: int | None = None,
    seed: int | None = None,
    out: Path | None = None,
    jobs: int | None = None,
    progress: bool | None = None,
) -> Result:
    """Compare controllers on one network.

    Parameters
    ----------
    *controllers : str or type
        Controllers with their parameters, BPF files, or classes derived from `Controller`: ``"cubic"``, ``"cubic?profile=rfc9438"``,
        ``"./mine.bpf.c"``, ``Mine``. NewReno, CUBIC and BBR if there are none.
    file : path
        Scenario file whose network is used.
    path : str or list of str
        Named path: ``"lte"``. Several make a scorecard.
    trace, trace_back : path
        Capacity trace of the bottleneck towards the receiver, and back.
    rate : str
        Rate of the bottleneck. 100 Mbit/s by default.
    rtt : str
        Base round trip. 30 ms by default.
    buffer : str
        Buffer of the bottleneck: ``"750 kB"``, ``"100 packets"``, ``"60 ms"``, ``"1.5 bdp"``. 2 bdp by default.
    flows : int
        Number of flows. 2 by default.
    stagger : str
        Time between the starts of flows. A twelfth of the duration by default.
    loss : str or float
        Random loss of data packets: ``"1 %"``, or a probability below 1.
    queue, workload : str
        Queue discipline of the bottleneck, and the workload of every flow.
    traffic, beside : str or list of str
        Make a scorecard of this traffic, and beside downloads by these controllers.
    icn : bool
        Compare rate laws and consumers of information-centric networks.
    duration, warmup : str
        Duration of each run, and the part of it that statistics leave out. 60 s and a sixth by default.
    seeds : int
        Number of seeds for each controller. 3 by default.
    seed : int
        First seed. 1 by default.
    out : path
        Result directory, which must not exist. The next free ``narrows-results/compare-N`` by default.
    jobs : int
        Number of parallel runs, on which results do not depend. The number of cores by default.
    progress : bool
        Whether a bar shows how far it is. By default in a terminal and in a notebook.

    Returns
    -------
    Result
        Its tables, figures and report.

    Raises
    ------
    Error
        An option or a file is not as it must be: place, value and remedy.
    KeyboardInterrupt
        Ctrl-C stopped it. Nothing was written.
    """
    return _carry_out("simulating", "compare", locals(), "controllers", "controllers")


def run(
    scenario: Path,
    *,
    seeds: int | None = None,
    seed: int | None = None,
    path: str | None = None,
    trace: Path | None = None,
    queue: str | None = None,
    workload: str | None = None,
    overlay: Sequence[Path] = (),
    pcap: Many | None = None,
    qlog: Many | None = None,
    acks: Many | None = None,
    controllers: Sequence[type[Controller]] = (),
    out: Path | None = None,
    jobs: int | None = None,
    progress: bool | None = None,
) -> Result:
    """Run a scenario file in the simulator.

    Parameters
    ----------
    scenario : path
        Scenario file in TOML.
    seeds, seed : int
        Number of seeds, and the first. One by default, the scenario's.
    path, trace, queue, workload : str
        Another network or workload in the place of the scenario's.
    overlay : list of path
        Measurements to draw over the results: output of ``iperf3 --json``, logs of mahimahi.
    pcap, qlog, acks : str or list of str
        Flows (or ``"all"``) whose packets, sender's events or acknowledgements are written down.
    controllers : list of type
        Classes derived from `Controller` that the scenario names.
    out, jobs, progress
        As those of `compare`.

    Returns
    -------
    Result
        Its tables, figures and report. ``met`` is false if an expectation of the scenario was missed.

    Raises
    ------
    Error
        An option or the file is not as it must be: place, value and remedy.
    KeyboardInterrupt
        Ctrl-C stopped it. Nothing was written.
    """
    return _carry_out("simulating", "run", locals(), "scenario", "controllers")


def live(
    scenario: Path,
    *,
    beside_sim: bool = False,
    replay: bool = False,
    acks: Many | None = None,
    seed: int | None = None,
    maximum: Quantity | None = None,
    out: Path | None = None,
    progress: bool | None = None,
) -> Result:
    """Run a scenario file on this host's kernel, over emulated links. Needs root, and what ``python -m narrows doctor`` names.

    Parameters
    ----------
    scenario : path
        Scenario file in TOML.
    beside_sim : bool
        Also simulate it, and tell the distance.
    replay : bool
        Record each call of loaded controllers, and decide again in native code, which must agree bit for bit.
    acks : str or list of str
        Flows (or ``"all"``) whose acknowledgements are written down.
    seed : int
        Seed of the links' draws. The scenario's by default.
    maximum : str
        Capacity of this host's emulator.
    out, progress
        As those of `compare`.

    Returns
    -------
    Result
        Its tables, figures and report. ``valid`` is false if the host distorted it.

    Raises
    ------
    Error
        The file is not as it must be, or this host cannot run it: the reason and a remedy.
    KeyboardInterrupt
        Ctrl-C stopped it. Nothing was written.
    """
    return _carry_out("running live", "live", locals(), "scenario")


def sweep(
    scenario: Path,
    *,
    over: Mapping[str, Sequence[str | int | float]] | None = None,
    seeds: int | None = None,
    path: Many | None = None,
    trace: Sequence[Path] = (),
    queue: Many | None = None,
    workload: Many | None = None,
    metric: Many | None = None,
    controllers: Sequence[type[Controller]] = (),
    shard: str | None = None,
    engine: str | None = None,
    parts: str | os.PathLike[str] | None = None,
    storage_options: Mapping[str, Any] | None = None,
    out: Path | None = None,
    jobs: int | None = None,
    progress: bool | None = None,
) -> Result:
    """Run all combinations of values of a scenario.

    Parameters
    ----------
    scenario : path
        Scenario file, with a sweep table or without.
    over : mapping
        More axes: a place in the scenario, and its values: ``{"link.bottleneck.buffer": ["0.5 bdp", "2 bdp"]}``.
    seeds : int
        Number of seeds for each cell. One by default, or the file's.
    path, trace, queue, workload : list
        Networks and workloads, as axes.
    metric : str or list of str
        Metrics that `Result.text` shows. The tables have all.
    controllers : list of type
        Classes derived from `Controller` that the scenario or its axes name.
    shard : str
        Make only this part of the runs, such as ``"2/3"``, the second of three, for `merge`.
    engine : str
        ``"ray"``: on the workers of a Ray cluster, the one to which this process is connected, or else that of ``ray.init()``. The result is the
        same. By default on the cores of this machine.
    parts : path or str
        Where the engine's workers leave finished parts, and look for them: a directory that all machines share, or any place that fsspec knows, such
        as ``"s3://bucket/parts"``. What is there is not run again, and stays. By default a directory ``parts`` beside the result, which is removed.
    storage_options : mapping
        What fsspec needs for `parts`, such as credentials.
    out, jobs, progress
        As those of `compare`.

    Returns
    -------
    Result
        Its tables, figures and report. Of a shard the table ``runs``.

    Raises
    ------
    Error
        An option or the file is not as it must be: place, value and remedy. Or a worker has another build of Narrows than this process.
    ValueError
        The options are not for this engine.
    KeyboardInterrupt
        Ctrl-C stopped it. The text says how to resume it.
    """
    given = {name: value for name, value in locals().items() if name not in ("over", "engine", "parts", "storage_options")}
    given["set"] = [f"{place}=[{', '.join(_toml(value) for value in values)}]" for place, values in (over or {}).items()]
    if engine is None:
        if parts is not None or storage_options is not None:
            raise ValueError('parts and storage_options are for workers; give engine="ray" as well')
        return _carry_out("simulating", "sweep", given, "scenario", "controllers")
    if engine != "ray":
        raise ValueError(f'there is no engine "{engine}"; give "ray", or none for the cores of this machine')
    if controllers or shard is not None or jobs is not None:
        raise ValueError("controllers, shard and jobs are not for Ray: its workers make all runs, one on each core, without classes of this process")
    from narrows import _ray

    options = {name: value for name, value in given.items() if name not in ("scenario", "controllers", "progress")}
    metrics = [metric] if isinstance(metric, str) else list(metric or ())
    return _ray.sweep(_words("sweep", [scenario], options), metrics, out, parts, dict(storage_options or {}), bar("simulating", progress))


def merge(
    *shards: Path,
    metric: Many | None = None,
    controllers: Sequence[type[Controller]] = (),
    out: Path | None = None,
    progress: bool | None = None,
) -> Result:
    """Join the shards of a sweep that several machines have made.

    Parameters
    ----------
    *shards : path
        Results of `sweep` with a `shard`: their directories, or the tables ``runs.parquet`` in them.
    controllers : list of type
        The classes with which they were made.
    metric, out, progress
        As those of `sweep`.

    Returns
    -------
    Result
        The one that `sweep` would have made on one machine.

    Raises
    ------
    Error
        A shard is missing, is of another sweep or program, or differs from another: the text names it.
    """
    return _carry_out("merging", "merge", locals(), "shards", "controllers")


def _toml(value: str | int | float) -> str:
    import json

    return json.dumps(value)


def matrix(
    *controllers: Chosen,
    path: Many | None = None,
    trace: Sequence[Path] = (),
    rate: Many | None = None,
    rtt: Many | None = None,
    buffer: Many | None = None,
    queue: Many | None = None,
    workload: Many | None = None,
    duration: Quantity | None = None,
    warmup: Quantity | None = None,
    seeds: int | None = None,
    seed: int | None = None,
    out: Path | None = None,
    jobs: int | None = None,
    progress: bool | None = None,
) -> Result:
    """Run every pair of controllers, and each alone: shares, harm and starvation.

    Parameters
    ----------
    *controllers : str or type
        Controllers, as those of `compare`. NewReno, CUBIC and BBR if there are none.
    path, trace, rate, rtt, buffer, queue, workload : str or list of str
        Networks, each an axis. 50 Mbit/s, 30 ms and buffers of 0.5, 1 and 4 bdp by default.
    duration, warmup, seeds, seed, out, jobs, progress
        As those of `compare`.

    Returns
    -------
    Result
        Its tables, figures and report.

    Raises
    ------
    Error
        An option is not as it must be: place, value and remedy.
    KeyboardInterrupt
        Ctrl-C stopped it. The text names the command that resumes it.
    """
    return _carry_out("simulating", "matrix", locals(), "controllers", "controllers")


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
        Papers (``python -m narrows list papers``), or folders with a ``paper.toml``. All if there are none.
    quick : bool
        Run scaled-down versions; each figure explains its scaling.
    live : bool
        Run the figures that can be on this host's kernel, beside the simulator.
    why : bool
        Run the experiments that decide why statements do not hold.
    figure : str or list of str
        Run only these figures.
    out, jobs, progress
        As those of `compare`.

    Returns
    -------
    Result
        Its figures and report. ``met`` is false if a claim turned out otherwise than its file says.

    Raises
    ------
    Error
        An option is not as it must be: place, value and remedy.
    KeyboardInterrupt
        Ctrl-C stopped it.
    """
    return _carry_out("simulating", "reproduce", locals(), "papers")


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
        ``"rfc9743"``, the default, or ``"bbr-draft"``.
    quick : bool
        Few cells and five seeds.
    only : str or list of str
        Only these criteria or cases: ``["loss", "coexist"]``.
    scope : str
        Where the controller is meant to be used: ``"internet"``, the default, ``"datacenter"``, ``"controlled"``.
    baselines : str or list of str
        Judge against these controllers. NewReno and CUBIC by default.
    against : str or path
        Show what changed since another version: a controller, or the result of an earlier check.
    about : path
        TOML file with statements of the authors.
    live : bool
        Run the worst cells on this host's kernel, too.
    strict : bool
        Concerns and criteria that were not run count as missed, too.
    seeds, seed : int
        Number of seeds of each cell at first, 10, or 5 if quick; the first of them, 1.
    out, jobs, progress
        As those of `compare`.

    Returns
    -------
    Result
        Its report and its table ``runs``; ``summary`` is what ``check.json`` says. ``met`` is false if a criterion failed, with `against` if a verdict got worse.

    Raises
    ------
    Error
        An option is not as it must be: place, value and remedy.
    KeyboardInterrupt
        Ctrl-C stopped it; the same call goes on.
    """
    return _carry_out("simulating", "check", locals(), "controller")


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
    """Search for networks on which a controller does badly where standard ones do well, and shrink them.

    Parameters
    ----------
    controller : str
        The controller with its parameters, or a file.
    goal : str
        ``"idle"``, the default, ``"stall"``, ``"delay"``, ``"harm"``, ``"starve"``, ``"stuck"`` or ``"waste"``.
    genome : str or list of str
        Kinds of networks: ``"steps"``, ``"trace"``, ``"cross"``, ``"pair"``, ``"acks"``, ``"drops"``. The goal's by default.
    quick : bool
        Evaluate 3000 networks instead of 20,000.
    budget : int
        Evaluate this many networks.
    search : str
        ``"evolve"``, the default, or ``"random"``.
    seed : int
        Seed of the search's draws. 1 by default.
    findings : int
        Examine so many of the best networks. 3 by default.
    reference : str or list of str
        Compare with these controllers. NewReno and CUBIC by default, but the controller itself.
    transport : str or list of str
        Keys of the transport of all flows: ``"min_rto=1 s"``.
    keep : path
        Replay the findings kept in this directory first, and keep new ones there.
    live : bool
        Run confirmed findings on this host's kernel, too.
    out, jobs, progress
        As those of `compare`.

    Returns
    -------
    Result
        The findings with the controller and its references over time. ``met`` is false if a finding was confirmed.

    Raises
    ------
    Error
        An option is not as it must be: place, value and remedy.
    KeyboardInterrupt
        Ctrl-C stopped it; the same call goes on.
    """
    return _carry_out("evaluating", "attack", locals(), "controller")


def fidelity(
    *,
    quick: bool = False,
    cells: Sequence[int] = (),
    controllers: Many | None = None,
    out: Path | None = None,
    jobs: int | None = None,
    progress: bool | None = None,
) -> Result:
    """Measure the distance between simulator and kernel over a set of generated networks. Needs what `live` needs.

    Parameters
    ----------
    quick : bool
        Run 12 cells once for 15 s instead of 48 cells three times for 30 s.
    cells : list of int
        Run only these cells.
    controllers : str or list of str
        Controllers; those that the kernel lacks are loaded.
    out, jobs, progress
        As those of `compare`.

    Returns
    -------
    Result
        Its figures and report.

    Raises
    ------
    Error
        This host cannot run it: the reason and a remedy.
    KeyboardInterrupt
        Ctrl-C stopped it. Nothing was written.
    """
    return _carry_out("running live", "fidelity", locals())
