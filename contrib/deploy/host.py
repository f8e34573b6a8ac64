"""What the scripts in this folder need of a host: the program, and control groups of their own."""
import os
import sys
import time

NARROWS = os.path.abspath(os.environ["NARROWS"]) if "NARROWS" in os.environ else "narrows"


def make_group(name):
    """Makes a control group and returns its path. Ends the script unless root runs it."""
    if os.geteuid() != 0:
        sys.exit("run it as root: the experiment attaches a program to a control group")
    with open("/proc/self/mounts") as mounts:
        mount = next(line.split()[1] for line in mounts if line.split()[2] == "cgroup2")
    os.mkdir(f"{mount}/{name}")
    return f"{mount}/{name}"


def remove_group(path):
    """Removes a control group. Ended processes leave it a moment later."""
    until = time.monotonic() + 10
    while os.path.exists(path):
        try:
            os.rmdir(path)
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)
