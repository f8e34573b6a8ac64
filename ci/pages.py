#!/usr/bin/env python3
"""Keeps the links of pages in packages whole.

pages.py copy FOLDER   copies README.md and all that it leads to, link by link, into FOLDER
pages.py check FOLDER  names the links between pages in FOLDER that lead nowhere; then exits with 1
"""

import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# No page needs to link to these.
ALWAYS = ["README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY.txt", "scenarios",
          "examples/bpf", "examples/deploy"]


def links(page: Path) -> list[Path]:
    """Returns the files and folders to which a page links, without links to other sites."""
    targets = (target.split("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()) if "://" not in target)
    return [(page.parent / target).resolve() for target in targets if target]


def reached() -> set[Path]:
    """Returns the files that a package contains."""
    waiting, found = [ROOT / name for name in ALWAYS], set()
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        if path.is_dir():
            waiting += path.iterdir()
        elif path.suffix == ".md":
            waiting += links(path)
    return {path for path in found if path.is_file()}


def copy(folder: Path) -> None:
    for path in sorted(reached()):
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def check(folder: Path) -> int:
    folder = folder.resolve()
    pages = sorted(folder.rglob("*.md"))
    if not pages:
        print(f"{folder}: no page", file=sys.stderr)
    dead = [(page, target) for page in pages for target in links(page) if not target.exists() or not target.is_relative_to(folder)]
    for page, target in dead:
        print(f"{page} links to {target}, which is not there", file=sys.stderr)
    return 1 if dead or not pages else 0


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["copy", folder]:
            copy(Path(folder))
        case ["check", folder]:
            sys.exit(check(Path(folder)))
        case _:
            sys.exit(__doc__)
