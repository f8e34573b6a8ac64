"""Environments for gymnasium, which step in Rust.

    import gymnasium, narrows.gym
    env = gymnasium.make("narrows/Aurora-v0")
    envs = gymnasium.make_vec("narrows/Aurora-v0", num_envs=256)

An interval, and with it a step, lasts a smoothed round trip. ``docs/python.md`` says what follows the paper and what is ours.
"""

from __future__ import annotations

import os
from typing import Any, SupportsFloat

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from narrows import _narrows

Range = tuple[float, float]
HISTORY, FEATURES = 10, 3
# Aurora bounds no action; ours: a quarter of the rate.
LARGEST_ACTION = 10.0


class Networks:
    """Networks that episodes are drawn from, each value uniformly from its range, buffers uniformly in their logarithm.

    Without arguments, those on which Aurora's code trains: 1.2 to 6 Mbit/s, 50 to 500 ms one way, 2 to 2981 packets, loss up
    to 5 %.

    Parameters
    ----------
    rate_mbps : (float, float)
        Rate of the bottleneck, in Mbit/s.
    rtt_ms : (float, float)
        Base round trip, in ms.
    buffer_packets : (float, float)
        Buffer of the bottleneck, in packets.
    loss : (float, float)
        Random loss of data packets, 0 to 0.9.
    """

    def __init__(
        self,
        rate_mbps: Range = (1.2, 6.0),
        rtt_ms: Range = (100.0, 1000.0),
        buffer_packets: Range = (2.0, 2981.0),
        loss: Range = (0.0, 0.05),
    ) -> None:
        self.rate_mbps = rate_mbps
        self.rtt_ms = rtt_ms
        self.buffer_packets = buffer_packets
        self.loss = loss

    def scenario(self, seed: int, controller: str = "cubic", duration_s: float = 60.0) -> str:
        """Write the network of the first episode of an environment with this seed as the text of a scenario.

        Parameters
        ----------
        seed : int
            That of the environment.
        controller : str
            The controller of the only flow, as scenarios name it.
        duration_s : float
            How long the scenario lasts, in s. Samples are a base round trip apart.
        """
        return _narrows.network(self, seed, controller, duration_s)


class Policy:
    """A learned policy of a file, which acts in environments as the controller of the same file does in scenarios.

    Parameters
    ----------
    path : str or os.PathLike
        The file, such as ``agent.policy.json``.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._inner = _narrows.Policy(os.fspath(path))

    def __call__(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        """Choose the actions for observations of one environment or of many."""
        given = np.asarray(observations, np.float32)
        return np.frombuffer(self._inner.actions(given.tobytes()), np.float32).reshape((*given.shape[:-2], 1)).copy()


def _observations() -> gymnasium.spaces.Box:
    return gymnasium.spaces.Box(-np.inf, np.inf, (HISTORY, FEATURES), np.float32)


def _actions() -> gymnasium.spaces.Box:
    return gymnasium.spaces.Box(-LARGEST_ACTION, LARGEST_ACTION, (1,), np.float32)


class Aurora(gymnasium.Env[NDArray[np.float32], NDArray[np.float32]]):
    """One sender that chooses its rate once per round trip (Jay et al., ICML 2019).

    Observation: latency gradient, latency ratio and sending ratio of the last ten intervals, the oldest first.
    Action a: the rate times 1 + 0.025 a, or divided by 1 - 0.025 a.
    Reward: 10 throughput (packets/s) - 1000 latency (s) - 2000 loss.

    Parameters
    ----------
    networks : Networks
        What the network of each episode is drawn from.
    steps : int
        Steps of an episode, 400 by default, after which it is truncated. It does not end otherwise.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, networks: Networks | None = None, steps: int = 400, render_mode: str | None = None) -> None:
        self.render_mode = render_mode
        self.observation_space: gymnasium.spaces.Box = _observations()  # type: ignore[assignment]
        self.action_space: gymnasium.spaces.Box = _actions()  # type: ignore[assignment]
        self._inner = _narrows.Aurora(1, networks or Networks(), steps)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin an episode."""
        super().reset(seed=seed)
        return _array(self._inner.reset([seed]), np.float32, (HISTORY, FEATURES)), {}

    def step(self, action: NDArray[np.float32]) -> tuple[NDArray[np.float32], SupportsFloat, bool, bool, dict[str, Any]]:
        """Choose the rate of the next interval."""
        actions = np.clip(np.asarray(action, np.float32).reshape(1), -LARGEST_ACTION, LARGEST_ACTION)
        observations, rewards, terminated, truncated = self._inner.step(actions.tobytes())
        reward = float(np.frombuffer(rewards, np.float64)[0])
        return _array(observations, np.float32, (HISTORY, FEATURES)), reward, terminated[0] != 0, truncated[0] != 0, {}


class AuroraVector(VectorEnv[NDArray[np.float32], NDArray[np.float32], NDArray[Any]]):
    """Many of `Aurora`, stepped together on all cores.

    An environment whose episode has ended begins another in the step that follows, as `AutoresetMode.NEXT_STEP` has it.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(self, num_envs: int = 1, networks: Networks | None = None, steps: int = 400, render_mode: str | None = None) -> None:
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.single_observation_space = _observations()
        self.single_action_space = _actions()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._inner = _narrows.Aurora(num_envs, networks or Networks(), steps)
        self._shape = (num_envs, HISTORY, FEATURES)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin an episode in each: with this seed and those that follow it, or with these seeds."""
        first = seed if isinstance(seed, int) else None
        super().reset(seed=first)
        seeds = seed if isinstance(seed, list) else [None if first is None else first + one for one in range(self.num_envs)]
        return _array(self._inner.reset(seeds), np.float32, self._shape), {}

    @property
    def rates_mbps(self) -> NDArray[np.float64]:
        """The pacing rates in force, in Mbit/s."""
        return np.array(self._inner.rates(), np.float64) / 1e6

    def step(
        self, actions: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Choose the rates of the next intervals."""
        given = np.clip(np.asarray(actions, np.float32).reshape(self.num_envs), -LARGEST_ACTION, LARGEST_ACTION)
        observations, rewards, terminated, truncated = self._inner.step(given.tobytes())
        return (
            _array(observations, np.float32, self._shape),
            np.frombuffer(rewards, np.float64).copy(),
            np.frombuffer(terminated, np.bool_).copy(),
            np.frombuffer(truncated, np.bool_).copy(),
            {},
        )


def _array(values: bytes, of: type, shape: tuple[int, ...]) -> NDArray[Any]:
    return np.frombuffer(values, of).reshape(shape).copy()


def register() -> None:
    """Make the environments known to gymnasium, as importing this module does."""
    if "narrows/Aurora-v0" not in gymnasium.registry:
        gymnasium.register("narrows/Aurora-v0", entry_point="narrows.gym:Aurora", vector_entry_point="narrows.gym:AuroraVector")


register()
