#!/usr/bin/env python3
"""Tests whether verdicts depend on the seeds.

Checks controllers with ten disjoint sets of seeds, and counts the verdicts of each criterion.

    ci/stability.py PROGRAM [--times 10] [--only ID,ID] [CONTROLLER ...]

Prints the criteria whose verdict varies. Exits with 1 if a criterion passes with some seeds and fails
with others.
"""

import argparse
import collections
import json
import subprocess
import sys
import tempfile

# Different repetitions use different first seeds and different fresh seeds (1001 to 1030 later).
STEP = 2000


def verdicts(program: str, controller: str, seed: int, only: list[str]) -> dict[str, str]:
    """Returns the verdict of each criterion in a quick check that begins with this seed."""
    with tempfile.TemporaryDirectory() as out:
        command = [program, "check", controller, "--quick", "--quiet", "--json", "--seed", str(seed), "--out", out + "/check", *only]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    return {criterion["id"]: criterion["verdict"] for criterion in json.loads(done.stdout)["criteria"]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("controllers", nargs="*", metavar="CONTROLLER")
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--only", metavar="ID,ID", help="only these criteria")
    arguments = parser.parse_intermixed_args()
    crossed = False
    only = ["--only", arguments.only] if arguments.only else []
    for controller in arguments.controllers or ["newreno", "cubic", "bbr", "bbr3", "pcc-vivace", "scalable"]:
        counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
        for time in range(arguments.times):
            for criterion, verdict in verdicts(arguments.program, controller, 1 + STEP * time, only).items():
                counts[criterion][verdict] += 1
        same = [criterion for criterion, count in counts.items() if len(count) == 1]
        print(f"{controller}: {len(same)} of {len(counts)} verdicts are the same {arguments.times} times", flush=True)
        for criterion, count in counts.items():
            if len(count) > 1:
                print(f"  {criterion}: " + ", ".join(f"{verdict} {times}" for verdict, times in count.most_common()), flush=True)
            crossed |= count["pass"] > 0 and count["fail"] > 0
    return 1 if crossed else 0


if __name__ == "__main__":
    sys.exit(main())
