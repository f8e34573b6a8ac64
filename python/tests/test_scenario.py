"""Scenarios as data, and quantities with units."""

import threading

import pytest

import narrows as nw
from narrows import units as u


def line():
    return nw.Scenario(duration=u.s(2), seed=7).link("line", between=("a", "b"), rate=u.mbit_per_s(10), delay=u.ms(5), buffer=u.bdp(1.5))


def test_quantities_are_texts_without_exponents():
    assert (u.mbit_per_s(50), u.ms(2.5), u.percent(0.001), u.bit_per_s(1e9)) == ("50 Mbit/s", "2.5 ms", "0.001 %", "1000000000 bit/s")
    with pytest.raises(ValueError, match="finite"):
        u.ms(float("nan"))


def test_a_scenario_is_built_changed_and_run_without_a_file(place):
    one = line().flow("cubic", source="a", to="b", name="x")
    result = nw.run(one, progress=False)
    assert len(result.flows) == 1
    fast = one.set("link.line.rate", u.mbit_per_s(50)).set("flow.x.controller?hz", 1000)
    assert fast.data["link"][0]["rate"] == "50 Mbit/s" and fast.data["flow"][0]["controller"] == "cubic?hz=1000"
    assert one.data["link"][0]["rate"] == "10 Mbit/s", "a scenario does not change"
    both = [nw.run(own, progress=False).summary["cases"][0]["metrics"]["goodput"]["median"] for own in (one, fast)]
    assert both[0] < 10 < both[1]
    assert sorted(path.name for path in place.iterdir()) == ["narrows-results"]


def test_a_scenario_comes_back_from_its_file(place):
    one = line().flow("bbr", source="a", to="b", workload={"size": "100 kB"}).change("1 s", link="line", rate="5 Mbit/s")
    one.save("one.toml")
    assert nw.Scenario.load("one.toml") == one == nw.Scenario.parse(one.toml)
    assert nw.run("one.toml", progress=False).summary["cases"][0]["metrics"] == nw.run(one, progress=False).summary["cases"][0]["metrics"]


def test_files_are_relative_to_the_folder_of_the_scenario(place):
    (place / "sub").mkdir()
    (place / "sub" / "t.txt").write_text("1\n2\n3\n")
    text = line().flow("cubic", source="a", to="b").toml
    (place / "sub" / "one.toml").write_text(text.replace('rate = "10 Mbit/s"', 'trace = "t.txt"'))
    assert len(nw.run(nw.Scenario.load("sub/one.toml"), progress=False).flows) == 1


def test_errors_name_place_and_remedy():
    with pytest.raises(nw.Error, match="rat") as refused:
        line().flow("cubic", source="a", to="b").set("link.line.rat", "1 Mbit/s")
    assert "rate" in str(refused.value)
    with pytest.raises(nw.Error, match='no link called "lime"'):
        line().set("link.lime.rate", "1 Mbit/s")
    with pytest.raises(nw.Error, match="cubc"):
        line().flow("cubc", source="a", to="b")


def test_two_threads_compare_at_once():
    results: dict[str, float] = {}

    def compare(rate: str) -> None:
        result = nw.compare("cubic", rate=rate, duration="2 s", seeds=2, progress=False)
        results[rate] = result.summary["cases"][0]["metrics"]["goodput"]["median"]

    threads = [threading.Thread(target=compare, args=(rate,)) for rate in ("5 Mbit/s", "20 Mbit/s")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results["5 Mbit/s"] < 5 < results["20 Mbit/s"]
