#!/usr/bin/env python3
"""The effect on completion of giving BBR to all connections in place of CUBIC, in the simulator, by the mean of logarithms within classes of size:

contrib/deploy/truth.py [--seconds 310] [--seeds 6] [--load "80 %"] [--buffer "1 bdp"] [--transport "unpaced_start = 0"]...

Each --transport is a line of the scenario's [transport]. NARROWS names the program."""
import argparse
import csv
import math
import os
import statistics
import subprocess
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("--seconds", type=int, default=310)
parser.add_argument("--seeds", type=int, default=6)
parser.add_argument("--load", default="80 %")
parser.add_argument("--buffer", default="1 bdp")
parser.add_argument("--transport", action="append", default=[])
own = parser.parse_args()
narrows = os.environ.get("NARROWS", "narrows")
SCENARIO = """
duration = "{seconds} s"
warmup = "10 s"
[[link]]
name = "bottleneck"
between = ["server", "clients"]
rate = "50 Mbit/s"
delay = "20 ms"
buffer = "{buffer}"
[[flow]]
name = "downloads"
from = "server"
to = "clients"
controller = "{controller}"
stream = "downloads"
workload = {{ load = "{load}", sizes = "web-search" }}
[transport]
{transport}
"""


def transfers(controller, folder):
    """Seed, start in seconds, size in bytes and completion in seconds of each transfer."""
    place = os.path.join(folder, controller)
    with open(place + ".toml", "w") as file:
        text = SCENARIO.format(**vars(own) | {"transport": "\n".join(own.transport)}, controller=controller)
        file.write(text)
    run = [narrows, "run", place + ".toml", "--seeds", str(own.seeds), "--quiet", "--out", place]
    subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
    subprocess.run([narrows, "export", place], check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(place, "csv", "transfers.csv")) as file:
        rows = list(csv.DictReader(file))
    keys = ["seed", "start_s", "size_bytes", "completion_ms"]
    return [(int(r[keys[0]]), float(r[keys[1]]), float(r[keys[2]]), float(r[keys[3]]) / 1e3) for r in rows]


def effect(control, treatment, keep):
    sides = [[r for r in side if 10 <= r[1] < own.seconds - 20 and keep(r[2])] for side in (control, treatment)]
    size_class = lambda r: int(math.log(r[2], 4))
    classes = {}
    for r in sides[0] + sides[1]:
        classes.setdefault(size_class(r), []).append(math.log(r[3]))
    means = {key: statistics.fmean(values) for key, values in classes.items()}
    level = lambda side, seed: statistics.fmean(math.log(r[3]) - means[size_class(r)] for r in side if r[0] == seed)
    seeds = sorted({r[0] for r in sides[0]})
    changes = [level(sides[1], seed) - level(sides[0], seed) for seed in seeds]
    error = statistics.stdev(changes) / math.sqrt(len(changes))
    return "%+.1f %% (standard error %.1f points)" % (
        100 * math.expm1(statistics.fmean(changes)), 100 * error * math.exp(statistics.fmean(changes)))


with tempfile.TemporaryDirectory() as folder:
    both = [transfers(controller, folder) for controller in ("cubic", "bbr")]
    print("all sizes     ", effect(*both, lambda size: True))
    print("from 10 kB on ", effect(*both, lambda size: size >= 1e4))
    print("below 10 kB   ", effect(*both, lambda size: size < 1e4))
