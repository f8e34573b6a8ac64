"""Tests of narrows.py with stand-ins of Mini-NDN and Mininet: python3 -m unittest discover contrib/minindn"""

import os
import stat
import sys
import tempfile
import types
import unittest

STARTED = []


class Application:
    """Mini-NDN's base class, as far as narrows.py uses it (minindn/apps/application.py)."""

    def __init__(self, node):
        self.node = node
        self.homeDir = node.params["params"]["homeDir"]

    def start(self, command, logfile, envDict=None):
        STARTED.append((command, logfile))


for name in ["minindn", "minindn.apps", "minindn.apps.application"]:
    sys.modules[name] = types.ModuleType(name)
sys.modules["minindn.apps.application"].Application = Application
sys.path.insert(0, os.path.dirname(__file__))

import narrows  # noqa: E402


class Interface:
    def __init__(self, node, address, params):
        self.node, self.address, self.params, self.link = node, address, params, None
        node.interfaces.append(self)

    def IP(self):
        return self.address


class Node:
    def __init__(self, name, home):
        self.name, self.params, self.interfaces = name, {"params": {"homeDir": home}}, []

    def intfList(self):
        return self.interfaces


class Link:
    def __init__(self, one, two, params, addresses):
        self.intf1, self.intf2 = Interface(one, addresses[0], params), Interface(two, addresses[1], params)
        self.intf1.link = self.intf2.link = self


class NarrowsTest(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.home = place.name
        program = os.path.join(self.home, "narrows")
        with open(program, "w") as file:
            file.write("#!/bin/sh\n")
        os.chmod(program, os.stat(program).st_mode | stat.S_IXUSR)
        path = os.environ["PATH"]
        self.addCleanup(os.environ.update, PATH=path)
        os.environ["PATH"] = self.home + ":" + path
        self.a, self.b, self.c = (Node(name, os.path.join(self.home, name)) for name in "abc")
        Link(self.a, self.b, {"bw": 10, "delay": "5ms"}, ("10.0.0.1", "10.0.0.2"))
        Link(self.c, self.a, {}, ("10.0.0.5", "10.0.0.6"))
        Interface(self.a, "127.0.0.1", {})
        narrows.SOCKETS = os.path.join(self.home, "run")

    def test_a_node_gets_a_face_for_each_link_with_its_rate(self):
        written = narrows.configuration(self.a, "/run/nfd/a.sock", {"b": ["/b", "/x"]}, "shaper_queue = 50")
        self.assertEqual(
            written,
            '[listen]\nunix = "/run/nfd/a.sock"\nudp = ["0.0.0.0:6363"]\ntcp = ["0.0.0.0:6363"]\n\n[mircc]\nshaper_queue = 50\n\n'
            '[[face]]\nremote = "udp4://10.0.0.2:6363"\nroutes = ["/b", "/x"]\nlink_rate = "10000000 bit/s"\n\n'
            '[[face]]\nremote = "udp4://10.0.0.5:6363"\n',
        )

    def test_it_starts_with_the_files_that_tools_read(self):
        forwarder = narrows.Narrows(self.b)
        socket = f"{narrows.SOCKETS}/b.sock"
        with open(f"{self.home}/b/.ndn/client.conf") as conf:
            self.assertEqual(conf.read(), f"transport=unix://{socket}\n")
        with open(f"{self.home}/b/narrows.toml") as config:
            self.assertIn("udp4://10.0.0.1:6363", config.read())
        forwarder.start()
        command, log = STARTED[-1]
        self.assertIn(f"narrows ndn forward --config {self.home}/b/narrows.toml", command)
        self.assertEqual(log, "narrows.log")
        self.assertTrue(os.path.isdir(narrows.SOCKETS))

    def test_without_the_program_it_says_how_to_get_it(self):
        os.environ["PATH"] = "/nowhere"
        with self.assertRaisesRegex(RuntimeError, "make build"):
            narrows.Narrows(self.c)


if __name__ == "__main__":
    unittest.main()
