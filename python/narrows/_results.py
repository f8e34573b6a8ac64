"""Result directories, their tables and figures."""

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

    It supports the Arrow PyCapsule interface: ``polars.DataFrame(table)``, ``pyarrow.table(table)``
    and DuckDB read the table and share its memory. ``docs/reference/results.md`` lists the columns with their
    units. A pickle has the path of the result directory, from which the table is read again.
    """

    def __init__(self, name: str, table: _narrows.Table, directory: Path) -> None:
        self._name = name
        self._table = table
        self._path = directory

    def __reduce__(self) -> tuple[Callable[[Path, str], Table], tuple[Path, str]]:
        return _table, (self._path, self._name)

    @property
    def name(self) -> str:
        """The name, such as ``flows``."""
        return self._name

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._table.columns

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._table)

    def __repr__(self) -> str:
        return f"<table {self._name}: {len(self)} rows of {', '.join(self.columns)}>"

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Export a stream of record batches (Arrow PyCapsule interface). Ignores `requested_schema`."""
        return self._table.__arrow_c_stream__(requested_schema)

    def to_polars(self) -> polars.DataFrame:
        """Make a polars frame, which shares the memory of numeric columns."""
        import polars

        return polars.DataFrame(self)

    def to_arrow(self) -> pyarrow.Table:
        """Make a pyarrow table, which shares the memory."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """Make a pandas frame, which copies the data. Needs pyarrow as well."""
        frame: pandas.DataFrame = self.to_arrow().to_pandas()
        return frame


class Figure:
    """A figure of a result, drawn as in its report.

    Notebooks display it. A pickle has the path of the result directory.
    """

    def __init__(self, drawing: _narrows.Drawing, directory: Path) -> None:
        self._drawing = drawing
        self._path = directory
        self._svg: str | None = None
        self._png: bytes | None = None

    def __reduce__(self) -> tuple[Callable[[Path, str], Figure], tuple[Path, str]]:
        return _figure, (self._path, self.name)

    @property
    def name(self) -> str:
        """The name, such as ``round-trip``."""
        return self._drawing.name

    @property
    def title(self) -> str:
        """The title."""
        return self._drawing.title

    @property
    def svg(self) -> str:
        """The figure as SVG, drawn at the first access."""
        if self._svg is None:
            self._svg = self._drawing.svg()
        return self._svg

    @property
    def png(self) -> bytes:
        """The figure as PNG, 1800 pixels wide, drawn at the first access.

        Raises
        ------
        ValueError
            The figure is too large for a PNG.
        """
        if self._png is None:
            self._png = self._drawing.png()
        if self._png is None:
            raise ValueError(f"the figure {self.name} is too large for a PNG; take its svg")
        return self._png

    def save(self, path: str | os.PathLike[str], *, width: float | None = None) -> None:
        """Write the figure to a ``.svg``, ``.png`` or ``.pdf`` file, which gets its name when it is complete.

        Parameters
        ----------
        path : path
            The file.
        width : float
            Width in millimetres, as in a paper: without title and caption, text of 8 points. By default the figure is drawn
            for the screen.

        Raises
        ------
        ValueError
            The name has another ending, or the figure is too large for a PNG.
        OSError
            The file cannot be written. An older file of this name is unchanged.
        """
        path = Path(path)
        if path.suffix == ".svg":
            content = self._drawing.svg(width).encode()
        elif path.suffix == ".pdf":
            content = self._drawing.pdf(width)
        elif path.suffix == ".png":
            pixels = self._drawing.png(width)
            if pixels is None:
                raise ValueError(f"the figure {self.name} is too large for a PNG; take its svg")
            content = pixels
        else:
            raise ValueError(f"{path}: a figure is written as .svg, .png or .pdf; give the file one of these names")
        _narrows.write(path, content)

    def __repr__(self) -> str:
        return f"<figure {self.name}: {self.title}>"

    def _repr_html_(self) -> str:
        # An <img> element, because inline drawings on one page would share the names in their SVG.
        data = base64.b64encode(self.svg.encode()).decode()
        return f'<img alt="{html.escape(self.title)}" style="max-width: 100%" src="data:image/svg+xml;base64,{data}">'


class Result:
    """The result of a command: a directory of tables, JSON and a report.

    Parts are read at the first access. Tables are attributes as well: ``result.flows`` is
    ``result.table("flows")``. A pickle has the path of the directory, which is opened again.

    Parameters
    ----------
    directory : path
        The result directory of any command of Narrows.

    Raises
    ------
    Error
        The directory is not a result, or one of its files has changed.
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
        """The path of the directory."""
        return self._path

    @property
    def report(self) -> Path:
        """The path of the report, a page that browsers open without network access."""
        return self._path / "report.html"

    @property
    def met(self) -> bool:
        """False if the result differs from what was expected.

        Examples are a missed expectation of a scenario, a claim of a paper with another verdict than
        in its file, and a failed check.
        """
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
        """The content of ``summary.json``: the metrics of each case, with values and confidence intervals. For a check, that of ``check.json``."""
        name = "check.json" if (self._path / "check.json").exists() else "summary.json"
        return json.loads(self._directory.read(name))

    @property
    def run(self) -> Any:
        """The content of ``run.json``: version, host, time and inputs."""
        return json.loads((self._path / "run.json").read_bytes())

    @property
    def tables(self) -> list[str]:
        """The names of the tables."""
        return self._directory.tables()

    def table(self, name: str) -> Table:
        """Return a table.

        Raises
        ------
        KeyError
            No table has this name.
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
        """The names of the figures, with their titles."""
        return {name: figure.title for name, figure in self._drawn.items()}

    @cached_property
    def _drawn(self) -> dict[str, Figure]:
        return {drawing.name: Figure(drawing, self._path.absolute()) for drawing in self._directory.figures()}

    def figure(self, name: str) -> Figure:
        """Return a figure.

        Raises
        ------
        KeyError
            No figure has this name.
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
        The directory is not a result, or one of its files has changed.
    """
    return Result(directory)
