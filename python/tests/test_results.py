"""Results: tables as frames without copies, figures, and their descriptions."""

import hashlib
import pickle
import re
import resource
from pathlib import Path

import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

import narrows as nw


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return nw.compare("cubic", "bbr", duration="5 s", seeds=2, out=tmp_path_factory.mktemp("results") / "out")


def test_tables_are_those_of_the_files(result):
    assert result.tables == sorted(path.stem for path in result.directory.glob("*.parquet"))
    for name in result.tables:
        table = result.table(name)
        expected = pyarrow.parquet.read_table(result.directory / f"{name}.parquet")
        assert table.to_arrow().equals(expected.cast(table.to_arrow().schema)) and len(table) == expected.num_rows
        assert table.columns == expected.column_names
    assert result.flows.to_polars().equals(polars.read_parquet(result.directory / "flows.parquet"))
    assert result.flows.to_pandas().equals(pandas.read_parquet(result.directory / "flows.parquet"))
    assert repr(result.flows).startswith("<table flows: 8 rows of case, seed, flow")
    assert "flow_samples" in dir(result)


def addresses(table):
    """Returns the addresses of the values of a column of floats, for each chunk."""
    return [chunk.buffers()[1].address for chunk in table.column("goodput_mbps").chunks]


def test_frames_share_the_memory_of_the_table(result):
    table = result.flow_samples
    ours = addresses(table.to_arrow())
    assert ours == addresses(table.to_arrow())
    frame = table.to_polars()
    series = frame["goodput_mbps"]
    assert [chunk.to_arrow().buffers()[1].address for chunk in series.get_chunks()] == ours


def test_a_million_rows_become_a_frame_without_a_copy(result, tmp_path):
    rows = 1_000_000
    columns = {"number": pyarrow.array(range(rows), pyarrow.int64()), "value": pyarrow.array([0.5 * row for row in range(rows)], pyarrow.float64())}
    large = tmp_path / "large"
    large.mkdir()
    pyarrow.parquet.write_table(pyarrow.table(columns), large / "rows.parquet")
    digest = hashlib.sha256((large / "rows.parquet").read_bytes()).hexdigest()
    (large / "SHA256SUMS").write_text(f"{digest}  rows.parquet\n")
    table = nw.open(large).table("rows")
    assert len(table) == rows
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    shared = table.to_arrow()
    frame = table.to_polars()
    for name in columns:
        ours = [(chunk.buffers()[1].address, len(chunk)) for chunk in shared.column(name).chunks]
        theirs = [(chunk.to_arrow().buffers()[1].address, len(chunk)) for chunk in frame[name].get_chunks()]
        assert theirs == ours and sum(length for _, length in ours) == rows
    # Both took less than half of the 16 MB that a copy would take.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 8_000
    assert frame["value"][-1] == 0.5 * (rows - 1) and frame["number"].sum() == rows * (rows - 1) // 2


def test_figures_are_those_of_the_report(result):
    assert result.figures["round-trip"] == "Round trip, ms"
    figure = result.figure("round-trip")
    assert figure.svg.startswith("<svg") and figure.png.startswith(b"\x89PNG") and figure.title == "Round trip, ms"
    figure.save("figure.svg")
    figure.save("figure.png")
    figure.save("figure.pdf", width=85)
    assert Path("figure.pdf").read_bytes().startswith(b"%PDF-")
    assert Path("figure.svg").read_text() == figure.svg and Path("figure.png").read_bytes() == figure.png
    with pytest.raises(ValueError, match="as .svg, .png or .pdf"):
        figure.save("figure.gif")
    html = result._repr_html_()
    assert html.startswith("<pre>cubic and bbr compared") and html.count("<img alt=") == len(result.figures)


def test_what_is_not_there_is_named(result):
    with pytest.raises(KeyError, match="this result has no table \\\\?\"flow\\\\?\"; it has changes, flow_samples, flows"):
        result.table("flow")
    with pytest.raises(AttributeError, match="a result has no flow; its tables are changes, flow_samples"):
        result.flow
    with pytest.raises(KeyError, match="no figure"):
        result.figure("window")


def test_a_changed_file_is_refused(result, tmp_path):
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in result.directory.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    with open(copy / "flows.parquet", "ab") as file:
        file.write(b"x")
    with pytest.raises(nw.Error, match="flows.parquet is damaged .* its SHA-256 is not the one in SHA256SUMS"):
        nw.open(copy)


def test_json_is_read_when_asked_for(result):
    assert [case["label"] for case in result.summary["cases"]] == ["cubic", "bbr"]
    assert result.run["narrows"] and result.report.read_text().startswith("<!DOCTYPE html>")


def test_no_column_is_unsigned_and_differences_of_counters_can_be_negative(result, root):
    icn = (root / "scenarios/icn.toml").read_text().replace("30 s", "1 s").replace("15 s", "100 ms").replace("10 s", "200 ms")
    Path("icn.toml").write_text(icn)
    sweep = (root / "scenarios/buffer-sweep.toml").read_text()
    Path("sweep.toml").write_text(re.sub('duration = ".*"', 'duration = "4 s"', re.sub("warmup = .*", "", sweep), count=1))
    others = [
        nw.run("icn.toml", out="icn", progress=False),
        nw.sweep("sweep.toml", out="sweep", progress=False),
        nw.matrix("cubic", "bbr", duration="2 s", out="matrix", progress=False),
    ]
    kinds = {}
    for one in (result, *others):
        for name in one.tables:
            for schema in (one.table(name).to_arrow().schema, pyarrow.parquet.read_schema(one.directory / f"{name}.parquet")):
                kinds.update({(name, field.name): str(field.type) for field in schema})
    assert {kind for kind in kinds.values()} == {"bool", "double", "int64", "string"}
    for frame in (result.flows.to_pandas(), pandas.read_parquet(result.directory / "flows.parquet")):
        sent = frame["total_sent_packets"]
        assert sent.min() - sent.max() == -(int(sent.max()) - int(sent.min())) < 0
        assert sent.sort_values(ascending=False).diff().dropna().le(0).all()


def test_results_tables_and_figures_pickle(result):
    copy = pickle.loads(pickle.dumps(result))
    assert copy.text == result.text and copy.directory == result.directory.absolute() and copy.met == result.met
    assert pickle.loads(pickle.dumps(result.flows)).to_arrow().equals(result.flows.to_arrow())
    figure = result.figure("round-trip")
    assert pickle.loads(pickle.dumps(figure)).svg == figure.svg
