"""Execution of requests, and the types of their options."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from narrows import _narrows
from narrows._controllers import chosen
from narrows._progress import bar
from narrows._results import Result
from narrows._scenario import Scenario

_narrows.is_in(_narrows.__file__)

Path = str | os.PathLike[str]
# A scenario file, or a scenario as data.
Network = Path | Scenario
# A quantity with its unit, as on the command line: "50 Mbit/s", "30 ms", "1.5 bdp", "1 %".
Quantity = str
Many = str | Sequence[str]


def values(given: Mapping[str, object]) -> str:
    """Return the values of a request as JSON."""
    try:
        return json.dumps(dict(given), default=_plain, allow_nan=False)
    except ValueError as error:
        raise _narrows.Error(f"an option is no finite number: {error}") from None


def _plain(value: object) -> object:
    """Convert a path, a number of NumPy, a quantity or a sequence to a type of JSON."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    return list(value) if isinstance(value, Sequence) else str(value)


def _file(value: object, folder: str) -> object:
    """Return the value. A scenario as data is written to a file in the folder, and its path returned."""
    if not isinstance(value, Scenario):
        return value
    path = os.path.join(folder, f"{value.data.get('name', 'scenario')}.toml".replace("/", "-"))
    value._whole().save(path)
    return path


def carry_out(verb: str, command: str, given: Mapping[str, Any], named: str = "", classes: str = "") -> Result:
    """Carry out a request with the arguments of a function, which have the same names.

    Parameters
    ----------
    verb : str
        Word beside the progress bar.
    command : str
        Command of the program for this request.
    given : mapping
        Arguments of the function: its ``locals()``, before it has other variables.
    named : str
        Argument with one or several scenarios, which become files. None by default.
    classes : str
        Argument that may contain classes of controllers. None by default.
    """
    names, own = chosen(given[classes] if classes else ())
    options = {name: value for name, value in given.items() if name not in (named, classes, "progress")}
    if named:
        listed = names if named == classes else given[named]
        options[named] = [listed] if isinstance(listed, (str, os.PathLike, Scenario)) else list(listed)
    shown = bar(verb, given["progress"])
    with tempfile.TemporaryDirectory(prefix="narrows-") as folder:
        options = {name: _filed(value, folder) for name, value in options.items()}
        try:
            status, text, directory = _narrows.carry_out(command, values(options), own, shown)
        finally:
            if shown is not None:
                shown.end()
    assert directory is not None, "a request that makes a result tells where"
    return Result(directory, status, text)


def _filed(value: object, folder: str) -> object:
    """Return the value. Scenarios as data are written to files in the folder, and their paths returned."""
    return [_file(one, folder) for one in value] if isinstance(value, list) else _file(value, folder)
