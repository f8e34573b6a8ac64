"""The source distribution, from which pip and other tools build wheels."""

import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest


def read_by_the_build(library, root):
    """Returns the files below `root` that cargo read to build the package's library, from cargo's own list of sources and files of build scripts."""
    _, needed = library.read_text().split(": ", 1)
    paths = [Path(os.path.normpath(path.replace("\\ ", " "))) for path in re.split(r"(?<!\\)\s+", needed.strip())]
    # The output of build scripts is beside the library.
    own = [path for path in paths if path.is_relative_to(root) and not path.is_relative_to(library.parent) and not path.is_dir()]
    return {path.relative_to(root).as_posix() for path in own}


def test_the_source_distribution_has_every_file_that_the_build_reads(root, place):
    library = Path(os.environ.get("NARROWS_PROGRAM", root / "target/debug/narrows")).with_name("lib_narrows.d")
    if not library.exists():
        pytest.skip(f"{library} is not there: cargo build -p narrows-python")
    needed = read_by_the_build(library, root)
    assert {"python/src/lib.rs", "crates/kernel/build.rs", "scenarios/paths/lte.toml", "papers/allegro/paper.toml"} <= needed
    maturin = Path(sys.executable).with_name("maturin")
    subprocess.run([maturin, "sdist", "--manifest-path", root / "python/Cargo.toml", "--out", place], check=True, capture_output=True)
    (made,) = place.glob("narrows-*.tar.gz")
    with tarfile.open(made) as archive:
        held = {name.split("/", 1)[1] for name in archive.getnames()}
    assert sorted(needed - held) == [], "name these in `include` of [tool.maturin] in pyproject.toml"
    assert {"pyproject.toml", "Cargo.lock", "python/README.md", "LICENSE-MIT", "LICENSE-APACHE"} <= held
