"""Sweeps on a Ray cluster of two nodes on this machine: they give the dataset of one machine, even if processes are killed."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import narrows as nw
from narrows import _narrows, _ray

ray = pytest.importorskip("ray", reason="without Ray its engine is not tested")
pytest.importorskip("fsspec", reason="without fsspec the engine of Ray is not tested")

SWEEP = """name = "Dealt"
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
controller = "cubic"
count = 2

[sweep]
"link.bottleneck.rate" = ["5 Mbit/s", "10 Mbit/s"]
seeds = 8
"""
OVER = {"link.bottleneck.buffer": ["0.5 bdp", "2 bdp"]}
RUNS = 32


def same(one, two):
    names = sorted(path.name for path in Path(one).iterdir())
    assert names == sorted(path.name for path in Path(two).iterdir())
    for name in names:
        if name != "run.json":
            assert Path(one, name).read_bytes() == Path(two, name).read_bytes(), name


@pytest.fixture(scope="module")
def cluster():
    """Starts two nodes with one core each."""
    from ray.cluster_utils import Cluster

    os.environ["RAY_DEDUP_LOGS"] = "0"
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False)
    cluster.wait_for_nodes()
    yield cluster
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture
def short(monkeypatch):
    """Parts of a few runs."""
    monkeypatch.setattr(_ray, "LEAST_S", 0.02)
    monkeypatch.setattr(_ray, "MOST_S", 0.05)


def written(text=SWEEP):
    Path("dealt.toml").write_text(text)
    return "dealt.toml"


def parts(folder="parts"):
    return sorted(path for path in Path(folder).rglob("*.parquet"))


def places(folder="parts"):
    return sorted(tuple(int(number) for number in path.name.split("-")[:2]) for path in parts(folder))


def workers(of):
    """Returns the processes that make parts for a driver's cluster: descendants of this process."""
    found = []
    for own in Path("/proc").iterdir():
        try:
            if own.name.isdigit() and (own / "cmdline").read_bytes().startswith(b"ray::work"):
                above = int(own.name)
                while above not in (of, 0, 1):
                    above = int((Path("/proc", str(above), "stat")).read_text().rsplit(")", 1)[1].split()[1])
                if above == of:
                    found.append(int(own.name))
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def whole_and_disjoint(runs=RUNS, folder="parts"):
    at = 0
    for first, after in places(folder):
        assert first == at
        at = after
    assert at == runs


def test_the_dataset_is_that_of_one_machine(cluster, short):
    assert len([node for node in ray.nodes() if node["Alive"]]) == 2
    alone = nw.sweep(written(), over=OVER, out="alone", metric="goodput")
    result = nw.sweep(written(), over=OVER, out="out", metric="goodput", engine="ray")
    assert result.text == alone.text and result.met
    same("alone", "out")
    # Nothing else is left.
    assert sorted(os.listdir(".")) == ["alone", "dealt.toml", "out"]
    shards = [nw.sweep(written(), over=OVER, shard=f"{n}/2", out=f"shard-{n}") for n in (1, 2)]
    assert sum(len(shard.runs) for shard in shards) == RUNS
    nw.merge("shard-2", "shard-1", out="merged")
    same("alone", "merged")


def test_finished_parts_are_kept_and_not_run_again(cluster, short):
    nw.sweep(written(), over=OVER, out="first", engine="ray", parts="parts")
    whole_and_disjoint()
    assert len(parts()) > 2
    before = {path: path.stat().st_mtime_ns for path in parts()}
    lost = parts()[1]
    lost.unlink()
    nw.sweep(written(), over=OVER, out="second", engine="ray", parts="parts")
    same("first", "second")
    whole_and_disjoint()
    assert {path: time for path, time in before.items() if path != lost}.items() <= {path: path.stat().st_mtime_ns for path in parts()}.items()
    # Another sweep has its own parts.
    nw.sweep(written(SWEEP.replace("20 s", "10 s")), out="other", engine="ray", parts="parts")
    assert len(list(Path("parts").iterdir())) == 2
    # A damaged part is reported, and made again.
    broken = next(iter(before))
    broken.write_bytes(broken.read_bytes()[:-1])
    with pytest.raises(nw.Error, match=f"{broken.name} was damaged and has been removed; repeat the call"):
        nw.sweep(written(), over=OVER, out="third", engine="ray", parts="parts")
    nw.sweep(written(), over=OVER, out="third", engine="ray", parts="parts")
    same("first", "third")


def test_a_worker_that_is_killed_loses_and_repeats_nothing(cluster, short):
    text = SWEEP.replace("20 s", "400 s")
    nw.sweep(written(text), over=OVER, out="alone")
    killed, ended = [], threading.Event()

    def kill():
        while len(killed) < 3 and not ended.wait(0.05):
            own = [pid for pid in workers(os.getpid()) if pid not in killed]
            if parts() and own:
                os.kill(own[0], signal.SIGKILL)
                killed.append(own[0])

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        nw.sweep(written(text), over=OVER, out="out", engine="ray", parts="parts")
    finally:
        ended.set()
        thread.join()
    assert killed
    same("alone", "out")
    whole_and_disjoint()
    assert [path.name for path in Path("parts").rglob("*") if path.is_file() and path.suffix != ".parquet"] == []


DRIVER = """
import sys, ray
import narrows as nw
from narrows import _ray
_ray.LEAST_S, _ray.MOST_S = 0.02, 0.05
ray.init(address=sys.argv[1], log_to_driver=False)
nw.sweep("dealt.toml", over={"link.bottleneck.buffer": ["0.5 bdp", "2 bdp"]}, out="out", engine="ray", parts="parts")
"""


def test_a_driver_that_is_killed_is_followed_by_another(cluster, short):
    text = SWEEP.replace("20 s", "400 s")
    nw.sweep(written(text), over=OVER, out="alone")
    driver = subprocess.Popen([sys.executable, "-c", DRIVER, cluster.address])
    while len(parts()) < 3:
        assert driver.poll() is None
        time.sleep(0.05)
    driver.kill()
    driver.wait()
    assert not Path("out").exists()
    # The driver's workers end as soon as Ray notices that the driver is gone.
    before = -1
    while before != len(parts()):
        before = len(parts())
        time.sleep(2)
    kept = {path: path.stat().st_mtime_ns for path in parts()}
    assert kept and sum(after - first for first, after in places()) < RUNS
    nw.sweep(written(text), over=OVER, out="out", engine="ray", parts="parts")
    same("alone", "out")
    whole_and_disjoint()
    assert kept.items() <= {path: path.stat().st_mtime_ns for path in parts()}.items()


def test_parts_on_an_object_store(cluster, short):
    pytest.importorskip("s3fs", reason="without s3fs parts on an object store are not tested")
    server = pytest.importorskip("moto.server", reason="without moto parts on an object store are not tested")
    import fsspec

    server = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    options = dict(key="key", secret="secret", client_kwargs=dict(endpoint_url=f"http://{host}:{port}"))
    try:
        store = fsspec.filesystem("s3", **options)
        store.mkdir("bucket")
        nw.sweep(written(), over=OVER, out="alone")
        for out in ("first", "second"):
            nw.sweep(written(), over=OVER, out=out, engine="ray", parts="s3://bucket/parts", storage_options=options)
            same("alone", out)
            store.invalidate_cache()
            found = {path: store.info(path)["LastModified"] for path in store.find("bucket")}
            assert all(path.startswith("bucket/parts/") and path.endswith(".parquet") for path in found) and len(found) > 2
            before = found if out == "first" else before
        assert found == before
    finally:
        server.stop()


def test_errors_of_workers_and_options_come_back(cluster, short):
    with pytest.raises(ValueError, match='there is no engine "slurm"'):
        nw.sweep(written(), engine="slurm")
    with pytest.raises(ValueError, match='engine="ray"'):
        nw.sweep(written(), parts="parts")
    with pytest.raises(ValueError, match="not for Ray"):
        nw.sweep(written(), engine="ray", jobs=2)
    with pytest.raises(nw.Error, match='there is no controller "cubicc"'):
        nw.sweep(written(SWEEP.replace('"cubic"', '"cubicc"')), engine="ray")
    _, origin, _ = _narrows.plan(json.dumps({"scenario": os.fspath(written())}))
    other = json.dumps({**json.loads(origin), "program": "0.1.0 (build of another)"})
    task = ray.remote(_ray.work)
    with pytest.raises(nw.Error, match=r"has Narrows .*, the driver 0.1.0 \(build of another\); install the same on all machines"):
        ray.get(task.remote(other, (0, 1), _ray.Store("parts", {}, "key")))
    assert not parts()


def test_parts_are_as_long_as_they_shall_be():
    assert _ray.gaps([], 5) == [(0, 5)] and _ray.gaps([(0, 5)], 5) == [] and _ray.gaps([], 0) == []
    assert _ray.gaps([(3, 4), (0, 2), (1, 2), (6, 8)], 10) == [(2, 3), (4, 6), (8, 10)]
    # A thousand runs of one second each: first single runs, then parts of 60 s, in the end of 10 s.
    queue = _ray.Queue([(0, 1000)], [7] * 1000)
    assert [queue.take(2), queue.take(2)] == [(0, 1), (1, 2)]
    queue.took((0, 1), 1.0)
    taken = []
    while queue:
        taken.append(queue.take(2))
    lengths = [after - first for first, after in taken]
    assert lengths[0] == 60 and sorted(lengths[:-1], reverse=True) == lengths[:-1] and lengths[-2] == 10 and lengths[-1] <= 10
    assert taken[0][0] == 2 and taken[-1][1] == 1000 and all(one[1] == two[0] for one, two in zip(taken, taken[1:], strict=False))
    # A run that is longer than a part is a part of its own.
    queue = _ray.Queue([(0, 3)], [1000, 1, 1])
    queue.took((1, 2), 1.0)
    assert queue.take(1) == (0, 1) and queue.take(1) == (1, 3)
