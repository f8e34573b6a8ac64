"""How a function carries out a command of the program, and the types of its options."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
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


def _text(value: object) -> str:
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def words(command: str, named: Iterable[object], options: Mapping[str, object]) -> list[str]:
    """The command line of a command with what has no flag and with its options, by their names in Python."""
    told = ["narrows", *command.split(), "--quiet"]
    # Behind "--" the words of these are a program's.
    if command in ("check", "live"):
        told.extend(map(_text, named))
        named = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            told.append(flag)
        elif isinstance(value, Sequence) and not isinstance(value, str):
            told.extend(f"{flag}={_text(one)}" for one in value)
        else:
            told.append(f"{flag}={_text(value)}")
    return [*told, "--", *map(_text, named)] if named else told


def _file(value: object, folder: str) -> object:
    """Return the value, for a scenario as data the path of a file in the folder."""
    if not isinstance(value, Scenario):
        return value
    path = os.path.join(folder, f"{value.data.get('name', 'scenario')}.toml".replace("/", "-"))
    value._whole().save(path)
    return path


def carry_out(verb: str, command: str, given: Mapping[str, Any], named: str = "", classes: str = "") -> Result:
    """Carry out a command of the program for a function whose arguments are its options, by the same names.

    Parameters
    ----------
    verb : str
        The word beside the bar.
    command : str
        The command's name.
    given : mapping
        The function's arguments: its ``locals()``, before anything else is in them.
    named : str
        The argument of what has no flag, one or several. None by default.
    classes : str
        The argument that has classes of controllers among it, or only such. None by default.
    """
    names, own = chosen(given[classes] if classes else ())
    listed = names if named == classes else given[named]
    if isinstance(listed, (str, os.PathLike, Scenario)):
        listed = [listed]
    options = {name: value for name, value in given.items() if name not in (named, classes, "progress")}
    shown = bar(verb, given["progress"])
    with tempfile.TemporaryDirectory(prefix="narrows-") as folder:
        listed = [_file(value, folder) for value in listed]
        options = {name: _file(value, folder) for name, value in options.items()}
        try:
            status, text, directory = _narrows.carry_out(words(command, listed, options), own, shown)
        finally:
            if shown is not None:
                shown.end()
    assert directory is not None, "a command that makes a result tells where"
    return Result(directory, status, text)
