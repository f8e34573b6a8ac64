"""Environments for gymnasium, which step in Rust.

    import gymnasium, narrows.gym
    env = gymnasium.make("narrows/Aurora-v0")
    envs = gymnasium.make_vec("narrows/Aurora-v0", num_envs=256)

There are ``Aurora``, ``MvfstRl`` and ``Orca``. ``docs/python.md`` says what follows the papers and their code, and what is ours.
"""

from __future__ import annotations

import os
from typing import Any, ClassVar, SupportsFloat

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from narrows import _narrows
from narrows._networks import ORCA, PANTHEON, Mix, Networks

__all__ = [
    "Aurora",
    "AuroraVector",
    "Environment",
    "EnvironmentVector",
    "Mix",
    "MvfstRl",
    "MvfstRlVector",
    "Networks",
    "Orca",
    "OrcaVector",
    "Policy",
    "register",
]

Observations = NDArray[np.float32]


class Preset:
    """How agents see and act.

    Parameters
    ----------
    name : str
        ``"aurora"``, ``"mvfst-rl"`` or ``"orca"``.

    Raises
    ------
    ValueError
        There is no such preset.
    """

    def __init__(self, name: str) -> None:
        shape, self.largest, self.count = _narrows.preset(name)
        self.name = name
        self.shape = tuple(shape)

    def observations(self) -> gymnasium.spaces.Box:
        """The space of observations."""
        return gymnasium.spaces.Box(-np.inf, np.inf, self.shape, np.float32)

    def actions(self) -> gymnasium.spaces.Space[Any]:
        """The space of actions."""
        if self.count is not None:
            return gymnasium.spaces.Discrete(self.count)
        largest = self.largest or 0.0
        return gymnasium.spaces.Box(-largest, largest, (1,), np.float32)

    def numbers(self, actions: object, count: int) -> bytes:
        """Write actions of so many agents as numbers within the bounds."""
        given = np.asarray(actions, np.float32).reshape(count)
        return (given if self.largest is None else np.clip(given, -self.largest, self.largest)).tobytes()

    def shaped(self, observations: bytes, *before: int) -> Observations:
        """Read observations of arrays of agents."""
        return np.frombuffer(observations, np.float32).reshape((*before, *self.shape)).copy()


class Policy:
    """A learned policy of a file, which acts in environments as the controller of the same file does in scenarios.

    Parameters
    ----------
    path : str or os.PathLike
        The file, such as ``agent.policy.json``.

    Raises
    ------
    ValueError
        It cannot be read, or is no policy: the file, the place in it, the value and a remedy.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._inner = _narrows.Policy(os.fspath(path))
        self._preset = Preset(self._inner.preset)

    def __call__(self, observations: Observations) -> NDArray[Any]:
        """Choose the actions for observations of one environment or of many."""
        given = np.asarray(observations, np.float32)
        actions = np.frombuffer(self._inner.actions(given.tobytes()), np.float32)
        before = given.shape[: -len(self._preset.shape)]
        return actions.reshape((*before, 1)).copy() if self._preset.count is None else actions.reshape(before).astype(np.int64)


class Environment(gymnasium.Env[Observations, Any]):
    """One sender that an agent steers, interval by interval. Each preset is a class of its own.

    Parameters
    ----------
    networks : Networks or Mix
        What the network of each episode is drawn from. By default that of the preset.
    steps : int
        Steps of an episode, 400 by default, after which it is truncated. It does not end otherwise.

    Raises
    ------
    ValueError
        A range, a trace or the number of steps is not as it must be: the name, the value and a remedy.
    """

    metadata: dict[str, Any] = {"render_modes": []}
    preset: ClassVar[Preset]
    networks: ClassVar[Networks | Mix]

    def __init__(self, networks: Networks | Mix | None = None, steps: int = 400, render_mode: str | None = None) -> None:
        self.render_mode = render_mode
        self.observation_space: gymnasium.spaces.Box = self.preset.observations()  # type: ignore[assignment]
        self.action_space = self.preset.actions()
        self._inner = _narrows.Environments(self.preset.name, 1, 1, networks or self.networks, steps)

    @property
    def rate_mbps(self) -> float:
        """The pacing rate of the last interval, in Mbit/s; 0 without pacing."""
        return self._inner.rates()[0] / 1e6

    @property
    def window(self) -> float:
        """The window of the last interval, in segments."""
        return self._inner.windows()[0]

    @property
    def now_s(self) -> float:
        """When the last interval ended, in seconds since the episode began."""
        return self._inner.times()[0]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observations, dict[str, Any]]:
        """Begin an episode."""
        super().reset(seed=seed)
        return self.preset.shaped(self._inner.reset([seed])), {}

    def step(self, action: Any) -> tuple[Observations, SupportsFloat, bool, bool, dict[str, Any]]:
        """Choose what holds in the next interval."""
        observations, rewards, terminated, truncated = self._inner.step(self.preset.numbers(action, 1))
        reward = float(np.frombuffer(rewards, np.float64)[0])
        return self.preset.shaped(observations), reward, terminated[0] != 0, truncated[0] != 0, {}


class EnvironmentVector(VectorEnv[Observations, Any, NDArray[Any]]):
    """Many environments of a preset, stepped together on all cores.

    An environment whose episode has ended begins another in the step that follows, as `AutoresetMode.NEXT_STEP` has it.

    Parameters
    ----------
    num_envs : int
        How many there are.
    networks, steps
        As those of `Environment`.

    Raises
    ------
    ValueError
        As `Environment` has it.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}
    preset: ClassVar[Preset]
    networks: ClassVar[Networks | Mix]

    def __init__(
        self, num_envs: int = 1, networks: Networks | Mix | None = None, steps: int = 400, render_mode: str | None = None
    ) -> None:
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.single_observation_space = self.preset.observations()
        self.single_action_space = self.preset.actions()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._inner = _narrows.Environments(self.preset.name, num_envs, 1, networks or self.networks, steps)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Begin an episode in each: with this seed and those that follow it, or with these seeds."""
        first = seed if isinstance(seed, int) else None
        super().reset(seed=first)
        seeds = seed if isinstance(seed, list) else [None if first is None else first + one for one in range(self.num_envs)]
        return self.preset.shaped(self._inner.reset(seeds), self.num_envs), {}

    @property
    def rates_mbps(self) -> NDArray[np.float64]:
        """The pacing rates of the last intervals, in Mbit/s; 0 without pacing."""
        return np.array(self._inner.rates(), np.float64) / 1e6

    @property
    def windows(self) -> NDArray[np.float64]:
        """The windows of the last intervals, in segments."""
        return np.array(self._inner.windows(), np.float64)

    @property
    def now_s(self) -> NDArray[np.float64]:
        """When the last intervals ended, in seconds since their episodes began."""
        return np.array(self._inner.times(), np.float64)

    def step(self, actions: Any) -> tuple[Observations, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Choose what holds in the next intervals."""
        observations, rewards, terminated, truncated = self._inner.step(self.preset.numbers(actions, self.num_envs))
        return (
            self.preset.shaped(observations, self.num_envs),
            np.frombuffer(rewards, np.float64).copy(),
            np.frombuffer(terminated, np.bool_).copy(),
            np.frombuffer(truncated, np.bool_).copy(),
            {},
        )


class Aurora(Environment):
    """One sender that chooses its rate once per smoothed round trip (Jay et al., ICML 2019).

    Observation: latency gradient, latency ratio and sending ratio of the last ten intervals, the oldest first.
    Action a: the rate times 1 + 0.025 a, or divided by 1 - 0.025 a.
    Reward: 10 throughput (packets/s) - 1000 latency (s) - 2000 loss.
    """

    preset = Preset("aurora")
    networks = Networks()


class AuroraVector(EnvironmentVector):
    """Many of `Aurora`."""

    preset = Aurora.preset
    networks = Aurora.networks


class MvfstRl(Environment):
    """One sender that changes its window every 100 ms (Sivakumar et al., 2019).

    Observation: sum, mean, standard deviation, least and most of 20 fields over the acknowledgements of the interval, and the last 20 actions
    with their windows.
    Action: 0 leaves the window, 1 halves it, 2 takes 10 packets away, 3 adds 10, 4 doubles it.
    Reward: window over standing round trip (MB/s) - 0.2 longest queueing delay (ms).
    """

    preset = Preset("mvfst-rl")
    networks = PANTHEON


class MvfstRlVector(EnvironmentVector):
    """Many of `MvfstRl`."""

    preset = MvfstRl.preset
    networks = MvfstRl.networks


class Orca(Environment):
    """One sender of CUBIC whose window is multiplied every 20 ms (Abbasloo et al., SIGCOMM 2020).

    Observation: seven numbers of each of the last ten intervals, the oldest first.
    Action a: the window times 4^a.
    Reward: (throughput - 5 loss) / largest throughput, less where round trips are long.
    """

    preset = Preset("orca")
    networks = ORCA


class OrcaVector(EnvironmentVector):
    """Many of `Orca`."""

    preset = Orca.preset
    networks = Orca.networks


def register() -> None:
    """Make the environments known to gymnasium, as importing this module does."""
    for name in ("Aurora", "MvfstRl", "Orca"):
        if f"narrows/{name}-v0" not in gymnasium.registry:
            gymnasium.register(f"narrows/{name}-v0", entry_point=f"narrows.gym:{name}", vector_entry_point=f"narrows.gym:{name}Vector")


register()
