"""How a function carries out a request, and the types of its options."""

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
    """Return what JSON has for a path, a number of NumPy, a quantity or a sequence."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    return list(value) if isinstance(value, Sequence) else str(value)


def _file(value: object, folder: str) -> object:
    """Return the value, for a scenario as data the path of a file in the folder."""
    if not isinstance(value, Scenario):
        return value
    path = os.path.join(folder, f"{value.data.get('name', 'scenario')}.toml".replace("/", "-"))
    value._whole().save(path)
    return path


def carry_out(verb: str, command: str, given: Mapping[str, Any], named: str = "", classes: str = "") -> Result:
    """Carry out a request whose values are the arguments of a function, by the same names.

    Parameters
    ----------
    verb : str
        The word beside the bar.
    command : str
        The command of the program that makes such a request.
    given : mapping
        The function's arguments: its ``locals()``, before anything else is in them.
    named : str
        The argument whose scenarios become files, one or several. None by default.
    classes : str
        The argument that has classes of controllers among it, or only such. None by default.
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
    """Return the value, for scenarios as data the paths of files in the folder."""
    return [_file(one, folder) for one in value] if isinstance(value, list) else _file(value, folder)
