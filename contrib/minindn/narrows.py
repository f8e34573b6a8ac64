"""Narrows' forwarder as an application of Mini-NDN.

    from minindn.apps.app_manager import AppManager
    from narrows import Narrows

    forwarders = AppManager(ndn, ndn.net.hosts, Narrows)

Every node gets a forwarder on /run/nfd/<node>.sock and on UDP and TCP port 6363. It has a face to
each neighbour that Mini-NDN has connected; link_rate is the bandwidth of the link ("bw" in the
topology, in Mbit/s). Tools find the forwarder by the node's client.conf. Routes are added by
Mini-NDN's helpers if NFD's tools are installed, by `ndnd fw`, or by `routes` below.
"""

import os
import shutil
import time

from minindn.apps.application import Application

SOCKETS = "/run/nfd"
PORT = 6363


class Narrows(Application):
    """A forwarder of Narrows on a node.

    routes: a dict from the name of a neighbour to a list of prefixes that lead to it.
    options: lines of TOML for [mircc], such as 'shaper_queue = 50'.
    """

    def __init__(self, node, routes=None, options=""):
        Application.__init__(self, node)
        self.program = shutil.which("narrows")
        if self.program is None:
            raise RuntimeError("the program narrows is not on PATH: build it with make build, and add target/release to PATH")
        self.socket = f"{SOCKETS}/{node.name}.sock"
        self.config = f"{self.homeDir}/narrows.toml"
        self.logFile = "narrows.log"
        os.makedirs(f"{self.homeDir}/.ndn", exist_ok=True)
        with open(f"{self.homeDir}/.ndn/client.conf", "w") as conf:
            conf.write(f"transport=unix://{self.socket}\n")
        with open(self.config, "w") as config:
            config.write(configuration(node, self.socket, routes or {}, options))

    def start(self):
        os.makedirs(SOCKETS, exist_ok=True)
        Application.start(self, f"{self.program} ndn forward --config {self.config} --log {self.homeDir}/narrows.jsonl", logfile=self.logFile)
        time.sleep(0.5)


def configuration(node, socket, routes, options=""):
    """Returns the configuration of a node's forwarder, in TOML."""
    lines = ["[listen]", f'unix = "{socket}"', f'udp = ["0.0.0.0:{PORT}"]', f'tcp = ["0.0.0.0:{PORT}"]']
    if options:
        lines += ["", "[mircc]", options]
    for interface, name, address in neighbours(node):
        lines += ["", "[[face]]", f'remote = "udp4://{address}:{PORT}"']
        if routes.get(name):
            lines.append("routes = [" + ", ".join(f'"{prefix}"' for prefix in routes[name]) + "]")
        bandwidth = getattr(interface, "params", {}).get("bw")
        if bandwidth:
            # Mininet gives rates in Mbit/s, also fractions.
            lines.append(f'link_rate = "{round(bandwidth * 1_000_000)} bit/s"')
    return "\n".join(lines) + "\n"


def neighbours(node):
    """Yields (own interface, name of the neighbour, its address) for each link of a node."""
    for interface in node.intfList():
        link = interface.link
        if link is None:
            continue
        other = link.intf2 if link.intf1 is interface else link.intf1
        if other.node is not node and other.IP():
            yield interface, other.node.name, other.IP()
