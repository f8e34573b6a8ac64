"""Sweeps on the workers of a Ray cluster.

The runs of a sweep have a fixed order, in which they are dealt to shards. A part is a range of
places in this order. A worker runs a part as ``narrows sweep --shard FROM..TO`` does, and stores
its table in the folder of all parts. Stored parts are finished; the driver assigns the others to
workers, and merges all tables.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import socket
import tempfile
import time
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from narrows import _narrows
from narrows._progress import Bar
from narrows._results import Result

# Least and greatest length of a part in seconds of work, if there are enough runs. The longer a
# part is, the more is lost with a worker; the shorter, the more parts there are.
LEAST_S = 10.0
MOST_S = 60.0
# Between these bounds, a part is so short that each worker still gets this many parts, so that all
# workers finish at about the same time.
PARTS_LEFT = 2
# Number of times that a part goes to another worker after a worker has died.
RETRIES = 20
# Time in seconds for which the driver waits for a part before it checks for signals.
LOOK_S = 0.2

Places = tuple[int, int]


@dataclass(frozen=True)
class Store:
    """The folder of a sweep's parts; its name is the hash of the text that identifies the runs."""

    url: str
    options: dict[str, Any]
    key: str

    def _open(self) -> tuple[Any, str]:
        import fsspec

        files, path = fsspec.url_to_fs(self.url, **self.options)
        return files, f"{path.rstrip('/')}/{self.key}"

    def parts(self) -> dict[Places, str]:
        """Return the places and file names of all stored parts."""
        files, folder = self._open()
        files.invalidate_cache()
        try:
            names = [path.rsplit("/", 1)[-1] for path in files.ls(folder, detail=False)]
        except FileNotFoundError:
            return {}
        found = [(re.fullmatch(r"(\d+)-(\d+)-[0-9a-f]{16}\.parquet", name), name) for name in sorted(names)]
        return {(int(named[1]), int(named[2])): name for named, name in found if named}

    def put(self, places: Places, table: bytes) -> None:
        """Store a part atomically. Its file name has its places and the hash of its content."""
        files, folder = self._open()
        files.makedirs(folder, exist_ok=True)
        unfinished = f"{folder}/{uuid.uuid4().hex}.unfinished"
        files.pipe_file(unfinished, table)
        files.mv(unfinished, f"{folder}/{places[0]:08}-{places[1]:08}-{_hash(table)}.parquet")

    def fetch(self, into: Path) -> list[Path]:
        """Copy all parts into a directory, and verify their hashes."""
        files, folder = self._open()
        fetched = []
        for name in self.parts().values():
            table = files.cat_file(f"{folder}/{name}")
            if _hash(table) != name.rsplit("-", 1)[1].removesuffix(".parquet"):
                files.rm(f"{folder}/{name}")
                raise _narrows.Error(f"{folder}/{name} was damaged and has been removed; repeat the call, which makes it again")
            (into / name).write_bytes(table)
            fetched.append(into / name)
        return fetched

    def clear(self, parts: bool) -> None:
        """Remove unfinished files of killed workers, or with `parts` the whole folder."""
        files, folder = self._open()
        files.invalidate_cache()
        if parts:
            files.rm(folder, recursive=True)
        else:
            for path in files.glob(f"{folder}/*.unfinished"):
                files.rm(path)


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def work(origin: str, places: Places, store: Store) -> float:
    """Run a part on a worker. Return its processor time in seconds, or 0 if the part was stored already."""
    wanted = json.loads(origin)
    if _narrows.build() != wanted["program"]:
        raise _narrows.Error(
            f"the worker on {socket.gethostname()} has Narrows {_narrows.build()}, the driver {wanted['program']}; install the same on all machines"
        )
    # A killed worker may have stored the part before.
    if places in store.parts():
        return 0.0
    began = time.process_time()
    with tempfile.TemporaryDirectory(prefix="narrows-") as folder:
        part = Path(folder, "part")
        part.with_suffix(".partial").write_text(json.dumps({**wanted, "shard": f"{places[0]}..{places[1]}"}) + "\n")
        _narrows.carry_out("sweep", json.dumps({"jobs": 1, "resume": str(part)}))
        table = (part / "runs.parquet").read_bytes()
    spent = time.process_time() - began
    store.put(places, table)
    return spent


def gaps(parts: Iterable[Places], runs: int) -> list[Places]:
    """Return the places that are in no part."""
    free, at = [], 0
    for first, after in sorted(parts):
        if first > at:
            free.append((at, first))
        at = max(at, after)
    return free + [(at, runs)] if at < runs else free


class Queue:
    """The parts that are left. The first parts are single runs; their time determines the size of later parts.

    Parameters
    ----------
    free : list of places
        Places of the runs that are left.
    costs : list of int
        Cost of the run at each place.
    """

    def __init__(self, free: Sequence[Places], costs: Sequence[int]) -> None:
        self._free = list(free)
        self._before = [0, *accumulate(costs)]
        self._spent_s = 0.0
        self._cost = 0

    def __bool__(self) -> bool:
        return bool(self._free)

    def cost(self, places: Places) -> int:
        """Return the cost of a part."""
        return self._before[places[1]] - self._before[places[0]]

    def took(self, places: Places, seconds: float) -> None:
        """Record the time of a part."""
        if seconds > 0:
            self._spent_s += seconds
            self._cost += self.cost(places)

    def take(self, workers: int) -> Places:
        """Take the next part, for one of `workers` workers."""
        first, end = self._free.pop(0)
        after = first + 1
        if self._cost:
            a_second = self._cost / self._spent_s
            left_s = (self.cost((first, end)) + sum(map(self.cost, self._free))) / a_second
            wanted = a_second * min(max(left_s / (PARTS_LEFT * workers), LEAST_S), MOST_S)
            while after < end and self.cost((first, after)) < wanted:
                after += 1
        if after < end:
            self._free.insert(0, (after, end))
        return first, after


def sweep(
    values: str,
    metric: list[str],
    out: str | os.PathLike[str] | None,
    parts: str | os.PathLike[str] | None,
    options: dict[str, Any],
    shown: Bar | None,
) -> Result:
    """Run the sweep of these values, an object in JSON, on the cluster."""
    try:
        import fsspec  # noqa: F401
        import ray
    except ImportError as error:
        raise _narrows.Error(f"{error}; sweeps on a cluster need Ray and fsspec: pip install \"ray>=2.60,<3\" fsspec") from error
    directory, origin, costs = _narrows.plan(values)
    place = os.fspath(parts) if parts is not None else str(Path(directory).parent / "parts")
    if "://" not in place:
        # Workers run in other working directories.
        place = os.path.abspath(place)
    store = Store(place, options, hashlib.sha256(origin.encode()).hexdigest()[:16])
    if not ray.is_initialized():
        ray.init()
    try:
        _make(ray, origin, costs, store, shown)
        with tempfile.TemporaryDirectory(prefix="narrows-") as folder:
            tables = [str(table) for table in store.fetch(Path(folder))]
            merged = {"shards": tables, "metric": metric, "out": None if out is None else os.fspath(out)}
            status, text, made = _narrows.carry_out("merge", json.dumps(merged))
    finally:
        if shown is not None:
            shown.end()
    assert made is not None, "a command that makes a result tells where"
    store.clear(parts=parts is None)
    if parts is None:
        try:
            Path(place).rmdir()
        except OSError:
            # The directory has parts of another sweep.
            pass
    return Result(made, status, text)


def _make(ray: Any, origin: str, costs: Sequence[int], store: Store, shown: Bar | None) -> None:
    """Run all parts that are not stored."""
    task = ray.remote(work).options(num_cpus=1, max_retries=RETRIES)
    queue = Queue(gaps(store.parts(), len(costs)), costs)
    done = sum(costs) - sum(map(queue.cost, gaps(store.parts(), len(costs))))
    running: dict[Any, Places] = {}
    try:
        while queue or running:
            workers = max(int(ray.cluster_resources().get("CPU", 1)), 1)
            while queue and len(running) < workers:
                places = queue.take(workers)
                running[task.remote(origin, places, store)] = places
            for finished in ray.wait(list(running), timeout=LOOK_S)[0]:
                queue.took(running[finished], ray.get(finished))
                done += queue.cost(running.pop(finished))
            if shown is not None:
                shown(done, sum(costs))
    except KeyboardInterrupt:
        kept = sum(after - first for first, after in store.parts())
        raise KeyboardInterrupt(f"stopped; {kept} of {len(costs)} runs are kept in {store.url}: the same call goes on") from None
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None
    finally:
        for left in running:
            ray.cancel(left, force=True)
