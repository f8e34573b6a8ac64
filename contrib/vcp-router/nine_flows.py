#!/usr/bin/env python3
"""Nine VCP flows join another one and leave it, through a router of `narrows kernel route` and through
the emulated router.

Usage, as root on an idle machine with iproute2 and iperf3: nine_flows.py PATH-OF-NARROWS

Network namespaces are host a, a router with tbf of 45 Mbit/s and 450 kB behind the BPF program, and
host b. Two TUN devices and this script delay packets by 40 ms in each direction. `narrows live` runs
the same flows on the same link. Prints utilisation, Jain's index of all ten flows and losses of both,
and of the simulator. Takes four minutes. Removes everything that it created.
"""

import csv
import ctypes
import fcntl
import json
import os
import select
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections import deque

RATE, BUFFER, DELAY = 45e6, 450_000, 0.040
# Seconds: nine flows join at JOIN, a stagger apart, and leave at LEAVE.
JOIN, LEAVE, END, STAGGER = 40, 70, 85, 0.033
NINE = range(9)
# A packet of 1500 bytes carries 1448 bytes of payload. A veth also counts the 14 bytes of Ethernet.
CONTENT, FRAMED = 1448 / 1500, 1448 / 1514
ALL = ("vcp-a", "vcp-router", "vcp-far", "vcp-b")

SCENARIO = f"""
duration = "{END} s"
warmup = "1 s"
sample = "100 ms"

[[link]]
name = "bottleneck"
between = ["left", "right"]
rate = "{RATE / 1e6:.0f} Mbit/s"
delay = "{DELAY * 1e3:.0f} ms"
buffer = "{BUFFER / 1e3:.0f} kB"
queue = "vcp?codes=accecn"

[[flow]]
name = "first"
from = "left"
to = "right"
controller = "vcp-kernel"

[[flow]]
name = "others"
from = "left"
to = "right"
controller = "vcp-kernel"
count = 9
start = "{JOIN} s"
stagger = "{STAGGER * 1e3:.0f} ms"
stop = "{LEAVE} s"
"""


def run(command, **options):
    return subprocess.run(command.split(), check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def within(name, command):
    return f"nsenter --net=/run/netns/{name} {command}"


def make_tun(name, device):
    """Creates a TUN device in a namespace, by setns in a child: Python 3.11 has no call for it."""
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        with open(f"/run/netns/{name}") as namespace:
            if libc.setns(namespace.fileno(), 0x40000000):
                os._exit(1)
        tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        # TUNSETIFF, IFF_TUN | IFF_NO_PI
        fcntl.ioctl(tun, 0x400454CA, struct.pack("16sH22x", device.encode(), 0x1001))
        socket.send_fds(theirs, [b"t"], [tun])
        os._exit(0)
    _, tuns, _, _ = socket.recv_fds(ours, 1, 1)
    os.wait()
    return tuns[0]


def delay(tuns, stop):
    """Passes packets between the devices with a delay of DELAY, until `stop` is readable. Returns the largest lateness in seconds."""
    waiting, latest = {tun: deque() for tun in tuns}, 0.0
    other = dict(zip(tuns, reversed(tuns)))
    while True:
        dues = [queue[0][0] for queue in waiting.values() if queue]
        patience = max(0.0, min(dues, default=time.monotonic() + 1) - time.monotonic())
        ready, _, _ = select.select([*tuns, stop], [], [], patience)
        if stop in ready:
            return latest
        for tun in tuns:
            try:
                while tun in ready:
                    waiting[tun].append((time.monotonic() + DELAY, os.read(tun, 2048)))
            except BlockingIOError:
                pass
            queue, now = waiting[tun], time.monotonic()
            while queue and queue[0][0] <= now:
                due, packet = queue.popleft()
                latest = max(latest, now - due)
                os.write(other[tun], packet)


def network():
    for name in ALL:
        run(f"ip netns add {name}")
        run(f"ip -n {name} link set lo up")
    run("ip link add name one netns vcp-a type veth peer name near netns vcp-router")
    run("ip link add name out netns vcp-router type veth peer name two netns vcp-far")
    tuns = [make_tun("vcp-far", "wire"), make_tun("vcp-b", "wire")]
    for name, device, address in [
        ("vcp-a", "one", "10.1.0.1"), ("vcp-router", "near", "10.1.0.2"), ("vcp-router", "out", "10.2.0.1"),
        ("vcp-far", "two", "10.2.0.2"), ("vcp-far", "wire", "10.3.0.1"), ("vcp-b", "wire", "10.3.0.2"),
    ]:
        run(f"ip -n {name} addr add {address}/24 dev {device}")
        run(f"ip -n {name} link set {device} up txqueuelen 5000")
    for name, route in [
        ("vcp-a", "default via 10.1.0.2"), ("vcp-router", "10.3.0.0/24 via 10.2.0.2"),
        ("vcp-far", "10.1.0.0/24 via 10.2.0.1"), ("vcp-b", "default dev wire"),
    ]:
        run(f"ip -n {name} route add {route}")
    for name in ("vcp-router", "vcp-far"):
        run(within(name, "sysctl -qw net.ipv4.ip_forward=1"))
    run(f"tc -n vcp-router qdisc add dev out root tbf rate {RATE:.0f}bit burst 10kb limit {BUFFER}")
    for name in ("vcp-a", "vcp-b"):
        # Buffers hold several bandwidth-delay products.
        for key in ("tcp_rmem", "tcp_wmem"):
            subprocess.run([*within(name, "sysctl -qw").split(), f"net.ipv4.{key}=4096 4000000 8000000"], check=True)
    return tuns


def flow(port, seconds):
    command = f"iperf3 -c 10.3.0.2 -p {port} -t {seconds:.3f} -l 8K -J"
    return subprocess.Popen(within("vcp-a", command).split(), stdout=subprocess.DEVNULL)


def routed(narrows):
    """Returns the bits that each flow received in each second, the flows' starts in seconds, and tbf's drops."""
    tuns = network()
    ended, stop = os.pipe()
    wire = os.fork()
    if wire == 0:
        os.close(stop)
        latest = delay(tuns, ended)
        print(f"the wire was at most {latest * 1e3:.1f} ms late")
        sys.stdout.flush()
        os._exit(0)
    servers = []
    try:
        run(f"{narrows} kernel load vcp-kernel --as vcpninet")
        # Receivers need it too, because they report the codes that arrive.
        for name in ("vcp-a", "vcp-b"):
            run(within(name, "sysctl -qw net.ipv4.tcp_congestion_control=vcpninet"))
        run(within("vcp-router", f"{narrows} kernel route out vcp") + f" --capacity {RATE / 1e6:.0f}Mbit/s --buffer {BUFFER / 1e3:.0f}kB")
        for port in (5300, *(5301 + k for k in NINE)):
            command = within("vcp-b", f"iperf3 -s -1 -p {port} -J")
            servers.append(subprocess.Popen(command.split(), stdout=subprocess.PIPE, text=True))
        time.sleep(1)
        began = time.monotonic()
        clients, begins = [flow(5300, END)], [0.0]
        for k in NINE:
            time.sleep(max(0.0, began + JOIN + STAGGER * k - time.monotonic()))
            begins.append(time.monotonic() - began)
            clients.append(flow(5301 + k, LEAVE - begins[-1]))
        for client in clients:
            client.wait()
        told = [json.loads(server.communicate(timeout=20)[0]) for server in servers]
        print(run(within("vcp-router", f"{narrows} kernel stats out")))
        dropped = int(run("tc -n vcp-router -s qdisc show dev out").split("dropped ")[1].split(",")[0])
    finally:
        os.close(stop)
        os.waitpid(wire, 0)
        for server in servers:
            server.kill()
        for command in (within("vcp-router", f"{narrows} kernel unroute out"), f"{narrows} kernel unload vcpninet --force"):
            subprocess.run(command.split(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for name in ALL:
            subprocess.run(["ip", "netns", "del", name])
    flows = []
    for one, begin in zip(told, begins):
        sums = (interval["sum"] for interval in one["intervals"])
        flows.append([(begin + of["start"], begin + of["end"], of["bits_per_second"]) for of in sums])
    return flows, dropped


def between(flow, start, end):
    """Returns the bits of payload that a flow received in a span of time."""
    return sum(rate * max(0.0, min(end, to) - max(start, of)) for of, to, rate in flow)


def judged(flows, content):
    """Returns the utilisation of the periods, as shares of the rate, and Jain's index of all ten flows in their last 14 s."""
    periods = [(5, JOIN), (JOIN + 1, LEAVE), (LEAVE + 1, END), (1, END)]
    shares = [sum(between(flow, *period) for flow in flows) / (period[1] - period[0]) / (RATE * content) for period in periods]
    rates = [between(flow, LEAVE - 15, LEAVE - 1) for flow in flows]
    return [*shares, sum(rates) ** 2 / (len(rates) * sum(rate * rate for rate in rates))]


def live(narrows, directory):
    path, out = os.path.join(directory, "nine.toml"), os.path.join(directory, "out")
    with open(path, "w") as file:
        file.write(SCENARIO)
    command = [narrows, "live", path, "--beside-sim", "--out", out, "--quiet"]
    print(subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout)
    run(f"{narrows} export {out} --out {out}/csv")
    cases = {"kernel": {}, "simulator": {}}
    with open(f"{out}/csv/flow_samples.csv") as file:
        for row in csv.DictReader(file):
            flow = cases[row["case"]].setdefault(row["flow"], [])
            flow.append((flow[-1][1] if flow else 0.0, float(row["time_s"]), float(row["goodput_mbps"] or 0) * 1e6))
    with open(f"{out}/csv/links.csv") as file:
        rows = [row for row in csv.DictReader(file) if row["link"] == "bottleneck"]
    dropped = {row["case"]: int(row["total_overflowed_packets"]) + int(row["total_dropped_early_packets"]) for row in rows}
    return {case: (list(flows.values()), dropped[case]) for case, flows in cases.items()}


def main():
    if len(sys.argv) != 2 or os.geteuid() != 0:
        sys.exit(__doc__)
    narrows = os.path.abspath(sys.argv[1])
    flows, dropped = routed(narrows)
    with tempfile.TemporaryDirectory() as directory:
        emulated = live(narrows, directory)
    print(f"{'':10} {'alone':>8} {'with ten':>8} {'alone':>8} {'whole':>8} {'Jain':>8}  dropped")

    def show(name, flows, content, dropped):
        print(f"{name:10}", *(f"{value:8.3f}" for value in judged(flows, content)), f" {dropped}")

    show("router", flows, FRAMED, dropped)
    for name, (flows, dropped) in emulated.items():
        show(name, flows, CONTENT, dropped)


main()
