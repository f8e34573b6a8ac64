"""Result directories and what is in them."""

from __future__ import annotations

import base64
import html
import json
import os
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrows import _narrows

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow  # type: ignore[import-untyped]


class Table:
    """A table of a result.

    Takes part in the Arrow PyCapsule interface: ``polars.DataFrame(table)``, ``pyarrow.table(table)`` and DuckDB read it, and share its
    memory. ``docs/results.md`` says which columns there are, with their units. A pickle names the result directory, and the table is
    read from there again.
    """

    def __init__(self, name: str, table: _narrows.Table, directory: Path) -> None:
        self._name = name
        self._table = table
        self._path = directory

    def __reduce__(self) -> tuple[Callable[[Path, str], Table], tuple[Path, str]]:
        return _table, (self._path, self._name)

    @property
    def name(self) -> str:
        """Its name: ``flows``."""
        return self._name

    @property
    def columns(self) -> list[str]:
        """The names of its columns."""
        return self._table.columns

    def __len__(self) -> int:
        """The number of its rows."""
        return len(self._table)

    def __repr__(self) -> str:
        return f"<table {self._name}: {len(self)} rows of {', '.join(self.columns)}>"

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand out a stream of record batches, as the Arrow PyCapsule interface has it. `requested_schema` is not followed."""
        return self._table.__arrow_c_stream__(requested_schema)

    def to_polars(self) -> polars.DataFrame:
        """Make a frame of polars, which shares the memory of numbers."""
        import polars

        return polars.DataFrame(self)

    def to_arrow(self) -> pyarrow.Table:
        """Make a table of pyarrow, which shares the memory."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """Make a frame of pandas, which copies. Needs pyarrow as well."""
        frame: pandas.DataFrame = self.to_arrow().to_pandas()
        return frame


class Figure:
    """A figure of a result, drawn by Narrows as in its report. A notebook shows it. A pickle names the result directory."""

    def __init__(self, drawing: _narrows.Drawing, directory: Path) -> None:
        self._drawing = drawing
        self._path = directory
        self._svg: str | None = None
        self._png: bytes | None = None

    def __reduce__(self) -> tuple[Callable[[Path, str], Figure], tuple[Path, str]]:
        return _figure, (self._path, self.name)

    @property
    def name(self) -> str:
        """Its name: ``round-trip``."""
        return self._drawing.name

    @property
    def title(self) -> str:
        """Its title."""
        return self._drawing.title

    @property
    def svg(self) -> str:
        """It as SVG, drawn when it is first asked for."""
        if self._svg is None:
            self._svg = self._drawing.svg()
        return self._svg

    @property
    def png(self) -> bytes:
        """It as PNG, of 1800 pixels in width, drawn when it is first asked for.

        Raises
        ------
        ValueError
            It is too large for a PNG.
        """
        if self._png is None:
            self._png = self._drawing.png()
        if self._png is None:
            raise ValueError(f"the figure {self.name} is too large for a PNG; take its svg")
        return self._png

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it into a file that ends in ``.svg`` or ``.png``. The file gets its name when it is complete.

        Raises
        ------
        ValueError
            The name ends otherwise, or the figure is too large for a PNG.
        OSError
            The file cannot be written. A file of this name stays as it was.
        """
        path = Path(path)
        if path.suffix == ".svg":
            _narrows.write(path, self.svg.encode())
        elif path.suffix == ".png":
            _narrows.write(path, self.png)
        else:
            raise ValueError(f"{path}: a figure is written as .svg or .png; give the file one of these names")

    def __repr__(self) -> str:
        return f"<figure {self.name}: {self.title}>"

    def _repr_html_(self) -> str:
        # As a picture: the names that drawings use within would meet on one page.
        data = base64.b64encode(self.svg.encode()).decode()
        return f'<img alt="{html.escape(self.title)}" style="max-width: 100%" src="data:image/svg+xml;base64,{data}">'


class Result:
    """The result of a command: a directory of tables, JSON and a report.

    Everything is read when it is asked for. Tables are attributes as well: ``result.flows`` is ``result.table("flows")``. A pickle names
    the directory, which is opened again.

    Parameters
    ----------
    directory : path
        The result directory of any command of Narrows.

    Raises
    ------
    Error
        It is none, or one of its files is not as it was written.
    """

    def __init__(self, directory: str | os.PathLike[str], status: int = 0, text: str | None = None) -> None:
        self._path = Path(directory)
        self._directory = _narrows.Directory(self._path)
        self._status = status
        self._text = text

    def __reduce__(self) -> tuple[type[Result], tuple[Path, int, str | None]]:
        return type(self), (self._path.absolute(), self._status, self._text)

    @property
    def directory(self) -> Path:
        """Where it is."""
        return self._path

    @property
    def report(self) -> Path:
        """The report, a page that opens in any browser without a network."""
        return self._path / "report.html"

    @property
    def met(self) -> bool:
        """False if an expectation of the scenario was missed, a claim of a paper turned out otherwise than its file says, or a check failed."""
        return self._status != 1

    @property
    def valid(self) -> bool:
        """False if the host distorted a live run."""
        return self._status != 3

    @property
    def text(self) -> str:
        """The table for people, as the program prints it."""
        if self._text is None:
            self._text = self._directory.text()
        return self._text

    @property
    def summary(self) -> Any:
        """What ``summary.json`` says: the metrics of each case, with values and intervals; of a check what ``check.json`` says."""
        name = "check.json" if (self._path / "check.json").exists() else "summary.json"
        return json.loads(self._directory.read(name))

    @property
    def run(self) -> Any:
        """What ``run.json`` says: version, host, time and inputs."""
        return json.loads((self._path / "run.json").read_bytes())

    @property
    def tables(self) -> list[str]:
        """The names of its tables."""
        return self._directory.tables()

    def table(self, name: str) -> Table:
        """One of its tables.

        Raises
        ------
        KeyError
            There is none of this name.
        """
        return Table(name, self._directory.table(name), self._path.absolute())

    def __getattr__(self, name: str) -> Table:
        if not name.startswith("_") and name in self.tables:
            return self.table(name)
        raise AttributeError(f"a result has no {name}; its tables are {', '.join(self.tables)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.tables]

    @property
    def figures(self) -> dict[str, str]:
        """Name and title of each figure."""
        return {name: figure.title for name, figure in self._drawn.items()}

    @cached_property
    def _drawn(self) -> dict[str, Figure]:
        return {drawing.name: Figure(drawing, self._path.absolute()) for drawing in self._directory.figures()}

    def figure(self, name: str) -> Figure:
        """One of its figures.

        Raises
        ------
        KeyError
            There is none of this name.
        """
        if name not in self._drawn:
            raise KeyError(f"this result has no figure {name!r}; it has {', '.join(self._drawn)}")
        return self._drawn[name]

    def __repr__(self) -> str:
        return self.text.rstrip()

    def _repr_html_(self) -> str:
        figures = "".join(figure._repr_html_() for figure in self._drawn.values())
        return f"<pre>{html.escape(self.text.rstrip())}</pre>{figures}"


def _table(directory: Path, name: str) -> Table:
    return Result(directory).table(name)


def _figure(directory: Path, name: str) -> Figure:
    return Result(directory).figure(name)


def open(directory: str | os.PathLike[str]) -> Result:
    """Open the result directory of any command of Narrows.

    Raises
    ------
    Error
        It is none, or one of its files is not as it was written.
    """
    return Result(directory)
