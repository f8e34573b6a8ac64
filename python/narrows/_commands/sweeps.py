"""Sweeps, on one machine or on several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from narrows._commands.carry_out import Many, Network, Path, carry_out, values
from narrows._controllers import Controller
from narrows._progress import bar
from narrows._results import Result
from narrows._scenario import Scenario


def sweep(
    scenario: Network,
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
    parts: Path | None = None,
    storage_options: Mapping[str, Any] | None = None,
    out: Path | None = None,
    jobs: int | None = None,
    progress: bool | None = None,
) -> Result:
    """Run all combinations of values of a scenario.

    Parameters
    ----------
    scenario : path or Scenario
        Scenario, with a sweep table or without.
    over : mapping
        Further axes: a path in the scenario, and its values: ``{"link.bottleneck.buffer": ["0.5 bdp", "2 bdp"]}``.
    seeds : int
        Number of seeds for each cell. One by default, or the file's.
    path, trace, queue, workload : list
        Networks and workloads, as axes.
    metric : str or list of str
        Metrics that `Result.text` shows. The tables have all metrics.
    controllers : list of type
        Classes derived from `Controller` that the scenario or its axes name.
    shard : str
        Run only this part, for `merge`: ``"2/3"`` is the second of three shards.
    engine : str
        ``"ray"`` runs on the workers of a Ray cluster: the cluster to which this process is connected, or else the one of
        ``ray.init()``. The result is the same. By default, the sweep runs on the cores of this machine.
    parts : path or str
        Place where the engine's workers store finished parts and look for them: a directory that all machines share, or any
        place that fsspec supports, such as ``"s3://bucket/parts"``. Stored parts are not run again, and stay. By default a
        directory ``parts`` beside the result, which is removed.
    storage_options : mapping
        Options of fsspec for `parts`, such as credentials.
    out, jobs, progress
        See `compare`.

    Returns
    -------
    Result
        The result with its tables, figures and report; for a shard, with the table ``runs``.

    Raises
    ------
    Error
        An option or the file is invalid: place, value and remedy. Or a worker has another build of Narrows
        than this process.
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
        return carry_out("simulating", "sweep", given, "scenario", "controllers")
    if engine != "ray":
        raise ValueError(f'there is no engine "{engine}"; give "ray", or none for the cores of this machine')
    if controllers or shard is not None or jobs is not None:
        raise ValueError("controllers, shard and jobs are not for Ray: its workers make all runs, one on each core, without classes of this process")
    if isinstance(scenario, Scenario):
        raise ValueError("Ray's workers read scenarios from files; write one with Scenario.save")
    from narrows import _ray

    options = {name: value for name, value in given.items() if name not in ("scenario", "controllers", "progress")}
    metrics = [metric] if isinstance(metric, str) else list(metric or ())
    return _ray.sweep(values({**options, "scenario": scenario}), metrics, out, parts, dict(storage_options or {}), bar("simulating", progress))


def merge(
    *shards: Path,
    metric: Many | None = None,
    controllers: Sequence[type[Controller]] = (),
    out: Path | None = None,
    progress: bool | None = None,
) -> Result:
    """Join the shards of a sweep into its result.

    Parameters
    ----------
    *shards : path
        Results of `sweep` with a `shard`: their directories, or the tables ``runs.parquet`` in them.
    controllers : list of type
        Classes of controllers with which the shards were made.
    metric, out, progress
        See `sweep`.

    Returns
    -------
    Result
        The result that `sweep` would have made on one machine.

    Raises
    ------
    Error
        A shard is missing, belongs to another sweep or program, or differs from another shard: the text names it.
    """
    return carry_out("merging", "merge", locals(), "shards", "controllers")


def _toml(value: str | int | float) -> str:
    import json

    return json.dumps(value)
