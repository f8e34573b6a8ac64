#!/usr/bin/env python3
"""The same question asked in four ways, of real connections that share an emulated bottleneck: what does BBR in place of CUBIC do?

    sudo contrib/deploy/shared_bottleneck.py truth | ab | switchback | harm  [--runs 4] [--pairs 16] [--period 30]

truth: runs with all connections of one controller, in turn. ab: runs in which a coin gives each connection its controller. switchback: one experiment of
`narrows deploy`. harm: the same, which stops at 3 points of retransmitted data. Several may run beside each other on an idle host; each says whether its
emulation was valid. NARROWS names the program; results are in the working directory."""
import argparse
import csv
import json
import math
import os
import statistics
import subprocess
import sys
import time

from host import NARROWS, make_group, remove_group

HERE = os.path.dirname(os.path.abspath(__file__))
NETWORK = """
duration = "{seconds} s"
[[link]]
name = "bottleneck"
between = ["sender", "receiver"]
rate = "20 Mbit/s"
delay = "30 ms"
buffer = "1 bdp"
[[flow]]
from = "sender"
to = "receiver"
controller = "cubic"
"""
EXPERIMENT = """
name = "{name}"
control = "cubic"
treatment = "bbr"
[select]
cgroups = ["/{group}"]
end = "opened"
[design]
period = "{period} s"
burn_in = "{burn_in} s"
burn_out = "5 s"
pairs = {pairs}
observe = 2
[stop]
emergency = 0
[[metric]]
name = "goodput"
[[metric]]
name = "completion"
[[metric]]
name = "retransmitted"
{harm}
[result]
keep = "100 %"
"""
# 97.5 % quantiles of Student's t by degrees of freedom.
QUANTILES = {1: 12.71, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262, 10: 2.228, 11: 2.201, 12: 2.179, 13: 2.160, 14: 2.145, 15: 2.131}
SIZE = 750_000


def live(name, seconds, *words):
    """Users in closed loop in the network, until it ends. Returns the process."""
    if os.path.exists(f"{name}-live"):
        sys.exit(f"{name}-live is there already: run this in an empty folder")
    with open(f"{name}.toml", "w") as file:
        # The program's end is the network's, and transfers that have begun may take long.
        file.write(NETWORK.format(seconds=seconds + 60))
    users = ["python3", f"{HERE}/users.py", "receiver", "--users", "8", "--size", str(SIZE), "--seconds", str(seconds), *words]
    serve = f"python3 {HERE}/sink.py"
    command = [NARROWS, "live", f"{name}.toml", "--quiet", "--out", f"{name}-live", "--serve", serve, "--", *users, "--out", os.path.abspath(f"{name}.csv")]
    return subprocess.Popen(command, stdout=open(f"{name}.txt", "w"), stderr=subprocess.STDOUT)


def said(name, process):
    """Waits for the end of the network, and says whether it was valid."""
    process.wait()
    told = open(f"{name}.txt").read()
    print(f"{name}: {'INVALID' if 'INVALID' in told else 'valid'}", *[line for line in told.splitlines() if "lateness" in line], flush=True)


def transfers(name):
    with open(f"{name}.csv") as file:
        return [{key: own if key == "controller" else float(own) for key, own in row.items()} for row in csv.DictReader(file)]


def measures(rows):
    """Mean goodput in Mbit/s, mean logarithm of completion, share that was sent again."""
    took = [row["took_s"] for row in rows]
    again = sum(row["again"] for row in rows) / sum(row["sent"] for row in rows)
    return [statistics.mean(SIZE * 8e-6 / own for own in took), statistics.mean(map(math.log, took)), again]


def effect(control, treatment):
    """Effect in log goodput, log completion and share sent again."""
    return [math.log(treatment[0] / control[0]), treatment[1] - control[1], treatment[2] - control[2]]


def show(title, effects):
    """Prints the means of effects with their 95 % intervals."""
    for name, own in zip(["goodput", "completion", "sent again"], zip(*effects)):
        middle, half = statistics.mean(own), QUANTILES[len(own) - 1] * statistics.stdev(own) / math.sqrt(len(own))
        percent = (lambda x: 100 * x) if name == "sent again" else (lambda x: 100 * math.expm1(x))
        print(f"{title}: {name} {percent(middle):+.1f} ({percent(middle - half):+.1f} to {percent(middle + half):+.1f}) of {len(own)}", flush=True)


def counted(rows):
    return [row for row in rows if 10 <= row["start_s"] < 55]


def truth(own):
    sides = {"cubic": [], "bbr": []}
    for run in range(own.runs):
        for controller in ["cubic", "bbr"] if run % 2 == 0 else ["bbr", "cubic"]:
            name = f"truth-{controller}-{run}"
            said(name, live(name, 60, "--controller", controller))
            sides[controller].append(measures(counted(transfers(name))))
            print(name, sides[controller][-1], flush=True)
    show("truth", [effect(*pair) for pair in zip(sides["cubic"], sides["bbr"])])


def ab(own):
    effects = []
    for run in range(own.runs):
        name = f"ab-{run}"
        said(name, live(name, 60, "--controller", "mix", "--seed", str(run)))
        rows = counted(transfers(name))
        effects.append(effect(*[measures([row for row in rows if row["controller"] == arm]) for arm in ["cubic", "bbr"]]))
    show("ab", effects)


def switchback(own, harm=""):
    name = "harm" if harm else "switchback"
    group = f"narrows-{name}-{os.getpid()}"
    path = make_group(group)
    with open(f"{name}-experiment.toml", "w") as file:
        file.write(EXPERIMENT.format(name=f"{name}-{os.getpid()}", group=group, period=own.period, burn_in=own.burn_in, pairs=own.pairs, harm=harm))
    seconds = (2 * own.pairs + 4) * own.period + 20
    network = live(name, seconds, "--cgroup", path, *(["--watch", "bbr"] if harm else []))
    time.sleep(5)
    agent = subprocess.run([NARROWS, "deploy", "start", f"{name}-experiment.toml", "--state", "states"], stdout=subprocess.PIPE, text=True)
    print(f"{name}: status {agent.returncode} at {time.time():.3f}\n{agent.stdout}", flush=True)
    if harm:
        time.sleep(5)
        network.terminate()
    said(name, network)
    remove_group(path)
    if harm:
        return
    # The application's clock: connections of the experiment are known by their cookies.
    with open(f"states/{name}-{os.getpid()}/connections.csv") as file:
        kept = {int(row["cookie"]): row for row in csv.DictReader(file)}
    periods, wrong = {}, 0
    for row in transfers(name):
        at = kept.get(int(row["cookie"]))
        if at and own.burn_in <= float(at["age_s"]) < own.period - 5:
            periods.setdefault(int(at["period"]), []).append(row)
            wrong += row["controller"] != ("bbr" if at["arm"] == "treatment" and int(at["period"]) >= 4 else "cubic")
    shares = json.load(open(f"states/{name}-{os.getpid()}/run.json"))["shares"]
    pairs = []
    for first in range(4, len(shares) - 1, 2):
        one, other = [measures(periods[at]) for at in (first, first + 1)]
        pairs.append(effect(other, one) if shares[first] == 1 else effect(one, other))
    print(f"{sum(map(len, periods.values()))} transfers counted, {wrong} with another controller than their period's")
    show("switchback, the application's clock", pairs)


parser = argparse.ArgumentParser()
parser.add_argument("way", choices=["truth", "ab", "switchback", "harm"])
parser.add_argument("--runs", type=int, default=4)
parser.add_argument("--pairs", type=int, default=16)
parser.add_argument("--period", type=int, default=30)
parser.add_argument("--burn-in", type=int, default=10)
own = parser.parse_args()
match own.way:
    case "truth":
        truth(own)
    case "ab":
        ab(own)
    case "switchback":
        switchback(own)
    case "harm":
        switchback(own, 'harm = "3 points"')
