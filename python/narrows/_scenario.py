"""Scenarios as data: built, changed and run without a file."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from narrows import _narrows

# Keys whose values name files.
_FILES = ("trace", "controller")


class Scenario:
    """A network and its traffic, with the keys of a scenario file.

    A scenario does not change: `link`, `flow`, `change` and `set` return a new one. Each new scenario
    is checked, with the messages of the program.

    Parameters
    ----------
    **keys
        Keys of the top level of a scenario file, such as ``duration="20 s"``, ``path="lte"`` or
        ``seed=7``. Lists of tables have the names of the file: ``link``, ``flow``, ``change``.

    Raises
    ------
    Error
        A key or a value is not valid. A scenario without flows is checked when it runs.

    Examples
    --------
    >>> from narrows import units as u
    >>> line = nw.Scenario(duration=u.s(20)).link("line", between=("a", "b"), rate=u.mbit_per_s(10), delay=u.ms(20))
    >>> one = line.flow("cubic", source="a", to="b")
    >>> nw.run(one)
    >>> nw.run(one.set("link.line.rate", u.mbit_per_s(50)))
    """

    def __init__(self, **keys: Any) -> None:
        self._data: dict[str, Any] = _plain(keys)
        self._folder = Path.cwd()
        if "flow" in self._data or "icn" in self._data:
            self.check()

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Scenario:
        """Read a scenario file. Files that it names are relative to its folder.

        Raises
        ------
        Error
            The file cannot be read, or is not a scenario.
        """
        path = Path(path)
        try:
            text = path.read_text()
        except (OSError, UnicodeDecodeError) as error:
            raise _narrows.Error(f"the scenario {path} cannot be read: {error}; give the path of a scenario file") from error
        return cls._of(json.loads(_narrows.scenario_data(text)), path.absolute().parent)

    @classmethod
    def parse(cls, text: str) -> Scenario:
        """Read the text of a scenario file.

        Raises
        ------
        Error
            The text is not a scenario.
        """
        return cls._of(json.loads(_narrows.scenario_data(text)), Path.cwd())

    @classmethod
    def _of(cls, data: dict[str, Any], folder: Path) -> Scenario:
        made = cls()
        made._data = _plain(data)
        made._folder = folder
        if "flow" in data or "icn" in data:
            made.check()
        return made

    def _with(self, data: dict[str, Any]) -> Scenario:
        return self._of(data, self._folder)

    @property
    def data(self) -> dict[str, Any]:
        """A copy of the keys and values."""
        return copy.deepcopy(self._data)

    @property
    def toml(self) -> str:
        """The text of the scenario file."""
        return _narrows.scenario_toml(json.dumps(self._data))

    def link(self, name: str, **keys: Any) -> Scenario:
        """Return the scenario with another link.

        Parameters
        ----------
        name : str
            Name of the link.
        **keys
            Keys of a ``[[link]]``: ``between=("a", "b")``, ``rate``, ``delay``, ``buffer``, ``queue``, ``loss``.
        """
        return self._added("link", {"name": name, **keys})

    def flow(self, controller: str, *, source: str | None = None, **keys: Any) -> Scenario:
        """Return the scenario with another flow, or several by ``count``.

        Parameters
        ----------
        controller : str
            Controller with its parameters.
        source : str
            Node of the sender: the key ``from``, which is a word of Python.
        **keys
            Keys of a ``[[flow]]``: ``to``, ``name``, ``start``, ``count``, ``workload``.
        """
        ends = {} if source is None else {"from": source}
        return self._added("flow", {**ends, "controller": controller, **keys})

    def change(self, at: str, **keys: Any) -> Scenario:
        """Return the scenario with a change during the run: ``change("5 s", link="line", rate="2 Mbit/s")``."""
        return self._added("change", {"at": at, **keys})

    def _added(self, key: str, table: dict[str, Any]) -> Scenario:
        data = self.data
        data.setdefault(key, []).append(table)
        return self._with(data)

    def set(self, path: str, value: Any) -> Scenario:
        """Return the scenario with one value changed.

        Parameters
        ----------
        path : str
            Path of the value, as axes of sweeps have it: ``"link.line.rate"``, ``"flow.*.controller"``,
            ``"flow.1.controller?hystart"`` for a parameter.
        value
            The value.
        """
        changed = _narrows.scenario_set(self.toml, path, json.dumps(value))
        return self._with(json.loads(_narrows.scenario_data(changed)))

    def check(self) -> None:
        """Check the scenario.

        Raises
        ------
        Error
            The scenario is not valid: the line of its text, the reason and a remedy.
        """
        _narrows.scenario_check(self._whole().toml)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the scenario file, which gets its name when it is complete.

        Raises
        ------
        OSError
            The file cannot be written.
        """
        _narrows.write(Path(path), self.toml.encode())

    def _whole(self) -> Scenario:
        """The scenario with absolute paths of the files that it names."""
        made = Scenario()
        made._data = _absolute(self._data, self._folder)
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scenario) and self._data == other._data

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return self.toml.rstrip()


def _plain(data: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of the data in lists, dictionaries, texts and numbers alone."""
    plain: dict[str, Any] = json.loads(json.dumps(data))
    return plain


def _absolute(value: Any, folder: Path, key: str = "") -> Any:
    if isinstance(value, Mapping):
        return {own: _absolute(inner, folder, own) for own, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_absolute(inner, folder, key) for inner in value]
    if isinstance(value, str) and key in _FILES and (key == "trace" or value.startswith(("./", "../"))):
        return str(folder / value)
    return value
