"""Compare a learned controller with others, by Aurora's reward, on the networks that it was trained on and on others.

    python evaluate.py agent.policy.json

All run as ordinary controllers in scenarios, on the same networks. The reward of a run is 10 packets/s - 1000 mean round trip in s - 2000 loss, of
the whole run with its start. Needs polars.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import polars

import narrows as nw
import narrows.gym as gym

SEGMENT = 1448
# Networks that training never draws are seeded from here on; those of training have seeds below 2^40.
FIRST_SEED = 1 << 50
NETWORKS = {
    "trained on": gym.Networks(),
    "without loss": gym.Networks(loss=(0.0, 0.0)),
    "deep buffers": gym.Networks(buffer_packets=(2000.0, 5000.0), loss=(0.0, 0.0)),
    "20-100 Mbit/s, 10-50 ms": gym.Networks(rate_mbps=(20.0, 100.0), rtt_ms=(10.0, 50.0), loss=(0.0, 0.0)),
    "0.2-1 Mbit/s": gym.Networks(rate_mbps=(0.2, 1.0)),
}
RIVALS = ("cubic", "bbr", "pcc-vivace")


def flows(scenario: str) -> list[polars.DataFrame]:
    """Run the text of a scenario, and return the samples of each flow."""
    with tempfile.TemporaryDirectory() as place:
        file = Path(place, "network.toml")
        file.write_text(scenario)
        samples = nw.run(file, out=Path(place, "result"), progress=False).flow_samples.to_polars()
        return samples.partition_by("flow_index", maintain_order=True)


def reward(samples: polars.DataFrame) -> float:
    """Aurora's reward of a flow, from its samples."""
    last = samples.row(-1, named=True)
    packets = last["total_goodput_bytes"] / SEGMENT / last["time_s"]
    loss = last["total_dropped_packets"] / max(last["total_sent_packets"], 1)
    # One that gets nothing through has waited all the time.
    latency = samples["rtt_ms"].mean() or 1000.0 * last["time_s"]
    return 10.0 * packets - latency - 2000.0 * loss


def rewards(controller: str, networks: gym.Networks, count: int = 12, duration_s: float = 100.0) -> list[float]:
    """The reward of a controller alone on each of so many networks."""
    seeds = range(FIRST_SEED, FIRST_SEED + count)
    return [reward(flows(networks.scenario(seed, controller, duration_s))[0]) for seed in seeds]


def share(controller: str, networks: gym.Networks, count: int = 12, duration_s: float = 100.0) -> float:
    """The part of what arrives that a controller has beside a flow of CUBIC, over so many networks."""
    parts = []
    for seed in range(FIRST_SEED, FIRST_SEED + count):
        rival = '[[flow]]\nname = "rival"\nfrom = "a"\nto = "b"\ncontroller = "cubic"\n'
        own, other = (one["total_goodput_bytes"][-1] for one in flows(networks.scenario(seed, controller, duration_s) + rival))
        parts.append(own / (own + other))
    return sum(parts) / count


def main() -> None:
    """Read arguments, run, print a table."""
    arguments = argparse.ArgumentParser(description="Compare a learned controller with others.")
    arguments.add_argument("policy", type=Path, help="the file of the learned controller")
    arguments.add_argument("--count", type=int, default=12, help="networks of each kind")
    given = arguments.parse_args()
    controllers = {"agent": str(given.policy.resolve()), **{name: name for name in RIVALS}}
    print(f"| mean reward | {' | '.join(controllers)} |")
    print(f"|---|{'---|' * len(controllers)}")
    for kind, networks in NETWORKS.items():
        means = [sum(rewards(name, networks, given.count)) / given.count for name in controllers.values()]
        print(f"| {kind} | {' | '.join(f'{mean:.0f}' for mean in means)} |", flush=True)
    shares = [share(name, NETWORKS["without loss"], given.count) for name in controllers.values()]
    print(f"| share beside CUBIC, without loss | {' | '.join(f'{100 * part:.0f} %' for part in shares)} |")


if __name__ == "__main__":
    main()
