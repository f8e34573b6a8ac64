"""Ctrl-C stops everything that takes long, and a controller cannot call a command."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import narrows as nw

SLOW = """
import time
import narrows as nw

class Slow(nw.Controller):
    def on_ack(self, ack):
        if ack.now_s > 0.1:
            print("begun", flush=True)
        time.sleep(0.05)

nw.compare(Slow, rate="10 Mbit/s", rtt="20 ms", duration="1000 s", seeds=1, flows=1, out="out")
"""

def test_ctrl_c_is_heard_during_slow_callbacks(place):
    child = subprocess.Popen([sys.executable, "-c", SLOW], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "begun\n"
    time.sleep(0.3)
    asked = time.monotonic()
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    # One second on an idle machine.
    assert time.monotonic() - asked < 8
    assert "KeyboardInterrupt" in said and child.returncode != 0
    assert not Path("out").exists() and list(place.iterdir()) == []


MANY = """
import narrows.gym

environments = narrows.gym.AuroraVector(num_envs=2_000)
print("begun", flush=True)
try:
    for _ in range(1000):
        environments.reset(seed=1)
except KeyboardInterrupt:
    try:
        environments.step(environments.action_space.sample())
    except narrows.Error as error:
        print(error)
    environments.close()
    raise
"""


def test_ctrl_c_is_heard_while_many_environments_are_reset():
    child = subprocess.Popen([sys.executable, "-c", MANY], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "begun\n"
    time.sleep(0.5)
    asked = time.monotonic()
    child.send_signal(signal.SIGINT)
    told, said = child.communicate(timeout=120)
    # Resetting all of them takes seconds.
    assert time.monotonic() - asked < 8
    assert "KeyboardInterrupt" in said and child.returncode != 0
    assert told == "no episode has begun; call reset() first\n"


class Nested(nw.Controller):
    """Calls a command in a callback of another command."""

    def on_interval(self, stats):
        nw.compare("cubic", duration="1 s", seeds=1, out="inner")


def test_a_command_within_a_controller_is_refused(place):
    with pytest.raises(nw.Error, match="a controller cannot make a command"):
        nw.compare(Nested, duration="2 s", seeds=1, out="out")
    assert list(place.iterdir()) == []
    # The next command can run.
    assert nw.compare("cubic", duration="1 s", seeds=1, out="after").directory == Path("after")
