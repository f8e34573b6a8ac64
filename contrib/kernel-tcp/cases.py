#!/usr/bin/env python3
"""Shows the segments that this kernel's TCP sends to a scripted peer: sudo contrib/kernel-tcp/cases.py [CASE...]

This program is the peer, at the far end of a TUN device in a network namespace of its own. The same
cases are tests of the simulator's transport (crates/transport/tests/it/timeouts.rs and undo.rs).
Times are in ms. Segments have 1000 bytes and are numbered from 0."""

import ctypes
import fcntl
import os
import select
import socket
import struct
import subprocess
import sys
import time

SEGMENT = 1000
HERE, PEER, PORT = "10.77.0.1", "10.77.0.2", 5000
STATES = ["open", "disorder", "CWR", "recovery", "loss"]


def checksum(octets):
    octets += b"\0" * (len(octets) % 2)
    total = sum(struct.unpack(f"!{len(octets) // 2}H", octets))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


class Connection:
    """A connection of this kernel with Reno to a peer with scripted acknowledgements."""

    def __init__(self, round_trip):
        self.device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(self.device, 0x400454CA, struct.pack("16sH", b"peer", 0x1001))  # TUNSETIFF, IFF_TUN | IFF_NO_PI
        for command in ["ip link set peer up", f"ip addr add {HERE}/24 dev peer", "ip tcp_metrics flush"]:
            subprocess.run(command.split(), check=True)
        self.socket = socket.socket()
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"reno")
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self.socket.connect_ex((PEER, PORT))
        syn = self.receive(1.0)
        self.first, self.port, self.stamp = syn["sequence"] + 1, syn["port"], 1
        self.stamps = {}
        time.sleep(round_trip)
        options = struct.pack("!BBH", 2, 4, SEGMENT + 12) + b"\x04\x02" + self.timestamps(syn["stamp"]) + b"\x01\x03\x03\x07"
        self.send(0, self.first, 0x12, options)
        self.receive(0.5)
        self.began = time.monotonic()

    def now(self):
        return (time.monotonic() - self.began) * 1000

    def timestamps(self, echo):
        self.stamp += 1
        return struct.pack("!BBII", 8, 10, self.stamp, echo)

    def receive(self, patience):
        """Returns the next TCP segment from the kernel, or None if none arrives in this many seconds."""
        end = time.monotonic() + patience
        while select.select([self.device], [], [], max(0, end - time.monotonic()))[0]:
            packet = os.read(self.device, 65536)
            if packet[0] >> 4 != 4 or packet[9] != 6:
                continue
            tcp = packet[(packet[0] & 15) * 4 :]
            port, _, sequence, _, offset = struct.unpack("!HHIIB", tcp[:13])
            header, options, stamp = (offset >> 4) * 4, tcp[20 : (offset >> 4) * 4], 0
            while options:
                if options[0] == 8:
                    stamp = struct.unpack("!I", options[2:6])[0]
                options = options[1:] if options[0] == 1 else options[max(options[1], 2) :]
            return {"port": port, "sequence": sequence, "stamp": stamp, "length": len(tcp) - header}
        return None

    def send(self, sequence, acknowledged, flags, options):
        options += b"\x01" * (-len(options) % 4)
        fields = (PORT, self.port, sequence, acknowledged & 0xFFFFFFFF, (5 + len(options) // 4) << 4, flags, 60000)
        tcp = struct.pack("!HHIIBBH", *fields) + b"\0\0\0\0" + options
        ends = socket.inet_aton(PEER) + socket.inet_aton(HERE)
        tcp = tcp[:16] + struct.pack("!H", checksum(ends + struct.pack("!HH", 6, len(tcp)) + tcp)) + tcp[18:]
        ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0) + ends
        os.write(self.device, ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:] + tcp)

    def write(self, segments):
        for _ in range(segments):
            self.socket.send(b"x" * SEGMENT)

    def run(self, until):
        """Returns the segments that the kernel sends until this time, as (ms, segment)."""
        sent = []
        while self.now() < until:
            packet = self.receive((until - self.now()) / 1000)
            if packet and packet["length"]:
                number = ((packet["sequence"] - self.first) & 0xFFFFFFFF) // SEGMENT
                for segment in range(number, number + packet["length"] // SEGMENT):
                    sent.append((round(self.now()), segment))
                    self.stamps.setdefault(segment, packet["stamp"])
        return sent

    def show(self, until):
        sent = self.run(until)
        info = self.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
        numbers = struct.unpack("24I", info[8:104])
        flight = f"outstanding {numbers[4]}, SACKed {numbers[5]}, lost {numbers[6]}, sent again {numbers[7]}"
        print(f"  until {until}: {STATES[info[1]]}, window {numbers[18]}, {flight}; left: {sent}")

    def acknowledge(self, number, blocks=(), echo=None):
        """Acknowledges everything below segment `number`, and these blocks. Echoes the timestamp of the original of segment `echo`."""
        options = b"\x01\x01" + self.timestamps(self.stamps[number - 1 if echo is None else echo])
        if blocks:
            options += b"\x01\x01" + struct.pack("!BB", 5, 2 + 8 * len(blocks))
            for edge in [edge for block in blocks for edge in block]:
                options += struct.pack("!I", (self.first + edge * SEGMENT) & 0xFFFFFFFF)
        print(f"  {round(self.now())}: acknowledged below {number}{f', blocks {blocks}' if blocks else ''}")
        self.send(1, self.first + number * SEGMENT, 0x10, options)


def late(tcp):
    """Five segments are declared lost and retransmitted. Then their originals arrive one by one. The last one undoes the reduction."""
    tcp.write(10)
    tcp.run(50)
    tcp.acknowledge(0, [(5, 10)], echo=5)
    tcp.show(100)
    for number in range(1, 5):
        tcp.acknowledge(number, [(5, 10)], echo=number - 1)
        tcp.show(100 + 20 * number)
    tcp.acknowledge(10, echo=4)
    tcp.show(250)


def spurious(tcp):
    """A probe repeats the last of six segments, and a timeout the first. The originals of five arrive; both copies of the last are lost."""
    tcp.write(4)
    tcp.run(50)
    tcp.acknowledge(4, echo=0)
    tcp.run(60)
    tcp.write(6)
    tcp.show(850)
    tcp.acknowledge(9)
    tcp.show(870)
    tcp.write(5)
    tcp.show(920)
    tcp.acknowledge(9, [(10, 15)], echo=10)
    tcp.show(950)


def probe(tcp, duplicate):
    tcp.write(10)
    tcp.run(50)
    tcp.acknowledge(9, echo=0)
    tcp.show(360)
    tcp.write(1)
    tcp.run(380)
    tcp.acknowledge(11, [duplicate], echo=9)
    tcp.show(480)


def own(tcp):
    """A probe repeats the last segment. A duplicate SACK reports that this segment arrived twice: there was no loss."""
    probe(tcp, (9, 10))


def other(tcp):
    """A probe repeats the last segment. A duplicate SACK reports another segment: the probe repaired a loss, and the window is reduced."""
    probe(tcp, (3, 4))


def frames(tcp):
    """A segment each 62 ms. Ten are acknowledged after 50 ms, then no more. Each segment delays the probe, and with it the timeout, until the window is full."""
    for frame in range(21):
        tcp.write(1)
        if frame < 10:
            tcp.run(62 * frame + 50)
            tcp.acknowledge(frame + 1)
            tcp.run(62 * (frame + 1))
        else:
            tcp.show(62 * (frame + 1))
    tcp.show(1700)


def slow(tcp):
    """Segments take 120 ms each, and the handshake took 30 ms. After a probe the timeout expires too early instead of the next probe. It is undone."""
    tcp.write(30)
    tcp.show(148)
    for number in range(1, 4):
        tcp.acknowledge(number)
        tcp.show(148 + 120 * number)


# Each case, with the round trip of its handshake in seconds.
CASES = {late: 0.05, spurious: 0.05, own: 0.05, other: 0.05, frames: 0.05, slow: 0.03}


def main():
    wanted = sys.argv[1:] or [case.__name__ for case in CASES]
    for name in wanted:
        case = next((case for case in CASES if case.__name__ == name), None)
        if case is None:
            sys.exit(f"there is no case {name!r}: one of {', '.join(case.__name__ for case in CASES)}")
        if os.geteuid() != 0:
            sys.exit("a network namespace and a TUN device need root: run it with sudo")
        print(f"{name}: {case.__doc__}", flush=True)
        child = os.fork()
        if child == 0:
            if ctypes.CDLL(None, use_errno=True).unshare(0x40000000) != 0:  # CLONE_NEWNET
                sys.exit(f"no network namespace: {os.strerror(ctypes.get_errno())}")
            case(Connection(CASES[case]))
            sys.stdout.flush()
            os._exit(0)
        if os.waitpid(child, 0)[1] != 0:
            sys.exit(1)


if __name__ == "__main__":
    main()
