"""Controllers in Python: a law decides as in Rust, and errors are reported."""

import json
import os
import pickle
import re
import subprocess
from pathlib import Path

import polars
import pyarrow.parquet
import pytest

import narrows as nw
from narrows import _controllers as controllers


class Paced(nw.Controller):
    """Paces a little above the delivery rate, and below it if the queue is long."""

    gain: float = 1.05
    target: float = 10.0

    def on_interval(self, stats):
        is_long = stats.rtt_ms is not None and stats.rtt_ms > stats.base_rtt_ms + self.target
        return nw.Rate.mbps(max(stats.delivery_rate_mbps * (0.9 if is_long else self.gain), 0.1))


NETWORK = dict(rate="20 Mbit/s", rtt="40 ms", duration="20 s", seeds=2, loss="0.1 %")
WORDS = ["--rate", "20 Mbit/s", "--rtt", "40 ms", "--duration", "20 s", "--seeds", "2", "--loss", "0.1 %", "--quiet"]


def test_a_law_in_python_decides_as_in_rust(root):
    program = Path(os.environ.get("NARROWS_PROGRAM", root / "target/debug/narrows")).parent / "my-controller"
    if not program.exists():
        pytest.skip(f"{program} is not built")
    subprocess.run([program, "compare", "paced", "paced?gain=1.2", *WORDS, "--out", "rust"], check=True, stdout=subprocess.DEVNULL)
    nw.compare(Paced, "paced?gain=1.2", out="python", **NETWORK)
    for table in ("flows", "flow_samples", "link_samples", "links", "histograms"):
        assert Path(f"rust/{table}.parquet").read_bytes() == Path(f"python/{table}.parquet").read_bytes(), table
    frame = polars.read_parquet("python/flow_samples.parquet").filter(polars.col("time_s") > 5)
    assert frame["goodput_mbps"].mean() > 5


def test_results_do_not_depend_on_threads():
    results = [nw.compare(Paced, "cubic", jobs=jobs, out=f"out-{jobs}", **NETWORK) for jobs in (1, 2)]
    one, two = ((result.directory / "summary.json").read_bytes() for result in results)
    assert one == two


def test_a_class_that_is_defined_anew_is_another(root):
    goodputs = []
    for mbps in (2.0, 4.0):

        class Constant(nw.Controller):
            name = "constant"
            rate: float = 1.0

            def on_interval(self, stats, mbps=mbps):
                return nw.Rate.mbps(mbps)

        result = nw.compare(Constant, duration="10 s", seeds=1, flows=1)
        goodputs.append(result.summary["cases"][0]["metrics"]["goodput"]["values"][0])
    # Of 1500 bytes, 1448 are payload.
    assert goodputs == pytest.approx([2.0 * 1448 / 1500, 4.0 * 1448 / 1500], rel=0.02)


def test_scenarios_and_sweeps_name_classes(root):
    text = (root / "scenarios/one-link.toml").read_text().split("[expect]")[0].split("[[flow]]")[0]
    Path("own.toml").write_text(text + '[[flow]]\nname = "own"\nfrom = "left"\nto = "right"\ncontroller = "paced"\n')
    with pytest.raises(nw.Error, match='there is no controller "paced"'):
        nw.run("own.toml")
    alone = nw.run("own.toml", controllers=[Paced])
    assert set(alone.flows.to_polars()["controller"]) == {"paced"}
    swept = nw.sweep("own.toml", over={"flow.own.controller": ["paced?gain=1.01", "paced?gain=1.5"]}, controllers=[Paced])
    assert "paced?gain=1.5" in swept.text


class Windows(nw.Controller):
    """Keeps a window, and draws random numbers."""

    interval_ms = 50.0
    segments: int = 8

    def __init__(self):
        self.lengths = []
        self.drawn = self.seed

    def on_interval(self, stats):
        self.lengths.append(stats.length_s)
        assert self.lengths == [0.05] * len(self.lengths)
        assert stats.pacing_mbps is None and stats.window in (10.0, 8.0)
        assert stats.in_flight <= 10 and stats.mss_bytes == 1448 and stats.packet_bytes == 1500
        assert 0 <= stats.loss_rate <= 1 and stats.sent >= 0 and not stats.app_limited
        return nw.Window(self.segments) if stats.now_s < 5 else None


def test_windows_clock_without_pacing():
    result = nw.compare(Windows, duration="10 s", seeds=1, flows=1, rate="100 Mbit/s", rtt="100 ms")
    samples = result.flow_samples.to_polars().filter(polars.col("time_s") > 2)
    assert set(samples["cwnd_segments"]) == {8.0}
    # 8 segments of 1448 bytes in 100 ms, acknowledged in pairs.
    goodput = result.summary["cases"][0]["metrics"]["goodput"]["values"][0]
    assert goodput == pytest.approx(8 * 1448 * 8 / 0.1 / 1e6, rel=0.02)


class Fails(nw.Controller):
    """Divides by zero."""

    def on_interval(self, stats):
        return 1 / (stats.lost - stats.lost)


def test_an_exception_names_flow_time_and_line():
    with pytest.raises(nw.Error) as told:
        nw.compare(Fails, duration="2 s")
    said = str(told.value)
    assert re.match(r'in the run of "fails" with seed [123]: flow "fails\.1": its controller fails cannot go on at ', said), said
    assert said.endswith("test_controllers.py:111, in on_interval: ZeroDivisionError: division by zero")
    assert not Path("narrows-results").exists() or not list(Path("narrows-results").iterdir())


def fails(answer):
    class Answers(nw.Controller):
        def on_interval(self, stats):
            return answer()

    with pytest.raises(nw.Error) as told:
        nw.compare(Answers, duration="2 s")
    return str(told.value)


def test_other_mistakes_are_told():
    assert "on_interval answered 5.0; let it return Rate.mbps(...), Window(...)" in fails(lambda: 5.0)
    assert "0.5 segments are no window; give 1 or more" in fails(lambda: nw.Window(0.5))
    assert "-1000000 is no rate in bit/s" in fails(lambda: nw.Rate.mbps(-1.0))
    assert "nan is no rate" in fails(lambda: nw.Rate.mbps(float("nan"))).lower()

    class NoLaw(nw.Controller):
        pass

    with pytest.raises(nw.Error, match=r"NoLaw has no on_interval\(self, stats\)"):
        nw.compare(NoLaw, duration="2 s")

    class Cubic(nw.Controller):
        pass

    with pytest.raises(nw.Error, match="cubic"):
        nw.compare(Cubic, duration="2 s")
    with pytest.raises(TypeError, match="5 is no controller"):
        nw.compare(5)
    with pytest.raises(nw.Error, match='"fast" is not a number|gain'):
        nw.compare(Paced, "paced?gain=fast", duration="2 s")

    class Slow(nw.Controller):
        interval_ms = -1.0

        def on_interval(self, stats):
            return None

    with pytest.raises(nw.Error, match="interval_ms is -1"):
        nw.compare(Slow, duration="2 s")


class Mine(nw.Controller):
    """The example of a controller in Rust that is called at each acknowledgement."""

    spreads_reductions = True
    target: float = 5.0
    increase: float = 1.0
    decrease: float = 0.2

    def __init__(self):
        self.threshold, self.before, self.next_reduction = float("inf"), (10.0, float("inf")), 0

    def reduce(self, window, now_s, rtt_ms):
        self.before = (window, self.threshold)
        self.threshold = max(window * (1.0 - self.decrease), 2.0)
        # Times are whole nanoseconds, as in the simulator.
        self.next_reduction = round(now_s * 1e9) + round(rtt_ms * 1e6)
        return nw.Window(self.threshold)

    def on_ack(self, ack):
        if ack.congestion is not None:
            return self.reduce(ack.window, ack.now_s, ack.srtt_ms)
        if ack.rtt_ms is None:
            return None
        if round(ack.rtt_ms * 1e6) > round(ack.base_rtt_ms * 1e6) + round(self.target * 1e6):
            return self.reduce(ack.window, ack.now_s, ack.rtt_ms) if round(ack.now_s * 1e9) >= self.next_reduction else None
        return nw.Window(ack.window + (ack.acked_limited if ack.window < self.threshold else self.increase * ack.acked_limited / ack.window))

    def on_timeout(self, timeout):
        if not timeout.repeated:
            self.reduce(timeout.window, timeout.now_s, 0.0)
        return nw.Window(1)

    def on_undo(self, now_s):
        window, self.threshold = self.before
        return nw.Window(window)


def test_a_law_that_hears_of_each_acknowledgement_decides_as_in_rust(root):
    program = Path(os.environ.get("NARROWS_PROGRAM", root / "target/debug/narrows")).parent / "my-controller"
    if not program.exists():
        pytest.skip(f"{program} is not built")
    # The class and the entry in Rust have the same name, so they run one after the other.
    subprocess.run([program, "compare", "mine", "mine?target=20", *WORDS, "--out", "rust"], check=True, stdout=subprocess.DEVNULL)
    nw.compare(Mine, "mine?target=20", out="python", **NETWORK)
    for table in ("flows", "link_samples", "links", "histograms"):
        assert Path(f"rust/{table}.parquet").read_bytes() == Path(f"python/{table}.parquet").read_bytes(), table
    # Only the controller in Rust gives its threshold to traces.
    rust, python = (polars.read_parquet(f"{place}/flow_samples.parquet").drop("ssthresh_segments") for place in ("rust", "python"))
    assert rust.equals(python) and python.filter(polars.col("time_s") > 5)["goodput_mbps"].mean() > 5


class Both(nw.Controller):
    """Defines both methods, and records their arguments."""

    interval_ms = 100.0

    def __init__(self):
        self.acked, self.lost, self.rates = 0, 0, []

    def on_ack(self, ack):
        self.acked += ack.acked
        self.lost += ack.lost
        if ack.delivery_rate_mbps is not None:
            self.rates.append(ack.delivery_rate_mbps)
        assert ack.acked_bytes == 1448 * ack.acked and ack.acked_limited <= ack.acked and ack.marked == 0
        assert ack.mss_bytes == 1448 and ack.packet_bytes == 1500 and ack.pacing_mbps is None and 0 <= ack.in_flight <= 20
        assert ack.rtt_ms is None or ack.srtt_ms > 0 and ack.base_rtt_ms <= ack.rtt_ms
        assert repr(ack).startswith(f"<{ack.acked} acknowledged, {ack.lost} lost at ")
        return nw.Window(20)

    def on_interval(self, stats):
        # Acknowledgements before the first interval belong to no interval.
        if stats.now_s > 1:
            assert (self.acked, self.lost) == (stats.delivered, stats.lost), (self.acked, stats)
            # 20 packets of 1500 bytes in 100 ms.
            assert 0 < max(self.rates) < 2.5
        self.acked, self.lost, self.rates = 0, 0, []


def test_acknowledgements_add_up_to_intervals():
    result = nw.compare(Both, duration="10 s", seeds=1, flows=1, rate="100 Mbit/s", rtt="100 ms", loss="0.5 %")
    samples = result.flow_samples.to_polars().filter(polars.col("time_s") > 2)
    assert set(samples["cwnd_segments"]) == {20.0} and result.flows.to_polars()["total_declared_lost_packets"].sum() > 3


class FailsLate(nw.Controller):
    """Raises an exception at an acknowledgement."""

    def on_ack(self, ack):
        if ack.now_s > 1:
            raise RuntimeError("too late")


def test_an_exception_at_an_acknowledgement_names_scenario_flow_time_and_line(root):
    with pytest.raises(nw.Error, match=r'flow "failslate\.1": its controller failslate cannot go on at 1\.\d+ s: .*in on_ack: RuntimeError: too late'):
        nw.compare(FailsLate, duration="2 s")
    text = (root / "scenarios/one-link.toml").read_text().split("[expect]")[0].split("[[flow]]")[0]
    Path("own.toml").write_text(text + '[[flow]]\nname = "own"\nfrom = "left"\nto = "right"\ncontroller = "failslate"\n')
    with pytest.raises(nw.Error, match=r'^in the run of "One flow, one bottleneck" with seed [23]: flow "own": its controller failslate cannot go on at'):
        nw.run("own.toml", controllers=[FailsLate], seed=2, seeds=2)


SWEPT = """name = "Own"
duration = "20 s"

[[link]]
name = "bottleneck"
between = ["left", "right"]
rate = "10 Mbit/s"
delay = "5 ms"
buffer = "1 bdp"

[[flow]]
name = "first"
from = "left"
to = "right"
controller = "constant"

[sweep]
"link.bottleneck.rate" = ["5 Mbit/s", "10 Mbit/s"]
"""


def constant(mbps):
    """Returns a class that sends at this rate. All these classes have the same name and module."""

    class Constant(nw.Controller):
        def on_interval(self, stats):
            return nw.Rate.mbps(mbps)

    return Constant


FACTOR = 1.0


class Scaled(nw.Controller):
    def on_interval(self, stats):
        return nw.Rate.mbps(FACTOR * stats.delivery_rate_mbps)


def test_classes_are_told_apart_by_what_they_do(monkeypatch):
    identity = lambda of: controllers.Class(of).identity  # noqa: E731
    assert identity(constant(2.0)) == identity(constant(2.0)) != identity(constant(4.0))
    assert identity(Paced) != identity(Mine)
    before = identity(Scaled)
    assert before == identity(Scaled)
    monkeypatch.setitem(globals(), "FACTOR", 2.0)
    assert identity(Scaled) != before

    class Derived(Paced):
        target = 20.0

    assert identity(Derived) != identity(Paced)
    opened = open("file", "w")

    class Opens(nw.Controller):
        file = opened

        def on_interval(self, stats):
            return None

    # A class that cannot be identified never equals itself.
    assert identity(Opens) != identity(Opens)
    opened.close()


def test_runs_of_another_class_by_the_same_name_are_not_taken_up():
    Path("own.toml").write_text(SWEPT)
    one, two = constant(2.0), constant(4.0)
    shards = [nw.sweep("own.toml", shard=f"{n}/2", controllers=[one], out=f"shard-{n}") for n in (1, 2)]
    whole = nw.sweep("own.toml", controllers=[one], out="whole")
    merged = nw.merge("shard-1", "shard-2", controllers=[one], out="merged")
    assert sum(len(shard.runs) for shard in shards) == 2 and merged.text == whole.text
    names = sorted(path.name for path in Path("whole").iterdir())
    assert names == sorted(path.name for path in Path("merged").iterdir()) and "constant.identity" in names
    for name in names:
        assert name == "run.json" or Path("merged", name).read_bytes() == Path("whole", name).read_bytes(), name
    with pytest.raises(nw.Error, match="constant"):
        nw.merge("shard-1", "shard-2", out="other")
    with pytest.raises(nw.Error, match="shard-1"):
        nw.merge("shard-1", "shard-2", controllers=[two], out="other")
    other = nw.sweep("own.toml", shard="2/2", controllers=[two], out="other-2")
    with pytest.raises(nw.Error, match="other-2"):
        nw.merge("shard-1", other.directory, controllers=[one], out="other")
    # The runs that an interrupted sweep has kept also belong to one class.
    partial = json.dumps(dict(json.loads(narrows_origin("shard-1")), shard=None))
    Path("new.partial").write_text(partial + "\n")
    with pytest.raises(nw.Error, match="new.partial"):
        nw.sweep("own.toml", controllers=[two], out="new")
    assert nw.sweep("own.toml", controllers=[one], out="new").text == whole.text


def narrows_origin(shard):
    """Returns the text that identifies the runs of a shard."""
    metadata = pyarrow.parquet.read_schema(Path(shard, "runs.parquet")).metadata
    return next(value for value in metadata.values() if value.startswith(b'{"program"'))


def test_rates_and_windows_are_values():
    for make in (nw.Rate.mbps, nw.Window):
        assert make(3) == make(3) and make(3) != make(4) and hash(make(3)) == hash(make(3)) and make(3) < make(4) and make(3) != 3
        for copy in (pickle.loads(pickle.dumps(make(3.5))), pickle.loads(pickle.dumps(make(3.5), protocol=2))):
            assert copy == make(3.5)
    assert nw.Rate.mbps(3) == nw.Rate.bps(3e6)


def test_a_truth_value_is_a_parameter():
    class Switched(nw.Controller):
        fast: bool = False
        always: bool = True

        def on_interval(self, stats):
            assert self.fast in (False, True) and type(self.fast) is type(self.always) is bool
            return nw.Rate.mbps(4 if self.fast and self.always else 1)

    result = nw.compare(Switched, "switched?fast=true", "switched?fast=true&always=false", rate="10 Mbit/s", duration="10 s", progress=False)
    # Each case has two flows.
    goodputs = [case["metrics"]["goodput"]["median"] for case in result.summary["cases"]]
    assert goodputs == pytest.approx([2, 8, 2], rel=0.1)
    with pytest.raises(nw.Error, match="fast.* true or false"):
        nw.compare(Switched, "switched?fast=3", progress=False)


def test_the_version_is_that_of_the_program(program):
    assert program("--version").split()[1] == nw.__version__
