"""Controllers in Python: the same law decides the same as in Rust, and what goes wrong is told."""

import os
import subprocess
from pathlib import Path

import polars
import pytest

import narrows as nw


class Paced(nw.Controller):
    """Paces at a little more than what arrives, at less once the queue is long."""

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
    # 1448 of 1500 bytes are payload.
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
    """Keeps a window, and draws."""

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
    """Divides by nothing."""

    def on_interval(self, stats):
        return 1 / (stats.lost - stats.lost)


def test_an_exception_names_flow_time_and_line():
    with pytest.raises(nw.Error) as told:
        nw.compare(Fails, duration="2 s")
    said = str(told.value)
    assert said.startswith('flow "fails.1": its controller fails cannot go on at ')
    assert said.endswith("test_controllers.py:106, in on_interval: ZeroDivisionError: division by zero")
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

    with pytest.raises(nw.Error, match="interval_ms is -1"):
        nw.compare(Slow, duration="2 s")
