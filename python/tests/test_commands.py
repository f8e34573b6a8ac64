"""Commands as functions: the same results and errors as the program's."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import narrows as nw

SHORT = dict(duration="2 s", seeds=2, loss="0.5 %")
WORDS = ["--duration", "2 s", "--seeds", "2", "--loss", "0.5 %", "--quiet"]


def same(one, two):
    """Asserts that both directories have the same files with the same bytes, except for run.json (host and time)."""
    names = sorted(path.name for path in Path(one).iterdir())
    assert names == sorted(path.name for path in Path(two).iterdir())
    for name in names:
        if name != "run.json":
            assert Path(one, name).read_bytes() == Path(two, name).read_bytes(), name


def test_a_comparison_is_the_programs_byte_for_byte(program):
    result = nw.compare("cubic", "bbr", out="one", **SHORT)
    printed = program("compare", "cubic", "bbr", "--out", "two", *WORDS)
    assert result.text == printed and repr(result) == printed.rstrip()
    assert (result.directory, result.met, result.valid) == (Path("one"), True, True)
    same("one", "two")
    command = result.run["command"]
    assert command[:2] == ["narrows", "compare"] and command[-3:] == ["--", "cubic", "bbr"] and "--out=one" in command
    # Opened again, the result says the same.
    assert nw.open("two").text == printed


def test_runs_sweeps_and_matrices_are_the_programs(program, root):
    Path("staggered.toml").write_bytes((root / "scenarios/staggered.toml").read_bytes())
    nw.run("staggered.toml", out="run")
    program("run", "staggered.toml", "--quiet", "--out", "run-2")
    same("run", "run-2")
    axes = {"link.bottleneck.buffer": ["0.5 bdp", "2 bdp"], "flow.*.controller": ["cubic", "newreno"]}
    swept = nw.sweep("staggered.toml", over=axes, out="sweep", metric="goodput")
    words = [f"--set={place}={json.dumps(values)}" for place, values in axes.items()]
    assert program("sweep", "staggered.toml", *words, "--metric", "goodput", "--quiet", "--out", "sweep-2") == swept.text
    same("sweep", "sweep-2")
    result = nw.matrix("cubic", "newreno", buffer=["1 bdp"], duration="2 s", seeds=1, out="matrix")
    program("matrix", "cubic", "newreno", "--buffer", "1 bdp", "--duration", "2 s", "--seeds", "1", "--quiet", "--out", "matrix-2")
    same("matrix", "matrix-2")
    assert len(result.table(result.tables[0])) > 0


def test_a_check_is_the_programs(program):
    result = nw.check("bbr", quick=True, only=["wired"], out="check")
    printed = program("check", "bbr", "--quick", "--only", "wired", "--quiet", "--out", "check-2")
    assert (result.text, result.met) == (printed, True)
    same("check", "check-2")
    assert result.summary["criteria"][0]["verdict"] == "pass"
    assert len(result.runs) == result.summary["runs"] == 45


def test_an_attack_is_the_programs(program):
    result = nw.attack("newreno", goal="waste", budget=48, findings=1, out="attack")
    words = ["--goal", "waste", "--budget", "48", "--findings", "1", "--quiet", "--out", "attack-2"]
    # The output names the file of each finding.
    assert result.text == program("attack", "newreno", *words).replace("attack-2/", "attack/")
    same("attack", "attack-2")
    # The exit status says whether a finding was confirmed.
    findings = json.loads((result.directory / "findings.json").read_text())["findings"]
    assert result.met == (not any(finding["standing"] == "confirmed" for finding in findings))


def test_a_fit_and_a_plan_are_the_programs(program, root):
    program("run", root / "scenarios/one-link.toml", "--pcap", "all", "--quiet", "--out", "made")
    capture = next(Path("made").glob("*.pcapng"))
    result = nw.fit(capture, seeds=1, out="fit")
    assert result.text == program("fit", capture, "--seeds", "1", "--quiet", "--out", "fit-2")
    same("fit", "fit-2")
    rate = nw.Scenario.load("fit/scenario.toml").data["link"][0]["rate"]
    assert float(rate.split()[0]) == pytest.approx(100, rel=0.03)
    with pytest.raises(nw.Error, match="staggered.toml"):
        nw.fit(root / "scenarios/staggered.toml")
    edge = (root / "examples/deploy/edge.toml").read_text()
    Path("edge.toml").write_text(edge.replace("50 Mbit/s", "5 Mbit/s").replace("80 %", "20 %"))
    text = (root / "examples/deploy/bbr.toml").read_text()
    for key, value in {"period": "5 s", "burn_in": "1 s", "burn_out": "1 s"}.items():
        text = re.sub(f'^{key} = ".*"', f'{key} = "{value}"', text, flags=re.MULTILINE)
    Path("bbr.toml").write_text(text.replace("pairs = 24", "pairs = 4"))
    result = nw.deploy_plan("bbr.toml", quick=True, seeds=2, out="plan")
    assert result.text == program("deploy", "plan", "bbr.toml", "--quick", "--seeds", "2", "--quiet", "--out", "plan-2")
    same("plan", "plan-2")


def test_a_missed_expectation_is_told(root):
    text = (root / "scenarios/one-link.toml").read_text().split("[expect]")[0]
    for goodput, met in [("min = 1.0", True), ("min = 1e6", False)]:
        Path("expects.toml").write_text(f"{text}\n[expect]\ngoodput = {{ {goodput} }}\n")
        result = nw.run("expects.toml")
        assert result.met == met and result.directory.parent == Path("narrows-results")


def test_a_live_run_is_of_the_scenario_that_is_named():
    with pytest.raises(nw.Error, match="nosuch.toml"):
        nw.live("nosuch.toml")


def test_errors_name_place_value_and_remedy():
    with pytest.raises(nw.Error, match=r'there is no controller "cubicc"; did you mean "cubic"\?$'):
        nw.compare("cubicc")
    with pytest.raises(nw.Error, match=r'invalid value \'50\' for \'--rate <RATE>\': "50" is not a rate: it has no unit; write for example "100 Mbit/s"$'):
        nw.compare(rate="50")
    flow = '[[flow]]\nfrom = "a"\nto = "b"\ncontroller = "cubic"\n'
    Path("wrong.toml").write_text(f'duration = "2 s"\n{flow}[[link]]\nname = "l"\nbetween = ["a", "b"]\nrate = "fast"\n')
    with pytest.raises(nw.Error) as told:
        nw.run("wrong.toml")
    assert "wrong.toml:9:" in str(told.value) and '"fast"' in str(told.value) and "help:" in str(told.value)
    Path("there").mkdir()
    with pytest.raises(nw.Error, match="there"):
        nw.compare(out="there", **SHORT)
    with pytest.raises(nw.Error, match="SHA256SUMS"):
        nw.open("there")
    assert os.listdir("there") == []


def test_a_file_is_loaded_as_it_is_when_the_command_begins(root):
    objects = root / "crates/bpf/tests/objects"
    Path("mine.bpf.o").write_bytes((objects / "reno.bpf.o").read_bytes())
    first = nw.compare("./mine.bpf.o", **SHORT)
    assert "mine: not checked by a kernel verifier" in first.text and [own["name"] for own in first.run["controllers"]] == ["mine"]
    Path("mine.bpf.o").write_bytes((objects / "stalls.bpf.o").read_bytes())
    with pytest.raises(nw.Error, match="leaves snd_cwnd at 0"):
        nw.compare("./mine.bpf.o", **SHORT)
    # A run without the file does not mention it.
    assert "controllers" not in nw.compare("cubic", **SHORT).run


def test_progress_is_told_and_what_it_raises_comes_back(monkeypatch):
    seen = []

    class Bar:
        def __init__(self, verb):
            self.verb = verb

        def __call__(self, done, of):
            seen.append((self.verb, done, of))
            raise ValueError("no more of it")

        def end(self):
            seen.append("ended")

    monkeypatch.setattr("narrows._progress.Bar", Bar)
    with pytest.raises(ValueError, match="no more of it"):
        nw.compare("cubic", rate="1 Gbit/s", duration="1000 s", seeds=2, out="out", progress=True)
    (verb, done, of), ended = seen
    assert verb == "simulating" and 0 < done < of == 2 * 2 * 1000 * 1_000_000 // 2 and ended == "ended"
    assert not Path("out").exists()


LONG = "import narrows as nw; print('begun', flush=True); nw.compare('cubic', rate='1 Gbit/s', duration='10000 s', out='out')"


def test_ctrl_c_stops_a_command_and_leaves_nothing(place):
    child = subprocess.Popen([sys.executable, "-c", LONG], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "begun\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in said and child.returncode != 0
    assert not Path("out").exists() and list(place.iterdir()) == []


def test_other_threads_of_python_run_meanwhile():
    counted, go_on = 0, True

    def count():
        nonlocal counted
        while go_on:
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    before = counted
    nw.compare("cubic", duration="20 s", seeds=2, out="out")
    # If the lock were held, the thread could not have counted once.
    assert counted > before + 1
    go_on = False
    thread.join()


def test_commands_of_two_threads_take_turns():
    results = {}

    def compare(name):
        results[name] = nw.compare(name, out=name, **SHORT)

    threads = [threading.Thread(target=compare, args=[name]) for name in ("cubic", "newreno")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(set(results[name].flows.to_polars()["controller"]) == {name} for name in ("cubic", "newreno"))


def test_the_package_is_the_program_too(program):
    ours = subprocess.run([sys.executable, "-m", "narrows", "list", "controllers"], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert ours == program("list", "controllers")
    failed = subprocess.run([sys.executable, "-m", "narrows", "compare", "cubicc"], stderr=subprocess.PIPE, text=True)
    assert failed.returncode == 2 and 'there is no controller "cubicc"' in failed.stderr
