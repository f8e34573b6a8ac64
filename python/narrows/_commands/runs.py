"""Runs of a scenario, and comparisons of controllers."""

from __future__ import annotations

from collections.abc import Sequence

from narrows._commands.carry_out import Many, Network, Path, Quantity, carry_out
from narrows._controllers import Chosen, Controller
from narrows._results import Result


def compare(
    *controllers: Chosen,
    file: Network | None = None,
    path: Many | None = None,
    trace: Path | None = None,
    trace_back: Path | None = None,
    set: Many | None = None,
    rate: Quantity | None = None,
    host_rate: Quantity | None = None,
    rtt: Quantity | None = None,
    buffer: Quantity | None = None,
    flows: int | None = None,
    stagger: Quantity | None = None,
    saved: float | None = None,
    loss: Quantity | float | None = None,
    queue: str | None = None,
    workload: str | None = None,
    traffic: Many | None = None,
    beside: Many | None = None,
    baseline: str | None = None,
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
        ``"./mine.bpf.c"``, ``Mine``. NewReno, CUBIC and BBR by default.
    file : path or Scenario
        Scenario whose network is used.
    path : str or list of str
        Named path: ``"lte"``. Several make a scorecard.
    trace, trace_back : path
        Capacity trace of the bottleneck towards the receiver, and back.
    set : str or list of str
        Keys of the network's scenario to change: ``"transport.min_rto=1 s"``, ``"flow.1.controller?hystart=false"``.
    rate : str
        Rate of the bottleneck. 100 Mbit/s by default.
    host_rate : str
        Rate of the sending host's network card, a link in front of the bottleneck. None by default.
    rtt : str
        Base round trip. 30 ms by default.
    buffer : str
        Buffer of the bottleneck: ``"750 kB"``, ``"100 packets"``, ``"60 ms"``, ``"1.5 bdp"``. 2 bdp by default.
    flows : int
        Number of flows. 2 by default.
    stagger : str
        Time between the starts of flows. A twelfth of the duration by default.
    saved : float
        Saved state of an earlier connection, for controllers that resume: the base round trip, and a window of this many
        bandwidth-delay products.
    loss : str or float
        Random loss of data packets: ``"1 %"``, or a probability below 1.
    queue, workload : str
        Queue discipline of the bottleneck, and the workload of every flow.
    traffic, beside : str or list of str
        Make a scorecard of this traffic, also beside downloads by these controllers.
    baseline : str
        Controller against which the others are judged: better, worse or undecided. CUBIC by default, if it is compared.
    icn : bool
        Compare rate laws and consumers of information-centric networks.
    duration, warmup : str
        Duration of each run, and the part at its start that statistics leave out. 60 s and a sixth by default; no warm-up if each
        flow has one transfer.
    seeds : int
        Number of seeds for each controller. 3 by default.
    seed : int
        First seed. 1 by default.
    out : path
        Result directory, which must not exist. The next free ``narrows-results/compare-N`` by default.
    jobs : int
        Number of parallel runs; results do not depend on it. The number of cores by default.
    progress : bool
        Whether a bar shows the progress. By default in a terminal and in a notebook.

    Returns
    -------
    Result
        The result with its tables, figures and report.

    Raises
    ------
    Error
        An option or a file is invalid: place, value and remedy.
    KeyboardInterrupt
        Ctrl-C stopped it. Nothing was written.
    """
    return carry_out("simulating", "compare", locals(), "controllers", "controllers")


def run(
    scenario: Network,
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
    scenario : path or Scenario
        Scenario file in TOML, or a scenario as data.
    seeds, seed : int
        Number of seeds, and the first seed. By default one seed, the scenario's.
    path, trace, queue, workload : str
        Another network or workload instead of the scenario's.
    overlay : list of path
        Measurements to draw over the results: output of ``iperf3 --json``, logs of mahimahi.
    pcap, qlog, acks : str or list of str
        Flows (or ``"all"``) whose packets, sender's events or acknowledgements are recorded.
    controllers : list of type
        Classes derived from `Controller` that the scenario names.
    out, jobs, progress
        See `compare`.

    Returns
    -------
    Result
        The result with its tables, figures and report. ``met`` is false if an expectation of the scenario was missed.

    Raises
    ------
    Error
        An option or the file is invalid: place, value and remedy.
    KeyboardInterrupt
        Ctrl-C stopped it. Nothing was written.
    """
    return carry_out("simulating", "run", locals(), "scenario", "controllers")


def live(
    scenario: Network,
    *,
    beside_sim: bool = False,
    replay: bool = False,
    acks: Many | None = None,
    seed: int | None = None,
    maximum: Quantity | None = None,
    out: Path | None = None,
    progress: bool | None = None,
) -> Result:
    """Run a scenario file on this host's kernel, over emulated links.

    Needs root, and the features that ``python -m narrows doctor`` lists.

    Parameters
    ----------
    scenario : path or Scenario
        Scenario file in TOML, or a scenario as data.
    beside_sim : bool
        Also simulate the scenario, and report the distance.
    replay : bool
        Record each call of loaded controllers, and replay it in native code, which must agree bit for bit.
    acks : str or list of str
        Flows (or ``"all"``) whose acknowledgements are recorded.
    seed : int
        Seed of the links' random draws. The scenario's by default.
    maximum : str
        Capacity of this host's emulator.
    out, progress
        See `compare`.

    Returns
    -------
    Result
        The result with its tables, figures and report. ``valid`` is false if the host distorted it.

    Raises
    ------
    Error
        The file is invalid, or this host cannot run it: the reason and a remedy.
    KeyboardInterrupt
        Ctrl-C stopped it. Nothing was written.
    """
    return carry_out("running live", "live", locals(), "scenario")


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
    """Run every pair of controllers and each controller alone: shares, harm and starvation.

    Parameters
    ----------
    *controllers : str or type
        Controllers, as for `compare`. NewReno, CUBIC and BBR by default.
    path, trace, rate, rtt, buffer, queue, workload : str or list of str
        Networks, each an axis. 50 Mbit/s, 30 ms and buffers of 0.5, 1 and 4 bdp by default.
    duration, warmup, seeds, seed, out, jobs, progress
        See `compare`.

    Returns
    -------
    Result
        The result with its tables, figures and report.

    Raises
    ------
    Error
        An option is invalid: place, value and remedy.
    KeyboardInterrupt
        Ctrl-C stopped it. The text names the command that resumes it.
    """
    return carry_out("simulating", "matrix", locals(), "controllers", "controllers")
