"""Prints the parts of the program as CycloneDX 1.5 (JSON), from Cargo.lock and cargo metadata.

The list has the packages of a program for Linux, their licences and their checksums. The output
depends only on the lock file.
"""

import json
import subprocess
import tomllib
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLATFORM = "x86_64-unknown-linux-gnu"
PROGRAM = "narrows"


def metadata() -> dict:
    words = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", PLATFORM,
             "--features", "narrows/bpf"]
    return json.loads(subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    lock_text = (ROOT / "Cargo.lock").read_text()
    lock = {(p["name"], p["version"]): p.get("checksum") for p in tomllib.loads(lock_text)["package"]}
    data = metadata()
    packages = {p["id"]: p for p in data["packages"]}
    nodes = {n["id"]: n for n in data["resolve"]["nodes"]}
    root = next(p for p in packages.values() if p["name"] == PROGRAM and p["source"] is None)

    def needs(package: str) -> list[str]:
        """Returns the packages that are built into this one or build it, without its tests' packages."""
        kinds = [(d["pkg"], {k["kind"] for k in d["dep_kinds"]}) for d in nodes[package]["deps"]]
        return sorted(found for found, kind in kinds if kind & {None, "build"})

    reached, waiting = set(), [root["id"]]
    while waiting:
        one = waiting.pop()
        if one not in reached:
            reached.add(one)
            waiting += needs(one)

    def reference(package: str) -> str:
        return f"pkg:cargo/{packages[package]['name']}@{packages[package]['version']}"

    def component(package: dict) -> dict:
        made = {
            "type": "application" if package is root else "library",
            "bom-ref": reference(package["id"]),
            "name": package["name"],
            "version": package["version"],
            "purl": reference(package["id"]),
        }
        if package["license"]:
            made["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
        if checksum := lock.get((package["name"], package["version"])):
            made["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        return made

    others = sorted(reached - {root["id"]}, key=reference)
    print(json.dumps({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, lock_text)}",
        "version": 1,
        "metadata": {"component": component(root)},
        "components": [component(packages[one]) for one in others],
        "dependencies": [{"ref": reference(one), "dependsOn": [reference(n) for n in needs(one)]}
                         for one in sorted(reached, key=reference)],
    }, indent=1))


if __name__ == "__main__":
    main()
