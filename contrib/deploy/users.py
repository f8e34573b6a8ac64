#!/usr/bin/env python3
"""Users in closed loop, for experiments of `narrows deploy`: each opens a connection, sends, waits
until the other end has read it all, pauses, and opens the next. Writes a line per transfer.

users.py TO --users 8 --size 750000 --seconds 60 [--controller bbr | --controller mix]
         [--cgroup /sys/fs/cgroup/...] [--pause 0.001] [--watch NAME] [--out transfers.csv]

"mix" gives each connection cubic or bbr by a coin: an A/B test without a kernel program. With --watch
it prints how many open connections have this controller, when that changes.
"""
import argparse
import os
import random
import socket
import struct
import sys
import threading
import time

PORT = 5000
CONGESTION = 13
COOKIE = 57
# Places of tcpi_bytes_sent and tcpi_bytes_retrans in struct tcp_info (Linux 4.19 and later).
BYTES_SENT = 200

parser = argparse.ArgumentParser()
parser.add_argument("to")
parser.add_argument("--users", type=int, default=8)
parser.add_argument("--size", type=int, default=750_000)
parser.add_argument("--seconds", type=float, default=60)
parser.add_argument("--pause", type=float, default=0.001)
parser.add_argument("--controller")
parser.add_argument("--cgroup")
parser.add_argument("--watch")
parser.add_argument("--out")
parser.add_argument("--seed", type=int, default=1)
own = parser.parse_args()
if own.cgroup:
    with open(os.path.join(own.cgroup, "cgroup.procs"), "w") as procs:
        procs.write(str(os.getpid()))
lock, lines, alive = threading.Lock(), [], set()
draw = random.Random(own.seed)
began = time.monotonic()


def name_of(connection):
    return connection.getsockopt(socket.IPPROTO_TCP, CONGESTION, 16).rstrip(b"\0").decode()


def transfer(data):
    at = time.monotonic()
    connection = socket.socket()
    connection.settimeout(60)
    try:
        connection.connect((own.to, PORT))
        name = draw.choice(["cubic", "bbr"]) if own.controller == "mix" else own.controller
        if name:
            connection.setsockopt(socket.IPPROTO_TCP, CONGESTION, name.encode())
        with lock:
            alive.add(connection)
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(65536):
            pass
        info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
        sent, again = struct.unpack_from("=QQ", info, BYTES_SENT)
        with lock:
            cookie = int.from_bytes(connection.getsockopt(socket.SOL_SOCKET, COOKIE, 8), sys.byteorder)
            lines.append((at - began, time.monotonic() - at, name_of(connection), sent, again, cookie))
    except OSError as error:
        print(error, file=sys.stderr)
    finally:
        with lock:
            alive.discard(connection)
        connection.close()


def user():
    data = bytes(own.size)
    time.sleep(draw.uniform(0, min(2.5, own.seconds / 10)))
    while time.monotonic() - began < own.seconds:
        transfer(data)
        time.sleep(draw.expovariate(1 / own.pause))


users = [threading.Thread(target=user) for _ in range(own.users)]
for one in users:
    one.start()
last = None
while own.watch and any(one.is_alive() for one in users):
    with lock:
        now = (sum(name_of(one) == own.watch for one in alive), len(alive))
    if now != last:
        print("%.3f %d of %d" % (time.time(), *now), flush=True)
        last = now
    time.sleep(0.02)
for one in users:
    one.join()
if own.out:
    with open(own.out, "w") as out:
        out.write("start_s,took_s,controller,sent,again,cookie\n")
        for line in sorted(lines):
            out.write("%.4f,%.4f,%s,%d,%d,%d\n" % line)
