"""Train a small controller on ``narrows/Aurora-v0`` by augmented random search, and write it as a file that Narrows runs.

    python train.py -o agent.policy.json

The search is that of Mania, Guy and Recht, "Simple random search of static linear policies is competitive for reinforcement learning"
(NeurIPS 2018), version V2-t: it tries random directions on both sides of the weights, all of them on the same networks, and follows the
best. The policy is linear in observations that are centred and scaled by what was seen so far; the file has weights for observations as
they are. The same arguments give the same file.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import narrows.gym as gym

INPUTS = int(np.prod(gym.Aurora.preset.shape))
# Bounds of rates while training, in Mbit/s: 40 to 1000 packets/s, as in the code of Aurora's authors.
RATES = (0.48, 12.0)
Array = NDArray[np.float64]


class Seen:
    """Mean and deviation of all observations so far."""

    def __init__(self) -> None:
        self.count, self.sum, self.squares = 0, np.zeros(INPUTS), np.zeros(INPUTS)

    def add(self, inputs: Array) -> None:
        """Take in observations, one a row."""
        self.count += len(inputs)
        self.sum += inputs.sum(axis=0)
        self.squares += (inputs**2).sum(axis=0)

    def scale(self) -> tuple[Array, Array]:
        """Both, for each input."""
        if self.count == 0:
            return np.zeros(INPUTS), np.ones(INPUTS)
        mean = self.sum / self.count
        return mean, np.sqrt(np.maximum(self.squares / self.count - mean**2, 1e-8))


def returns(envs: gym.AuroraVector, policies: Array, seeds: list[int], steps: int, seen: Seen) -> Array:
    """The mean reward of a step, of each policy: a row of weights with a bias at its end. All run on the networks of these seeds."""
    mean, deviation = seen.scale()
    each = np.repeat(policies, len(seeds), axis=0)
    observations, _ = envs.reset(seed=[*seeds] * len(policies))
    total = np.zeros(len(each))
    for _ in range(steps):
        inputs = observations.reshape(len(each), INPUTS).astype(np.float64)
        seen.add(inputs)
        actions = (each[:, :-1] * (inputs - mean) / deviation).sum(axis=1) + each[:, -1]
        observations, rewards, _, _, _ = envs.step(held(actions, envs.rates_mbps))
        total += rewards
    return total.reshape(len(policies), len(seeds)).mean(axis=1) / steps


def held(actions: Array, rates: Array) -> NDArray[np.float32]:
    """Actions that leave rates in `RATES`: a policy that only ever sends faster would cost time and teach nothing."""
    least, most = (np.array(bound) / rates for bound in RATES)
    bounds = (np.where(ratio >= 1, ratio - 1, 1 - 1 / ratio) / 0.025 for ratio in (least, most))
    return np.clip(actions, *bounds).astype(np.float32)


def train(
    iterations: int = 100,
    seed: int = 1,
    directions: int = 8,
    best: int = 4,
    networks: int = 6,
    steps: int = 100,
    step: float = 0.3,
    noise: float = 0.3,
) -> dict[str, Any]:
    """Search, and return the policy as its file has it.

    Each iteration tries `directions` on both sides, `noise` deviations away, in so many `steps` on each of so many `networks`, and makes a `step`
    towards the `best`.
    """
    random = np.random.default_rng(seed)
    envs = gym.AuroraVector(2 * directions * networks, steps=steps)
    weights, seen = np.zeros(INPUTS + 1), Seen()
    began = time.monotonic()
    for iteration in range(iterations):
        tried = random.standard_normal((directions, INPUTS + 1))
        seeds = random.integers(1 << 40, size=networks).tolist()
        both = returns(envs, np.concatenate([weights + noise * tried, weights - noise * tried]), seeds, steps, seen).reshape(2, directions)
        chosen = np.argsort(-both.max(axis=0), kind="stable")[:best]
        up, down = both[:, chosen]
        weights = weights + step / (best * both[:, chosen].std()) * (up - down) @ tried[chosen]
        print(f"{iteration + 1:4} {both.mean():9.1f} {time.monotonic() - began:7.1f} s", flush=True)
    mean, deviation = seen.scale()
    own = weights[:-1] / deviation
    words = f"trained by examples/learn/train.py --iterations {iterations} --seed {seed}"
    return {
        "format": "narrows-policy",
        "version": 1,
        "preset": "aurora",
        "note": words,
        "layers": [{"weights": [own.tolist()], "biases": [float(weights[-1] - own @ mean)], "activation": "none"}],
    }


def main() -> None:
    """Read arguments, train, write."""
    arguments = argparse.ArgumentParser(description="Train a small controller on narrows/Aurora-v0.")
    arguments.add_argument("-o", "--out", type=Path, default=Path("agent.policy.json"), help="the file to write")
    arguments.add_argument("--iterations", type=int, default=100)
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    policy = train(iterations=given.iterations, seed=given.seed)
    given.out.write_text(json.dumps(policy, indent=1) + "\n")


if __name__ == "__main__":
    main()
