"""The program with which the package is compared, and a directory for each test."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """Runs each test in a directory of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def program():
    """Runs the program narrows with these words, and returns what it printed."""
    path = Path(os.environ.get("NARROWS_PROGRAM", ROOT / "target/debug/narrows"))
    if not path.exists():
        pytest.skip(f"{path} is not built: cargo build -p narrows, or name the program in NARROWS_PROGRAM")

    def run(*words):
        return subprocess.run([path, *words], check=True, stdout=subprocess.PIPE, text=True).stdout

    return run


@pytest.fixture
def root():
    """Root of the repository."""
    return ROOT
