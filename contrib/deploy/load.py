#!/usr/bin/env python3
"""What does an experiment's agent take on a busy host, and do its records agree with its counts?

    sudo contrib/deploy/load.py [--connections 500000] [--rate 2500] [--keep 100] [--bulk SECONDS]

Connections of 1 kB each way over the loopback of a network namespace of its own, both ends in an
experiment that shares them and keeps records, all unless said otherwise. With --bulk ten connections send all the time
instead, and the kernel's own statistics tell what its program takes for each round trip. NARROWS
names the program; results are in the working directory, which should be empty."""
import argparse
import csv
import ctypes
import json
import os
import socket
import struct
import subprocess
import sys
import time

from host import NARROWS, make_group, remove_group

PORT = 8000
# Commands of bpf(2).
OBJ_GET = 7
PROG_GET_FD_BY_ID = 13
EXPERIMENT = """
name = "{name}"
treatment = "reno"
[select]
cgroups = ["/{name}"]
end = "both"
loopback = true
[design]
kind = "share"
share = "50 %"
period = "10 s"
pairs = 1000
observe = 2
burn_in = "1 s"
burn_out = "1 s"
[stop]
emergency = 0
[result]
keep = "{keep} %"
"""


def enter(own):
    """Joins the group, and sets up the loopback of the namespace."""
    with open(f"{own.cgroup}/cgroup.procs", "w") as procs:
        procs.write(str(os.getpid()))
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


def send(own):
    """Ten connections that send all the time."""
    enter(own)
    server = socket.create_server(("127.0.0.1", PORT))
    pairs = [(socket.create_connection(("127.0.0.1", PORT)), server.accept()[0]) for _ in range(10)]
    for end in [end for pair in pairs for end in pair]:
        end.setblocking(False)
    data, until = bytes(1 << 16), time.monotonic() + own.bulk
    while time.monotonic() < until:
        for client, accepted in pairs:
            for call in [lambda: client.send(data), lambda: accepted.recv(1 << 18)]:
                try:
                    call()
                except BlockingIOError:
                    pass


def connect(own):
    """Opens connections at the rate, each with 1 kB in both directions."""
    enter(own)
    with open("/proc/sys/net/ipv4/ip_local_port_range", "w") as ports:
        ports.write("10000 65000")
    # Closed connections wait a minute with their ports: several addresses have ports enough.
    servers = [socket.create_server((f"127.0.0.{1 + at}", PORT), backlog=64) for at in range(16)]
    data, began, latest = bytes(1000), time.monotonic(), 0.0
    for number in range(own.connections):
        due = began + number / own.rate
        now = time.monotonic()
        if now < due:
            time.sleep(due - now)
        latest = max(latest, now - due)
        server = servers[number % len(servers)]
        client = socket.create_connection(server.getsockname())
        accepted, _ = server.accept()
        client.sendall(data)
        accepted.recv(2000)
        accepted.sendall(data)
        client.recv(2000)
        client.close()
        accepted.close()
    took = time.monotonic() - began
    print(f"{own.connections} connections in {took:.1f} s, at most {latest:.2f} s late")


def measure(own):
    name = f"load-{os.getpid()}"
    group = make_group(name)
    with open(f"{name}.toml", "w") as file:
        file.write(EXPERIMENT.format(name=name, keep=own.keep))
    agent = subprocess.Popen([NARROWS, "deploy", "start", f"{name}.toml", "--state", "states"], stdout=subprocess.DEVNULL)
    # The observation is over, so that both arms take part.
    time.sleep(22)
    statistics = "/proc/sys/kernel/bpf_stats_enabled"
    if own.bulk:
        switch(statistics, "1")
    before, began, calls = cpu(agent.pid), time.monotonic(), program(name)
    words = ["--cgroup", group, "--connections", str(own.connections), "--rate", str(own.rate), "--bulk", str(own.bulk)]
    subprocess.run(["unshare", "-n", "python3", os.path.abspath(__file__), *words], check=True)
    if own.bulk:
        took, count = [after - earlier for after, earlier in zip(program(name), calls)]
        switch(statistics, "0")
        print(f"{count} calls of the program took {took / count:.0f} ns each")
    took = time.monotonic() - began
    share, peak = (cpu(agent.pid) - before) / took, peak_memory(agent.pid)
    time.sleep(12)
    subprocess.run([NARROWS, "deploy", "stop", name, "--state", "states"], stdout=subprocess.DEVNULL, check=True)
    agent.wait()
    remove_group(group)
    if own.bulk:
        return
    print(f"the agent took {100 * share:.2f} % of a core and at most {peak} MiB for {2 * own.connections / took:.0f} ends per second")
    with open(f"states/{name}/state.json") as file:
        state = json.load(file)
    records, sums = 0, [0, 0, 0]
    if own.keep != 100:
        sys.exit(None if sum(arm["assigned"] - arm["closed"] for arm in state["counts"]) == 0 == state["unrecorded"] else "they do not agree")
    with open(f"states/{name}/connections.csv") as file:
        for row in csv.DictReader(file):
            records += 1
            for at, key in enumerate(["bytes_acked", "bytes_sent", "bytes_retransmitted"]):
                sums[at] += int(row[key])
    counts = [sum(arm[key] for arm in state["counts"]) for key in ["acked", "sent", "again"]]
    assigned, closed = [sum(arm[key] for arm in state["counts"]) for key in ["assigned", "closed"]]
    print(f"{assigned} assigned, {closed} closed, {records} records, {state['unrecorded']} lost")
    print(f"bytes acknowledged, sent, sent again: {sums} by records, {counts} by counts")
    wrong = assigned != closed or any(abs(one - other) > other / 1000 for one, other in zip(sums, counts)) or state["unrecorded"] != 0
    sys.exit("they do not agree" if wrong or records != closed else None)


def cpu(process):
    """CPU time of a process in s."""
    with open(f"/proc/{process}/stat") as file:
        words = file.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def program(name):
    """Time in ns and calls of an experiment's program, as the kernel counts them."""
    number = {"x86_64": 321, "aarch64": 280}[os.uname().machine]
    call = ctypes.CDLL(None, use_errno=True).syscall

    def bpf(command, what):
        file = call(number, command, what, len(what))
        if file < 0:
            sys.exit(f"the program's statistics cannot be read: {os.strerror(ctypes.get_errno())}")
        with open(f"/proc/self/fdinfo/{file}") as lines:
            words = dict(line.split(":", 1) for line in lines if ":" in line)
        os.close(file)
        return words

    folder = f"/sys/fs/bpf/narrows-deploy/{name}"
    link = next(entry for entry in os.listdir(folder) if entry.startswith("link"))
    path = ctypes.create_string_buffer(f"{folder}/{link}".encode())
    link = bpf(OBJ_GET, struct.pack("=QII", ctypes.addressof(path), 0, 0))
    own = bpf(PROG_GET_FD_BY_ID, struct.pack("=III", int(link["prog_id"]), 0, 0))
    return int(own["run_time_ns"]), int(own["run_cnt"])


def switch(statistics, to):
    with open(statistics, "w") as file:
        file.write(to)


def peak_memory(process):
    """Largest resident memory of a process in MiB."""
    with open(f"/proc/{process}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) // 1024


parser = argparse.ArgumentParser()
parser.add_argument("--connections", type=int, default=500_000)
parser.add_argument("--rate", type=float, default=2500)
parser.add_argument("--keep", type=int, default=100, metavar="PERCENT", help="share of the records that are kept")
parser.add_argument("--bulk", type=float, default=0, metavar="SECONDS")
# The part that makes the connections.
parser.add_argument("--cgroup", help=argparse.SUPPRESS)
own = parser.parse_args()
if own.cgroup:
    send(own) if own.bulk else connect(own)
else:
    measure(own)
