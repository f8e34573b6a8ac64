#!/usr/bin/env python3
"""How long after `narrows deploy stop` have treated connections that send their controller again?

    sudo contrib/deploy/put_back.py [--connections 2000] [--every 0.1]

Half of the connections get Reno by an experiment that shares them. They cross an emulated link with
a round trip of 40 ms, and each sends a little as often as said. Their program looks at the
controllers all the time. NARROWS names the program; results are in the working directory."""
import argparse
import os
import resource
import selectors
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

from host import NARROWS, make_group, remove_group

PORT = 5000
CONGESTION = 13
TREATMENT = b"reno"
# Connections that are opened at the same time.
WORKERS = 50
NETWORK = """
duration = "{seconds} s"
[[link]]
name = "bottleneck"
between = ["sender", "receiver"]
rate = "1 Gbit/s"
delay = "20 ms"
buffer = "1 bdp"
[[flow]]
from = "sender"
to = "receiver"
controller = "cubic"
"""
EXPERIMENT = """
name = "{name}"
treatment = "reno"
[select]
cgroups = ["/{name}"]
end = "opened"
[design]
kind = "share"
share = "50 %"
period = "15 s"
pairs = 100
observe = 2
burn_in = "1 s"
burn_out = "1 s"
[stop]
emergency = 0
"""


def sink():
    """Reads all that comes on any number of connections."""
    allow_files()
    server = socket.create_server(("", PORT), backlog=4096)
    server.setblocking(False)
    wait = selectors.DefaultSelector()
    wait.register(server, selectors.EVENT_READ)
    while True:
        for key, _ in wait.select():
            if key.fileobj is server:
                connection, _ = server.accept()
                connection.setblocking(False)
                wait.register(connection, selectors.EVENT_READ)
            elif not key.fileobj.recv(1 << 16):
                wait.unregister(key.fileobj)
                key.fileobj.close()


def senders(own):
    """Opens connections once some are treated, sends on all, and tells how many are treated."""
    allow_files()
    with open(f"{own.cgroup}/cgroup.procs", "w") as procs:
        procs.write(str(os.getpid()))
    while True:
        with socket.create_connection((own.to, PORT)) as probe:
            if is_treated(probe):
                break
        time.sleep(0.2)
    with ThreadPoolExecutor(WORKERS) as pool:
        connections = list(pool.map(socket.create_connection, [(own.to, PORT)] * own.connections))
    for connection in connections:
        connection.setblocking(False)
    before, due, told = None, time.monotonic(), open(own.told, "w")
    data = bytes(200)
    while True:
        if time.monotonic() >= due:
            due += own.every
            for connection in connections:
                connection.send(data)
        now = sum(map(is_treated, connections))
        if now != before:
            print(f"{time.time():.3f} {now}", file=told, flush=True)
            before = now
        if now == 0:
            return


def allow_files():
    """Allows as many open files as the process may have."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def is_treated(connection):
    return connection.getsockopt(socket.IPPROTO_TCP, CONGESTION, 16).rstrip(b"\0") == TREATMENT


def measure(own):
    name = f"put-back-{os.getpid()}"
    group = make_group(name)
    with open(f"{name}.toml", "w") as file:
        file.write(NETWORK.format(seconds=90))
    with open(f"{name}-experiment.toml", "w") as file:
        file.write(EXPERIMENT.format(name=name))
    this = ["python3", os.path.abspath(__file__)]
    looks = os.path.abspath(f"{name}.looks")
    client = [*this, "--senders", "receiver", "--connections", str(own.connections), "--every", str(own.every), "--cgroup", group, "--told", looks]
    network = subprocess.Popen(
        [NARROWS, "live", f"{name}.toml", "--quiet", "--out", f"{name}-live", "--serve", " ".join([*this, "--sink"]), "--", *client],
        stdout=open(f"{name}.txt", "w"),
        stderr=subprocess.STDOUT,
    )
    agent = subprocess.Popen([NARROWS, "deploy", "start", f"{name}-experiment.toml", "--state", "states"], stdout=subprocess.DEVNULL)
    while not os.path.exists(looks) and network.poll() is None and agent.poll() is None:
        time.sleep(0.5)
    time.sleep(2)
    stopped = time.time()
    subprocess.run([NARROWS, "deploy", "stop", name, "--state", "states"], stdout=subprocess.DEVNULL, check=True)
    status = agent.wait()
    network.wait()
    counts = [line.split() for line in open(looks)] if os.path.exists(looks) else []
    treated = max((int(count) for _, count in counts), default=0)
    print(f"{treated} of {own.connections} connections treated; stopped with status {status}")
    for at, count in counts:
        if float(at) >= stopped:
            print(f"{float(at) - stopped:.3f} s after the command: {count} left")
    valid = "INVALID" not in open(f"{name}.txt").read()
    print("the emulation was", "valid" if valid else "INVALID")
    remove_group(group)


parser = argparse.ArgumentParser()
parser.add_argument("--connections", type=int, default=2000)
parser.add_argument("--every", type=float, default=0.1)
# The two sides of the connections, which the network runs.
parser.add_argument("--sink", action="store_true", help=argparse.SUPPRESS)
parser.add_argument("--senders", dest="to", help=argparse.SUPPRESS)
parser.add_argument("--cgroup", help=argparse.SUPPRESS)
parser.add_argument("--told", help=argparse.SUPPRESS)
own = parser.parse_args()
if own.sink:
    sink()
elif own.to:
    senders(own)
else:
    measure(own)
