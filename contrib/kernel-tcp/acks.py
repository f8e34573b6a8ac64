#!/usr/bin/env python3
"""Shows which segments this kernel's TCP acknowledges: sudo contrib/kernel-tcp/acks.py

This program is the sender, at the far end of a TUN device in a network namespace of its own. It is in
slow start up to a window, behind a bottleneck without losses. A program in the namespace reads
arriving data immediately. The same cases are a test of the simulator's receiver
(crates/transport/tests/it/autotuning.rs)."""

import ctypes
import fcntl
import heapq
import os
import select
import socket
import struct
import subprocess
import sys
import threading
import time

from cases import HERE, PEER, PORT, checksum

SEGMENT = 1448
SOURCE, FIRST = 4000, 1001
DATA, ACK = 0, 1
# Rate in Mbit/s, round trip in ms, largest window, and number of segments.
CASES = [(10, 100, 166, 600), (2, 100, 34, 300), (5, 200, 166, 600), (5, 50, 42, 300), (10, 300, 500, 1200)]


class Connection:
    """A connection from this program to a socket of the kernel."""

    def __init__(self, round_trip):
        self.device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(self.device, 0x400454CA, struct.pack("16sH", b"peer", 0x1001))  # TUNSETIFF, IFF_TUN | IFF_NO_PI
        for command in ["ip link set peer up", f"ip addr add {HERE}/24 dev peer"]:
            subprocess.run(command.split(), check=True)
        self.listener = socket.socket()
        self.listener.bind((HERE, PORT))
        self.listener.listen(1)
        threading.Thread(target=self.read, daemon=True).start()
        self.echo = self.acknowledged = 0
        self.send(FIRST - 1, 0x02, b"\x02\x04\x05\xb4\x04\x02", b"\x01\x03\x03\x07")
        select.select([self.device], [], [], 1.0)
        while (answer := self.receive()) is None or answer["flags"] & 0x12 != 0x12:
            time.sleep(0.001)
        self.echo, self.acknowledged = answer["stamp"], answer["sequence"] + 1
        time.sleep(round_trip)
        self.send(FIRST, 0x10)

    def read(self):
        connection, _ = self.listener.accept()
        while connection.recv(1 << 17):
            pass

    def send(self, sequence, flags, before=b"\x01\x01", after=b"", payload=b""):
        options = before + struct.pack("!BBII", 8, 10, int(time.monotonic() * 1000) & 0xFFFFFFFF, self.echo) + after
        fields = (SOURCE, PORT, sequence, self.acknowledged, (5 + len(options) // 4) << 4, flags, 60000)
        tcp = struct.pack("!HHIIBBH", *fields) + b"\0\0\0\0" + options + payload
        ends = socket.inet_aton(PEER) + socket.inet_aton(HERE)
        tcp = tcp[:16] + struct.pack("!H", checksum(ends + struct.pack("!HH", 6, len(tcp)) + tcp)) + tcp[18:]
        header = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0) + ends
        os.write(self.device, header[:10] + struct.pack("!H", checksum(header)) + header[12:] + tcp)

    def receive(self):
        """Returns the next TCP segment from the kernel, or None if there is none now."""
        while True:
            try:
                packet = os.read(self.device, 65536)
            except BlockingIOError:
                return None
            if packet[0] >> 4 != 4 or packet[9] != 6:
                continue
            tcp = packet[20:]
            _, _, sequence, acknowledged, offset, flags = struct.unpack("!HHIIBB", tcp[:14])
            options, stamp = tcp[20 : (offset >> 4) * 4], 0
            while options:
                if options[0] == 8:
                    stamp = struct.unpack("!I", options[2:6])[0]
                options = options[1:] if options[0] == 1 else options[max(options[1], 2) :]
            return {"sequence": sequence, "acknowledged": acknowledged, "flags": flags, "stamp": stamp}


def run(rate, round_trip, largest, total):
    """Returns the numbers up to which the kernel acknowledges, in order."""
    connection = Connection(round_trip / 1000)
    takes, payload = 1500 * 8 / (rate * 1e6), b"x" * SEGMENT
    window, sent, known, numbers, events = 10, 0, 0, [], []
    free = time.monotonic()
    while known < total:
        while sent < total and sent - known < window:
            free = max(free, time.monotonic()) + takes
            heapq.heappush(events, (free, DATA, sent, 0))
            sent += 1
        while events and events[0][0] <= time.monotonic():
            _, kind, number, stamp = heapq.heappop(events)
            if kind == DATA:
                connection.send(FIRST + number * SEGMENT, 0x10, payload=payload)
            elif number > known:
                connection.echo = stamp
                window, known = min(largest, window + number - known), number
        while (ack := connection.receive()) is not None:
            number = ((ack["acknowledged"] - FIRST) & 0xFFFFFFFF) // SEGMENT
            numbers.append(number)
            heapq.heappush(events, (time.monotonic() + round_trip / 1000, ACK, number, ack["stamp"]))
        wait = events[0][0] - time.monotonic() if events else 0.01
        if wait > 0.0003:
            select.select([connection.device], [], [], min(wait - 0.0002, 0.01))
    return numbers


def main():
    if os.geteuid() != 0:
        sys.exit("a network namespace and a TUN device need root: run it with sudo")
    for case in CASES:
        child = os.fork()
        if child == 0:
            if ctypes.CDLL(None, use_errno=True).unshare(0x40000000) != 0:  # CLONE_NEWNET
                sys.exit(f"no network namespace: {os.strerror(ctypes.get_errno())}")
            runs, before = [], 0
            for number in run(*case):
                covered, before = number - before, number
                if runs and runs[-1][0] == covered:
                    runs[-1][1] += 1
                elif covered > 0:
                    runs.append([covered, 1])
            print("{} Mbit/s, {} ms, window {}, {} segments:".format(*case), ", ".join(f"{count} of {covered}" for covered, count in runs), flush=True)
            os._exit(0)
        if os.waitpid(child, 0)[1] != 0:
            sys.exit(1)


if __name__ == "__main__":
    main()
