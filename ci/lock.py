"""Checks Cargo.lock: no package is yanked, and several versions of a package need a reason.

It reads the index that cargo keeps beside its downloads, so run `cargo fetch --locked` first. Exit
status 1 names what is wrong. Licences are checked by the test of THIRD-PARTY.txt. Advisories on
vulnerabilities are not in the index: `cargo audit` or `cargo deny` read their database.
"""

import json
import os
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Packages with several versions, each with the dependency that keeps the older one.
SEVERAL = {
    "getrandom": "ahash of parquet",
    "hashbrown": "parquet",
    "miniz_oxide": "png",
    "r-efi": "getrandom, for other systems",
    "syn": "pcap-file by derive-into-owned; prost, noq and curve25519-dalek",
    "thiserror": "pcap-file",
    "thiserror-impl": "pcap-file",
    "windows-sys": "rustix and others, for other systems",
}


def index_file(name: str) -> str:
    """Returns the file of a package in the index: https://doc.rust-lang.org/cargo/reference/registry-index.html."""
    folder = {1: "1", 2: "2", 3: f"3/{name[0]}"}.get(len(name), f"{name[:2]}/{name[2:4]}")
    return f"{folder}/{name}"


def yanked(name: str, indexes: list[Path]) -> dict[str, bool] | None:
    """Returns, for each version, whether it is yanked; None if cargo has not fetched the package."""
    for index in indexes:
        file = index / ".cache" / index_file(name.lower())
        if file.exists():
            lines = [part for part in file.read_bytes().split(b"\0") if part.startswith(b"{")]
            return {own["vers"]: own["yanked"] for own in map(json.loads, lines)}
    return None


def main() -> int:
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    indexes = sorted((home / "registry" / "index").glob("*"))
    versions, wrong, unknown = defaultdict(set), [], []
    for package in lock:
        name, version = package["name"], package["version"]
        versions[name].add(version)
        if "registry" not in package.get("source", ""):
            continue
        known = yanked(name, indexes)
        if known is None or version not in known:
            unknown.append(f"{name} {version}")
        elif known[version]:
            wrong.append(f"{name} {version} is yanked: cargo update -p {name}")
    for name, own in sorted(versions.items()):
        if len(own) > 1 and name not in SEVERAL:
            wrong.append(f"{name} stands in versions {', '.join(sorted(own))}: unite them, or give the reason in ci/lock.py")
    wrong += [f"{name} stands in one version: take it off the list in ci/lock.py" for name in SEVERAL if len(versions[name]) < 2]
    if unknown:
        print(f"not asked for by cargo, so not checked: {', '.join(unknown)}", file=sys.stderr)
    print("\n".join(wrong) or f"{len(lock)} packages, none yanked")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
