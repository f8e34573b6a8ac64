"""Environments for gymnasium, implemented in Rust.

    import gymnasium, narrows.gym
    env = gymnasium.make("narrows/Aurora-v0")
    envs = gymnasium.make_vec("narrows/Aurora-v0", num_envs=256)

The environments are ``Aurora``, ``MvfstRl`` and ``Orca``. ``docs/reference/python.md`` lists the parts that
follow the papers and their code, and the choices of this project.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, SupportsFloat

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from narrows import _narrows
from narrows._networks import ORCA, PANTHEON, Mix, Networks, checked, whole

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
# Largest seed, and largest number of environments and steps, which the extension's integers hold.
LARGEST_SEED = 2**64 - 1
MOST = 2**32 - 1
# Each environment has a thread.
MOST_ENVIRONMENTS = 10**6


def one_seed(name: str, seed: object) -> int | None:
    """Convert a seed, which may be a NumPy integer, to a plain integer."""
    return None if seed is None else whole(name, seed, 0, LARGEST_SEED)


def many_seeds(seed: object, count: int) -> list[int | None]:
    """Return `count` seeds: the numbers of a sequence, or a number and the numbers after it."""
    if isinstance(seed, np.ndarray) and seed.ndim == 1:
        seed = seed.tolist()
    if isinstance(seed, Sequence) and not isinstance(seed, (str, bytes)):
        if len(seed) != count:
            raise ValueError(f"seed has {len(seed)} numbers; give one for each of the {count} environments")
        return [one_seed(f"seed[{place}]", own) for place, own in enumerate(seed)]
    first = one_seed("seed", seed)
    return [None] * count if first is None else [one_seed("seed", first + place) for place in range(count)]


def mask(options: Mapping[str, Any] | None, count: int) -> list[bool]:
    """Return the mask of a reset: ``options["reset_mask"]``, or True for all environments."""
    if options is None or "reset_mask" not in options:
        return [True] * count
    given = options["reset_mask"]
    if not isinstance(given, np.ndarray) or given.dtype != np.bool_ or given.shape != (count,) or not given.any():
        raise ValueError(f'options["reset_mask"] is {given!r}; give a NumPy array of {count} truth values, at least one of which is True')
    chosen: list[bool] = given.tolist()
    return chosen


class Preset:
    """Observations and actions of agents.

    Parameters
    ----------
    name : str
        ``"aurora"``, ``"mvfst-rl"`` or ``"orca"``.

    Raises
    ------
    ValueError
        The preset is unknown.
    """

    def __init__(self, name: str) -> None:
        shape, self.largest, self.count = _narrows.preset(name)
        self.name = name
        self.shape = tuple(shape)

    def observations(self) -> gymnasium.spaces.Box:
        """Return the space of observations."""
        return gymnasium.spaces.Box(-np.inf, np.inf, self.shape, np.float32)

    def actions(self) -> gymnasium.spaces.Space[Any]:
        """Return the space of actions."""
        if self.count is not None:
            return gymnasium.spaces.Discrete(self.count)
        largest = self.largest or 0.0
        return gymnasium.spaces.Box(-largest, largest, (1,), np.float32)

    def numbers(self, actions: object, count: int) -> bytes:
        """Convert the actions of `count` agents to float32, with continuous actions clipped to their bounds.

        Raises
        ------
        ValueError
            The number of actions is wrong, or an action is invalid: the place, the value and a remedy.
        """
        try:
            given = np.asarray(actions)
        except ValueError:
            given = np.empty(0)
        kinds = "iu" if self.count is not None else "iuf"
        asked = f"whole numbers from 0 to {self.count - 1}" if self.count is not None else "numbers"
        if given.size != count or given.dtype.kind not in kinds:
            raise ValueError(f"the action is {actions!r}; give {count} {asked}, one for each agent")
        given = given.reshape(count)
        if self.count is not None:
            for place in np.flatnonzero((given < 0) | (given >= self.count)):
                raise ValueError(f"the action of agent {place} is {given[place]}; give {asked}")
        if not np.isfinite(given).all():
            raise ValueError(f"the action is {actions!r}; give {count} finite numbers")
        bounded = given if self.largest is None else np.clip(given, -self.largest, self.largest)
        return bounded.astype(np.float32).tobytes()

    def shaped(self, observations: bytes, *before: int) -> Observations:
        """Convert raw observations to an array, with the dimensions `before` for the agents."""
        return np.frombuffer(observations, np.float32).reshape((*before, *self.shape)).copy()


class Policy:
    """A learned policy from a file, which acts in environments like the controller of that file in scenarios.

    Parameters
    ----------
    path : str or os.PathLike
        The file, such as ``agent.policy.json``.

    Raises
    ------
    ValueError
        The file cannot be read, or is not a policy: the file, the place in it, the value and a remedy.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.path.abspath(path)
        self._inner = _narrows.Policy(self._path)
        self._preset = Preset(self._inner.preset)

    def __reduce__(self) -> tuple[type[Policy], tuple[str]]:
        return type(self), (self._path,)

    def __call__(self, observations: Observations) -> NDArray[Any]:
        """Choose the actions for observations of one environment or of many."""
        given = np.asarray(observations, np.float32)
        actions = np.frombuffer(self._inner.actions(given.tobytes()), np.float32)
        before = given.shape[: -len(self._preset.shape)]
        return actions.reshape((*before, 1)).copy() if self._preset.count is None else actions.reshape(before).astype(np.int64)


class Simulated:
    """Base class of environments. Their simulations run on threads of the process that began them.

    A pickle or a copy has everything except the simulations: it draws the same networks, and must be
    reset before it is stepped. Environments in a forked process must be reset as well.
    """

    _inner: _narrows.Environments

    def simulate(self, preset: Preset, count: int, agents: int, networks: Networks | Mix, steps: int) -> None:
        """Prepare the simulations of `count` environments with `agents` agents each."""
        self._simulated = (preset.name, count, agents, checked("networks", networks), whole("steps", steps, 1, MOST))
        self._inner = _narrows.Environments(*self._simulated)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_inner"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._inner = _narrows.Environments(*self._simulated)


class Environment(Simulated, gymnasium.Env[Observations, Any]):
    """One sender that an agent steers, interval by interval. Each preset has its own class.

    A pickle has everything except the running episode: reset the unpickled environment. Reset the
    environment in a forked process, too.

    Parameters
    ----------
    networks : Networks or Mix
        Distribution of the networks of episodes. The distribution of the preset by default.
    steps : int
        Steps of an episode, 400 by default, after which it is truncated. It does not end otherwise.

    Raises
    ------
    ValueError
        A range, a trace, the number of steps, a seed or an action is invalid: the name, the value
        and a remedy.
    TypeError
        `networks` has another type.
    narrows.Error
        The environment is stepped before it is reset, by two threads at once, or in a process that
        was forked after the episode began.
    """

    metadata: dict[str, Any] = {"render_modes": []}
    preset: ClassVar[Preset]
    networks: ClassVar[Networks | Mix]

    def __init__(self, networks: Networks | Mix | None = None, steps: int = 400, render_mode: str | None = None) -> None:
        self.render_mode = render_mode
        self.observation_space: gymnasium.spaces.Box = self.preset.observations()  # type: ignore[assignment]
        self.action_space = self.preset.actions()
        self.simulate(self.preset, 1, 1, self.networks if networks is None else networks, steps)

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
        """End of the last interval, in seconds since the episode began."""
        return self._inner.times()[0]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observations, dict[str, Any]]:
        """Begin an episode. Ignores `options`."""
        seed = one_seed("seed", seed)
        super().reset(seed=seed)
        return self.preset.shaped(self._inner.reset([seed], [True])), {}

    def step(self, action: Any) -> tuple[Observations, SupportsFloat, bool, bool, dict[str, Any]]:
        """Set the rate or window of the next interval."""
        observations, rewards, terminated, truncated = self._inner.step(self.preset.numbers(action, 1))
        reward = float(np.frombuffer(rewards, np.float64)[0])
        return self.preset.shaped(observations), reward, terminated[0] != 0, truncated[0] != 0, {}


class EnvironmentVector(Simulated, VectorEnv[Observations, Any, NDArray[Any]]):
    """Many environments of a preset, stepped together on all cores.

    After the end of its episode, an environment begins another in the next step
    (`AutoresetMode.NEXT_STEP`).

    Parameters
    ----------
    num_envs : int
        Number of environments.
    networks, steps
        See `Environment`.

    Raises
    ------
    ValueError
        See `Environment`.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}
    preset: ClassVar[Preset]
    networks: ClassVar[Networks | Mix]

    def __init__(
        self, num_envs: int = 1, networks: Networks | Mix | None = None, steps: int = 400, render_mode: str | None = None
    ) -> None:
        self.num_envs = num_envs = whole("num_envs", num_envs, 1, MOST_ENVIRONMENTS)
        self.render_mode = render_mode
        self.single_observation_space = self.preset.observations()
        self.single_action_space = self.preset.actions()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.simulate(self.preset, num_envs, 1, self.networks if networks is None else networks, steps)

    def reset(
        self, *, seed: int | Sequence[int | None] | NDArray[np.integer[Any]] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Begin episodes.

        Parameters
        ----------
        seed : int, or one for each environment
            The seed of the first environment, with the next numbers for the others; or a list, tuple
            or array with one seed for each. By default and for None an environment continues its
            random stream.
        options : dict, optional
            ``{"reset_mask": array}``: only environments with a True in the array begin an episode.
            Other options are ignored.

        Raises
        ------
        ValueError
            Seeds or mask are invalid, or their number is not that of the environments: the value and
            a remedy.
        narrows.Error
            A mask is given before all environments have begun.
        """
        seeds, chosen = many_seeds(seed, self.num_envs), mask(options, self.num_envs)
        super().reset(seed=seeds[0])
        return self.preset.shaped(self._inner.reset(seeds, chosen), self.num_envs), {}

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
        """Ends of the last intervals, in seconds since their episodes began."""
        return np.array(self._inner.times(), np.float64)

    def step(self, actions: Any) -> tuple[Observations, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Set the rates or windows of the next intervals."""
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
    """Many `Aurora` environments."""

    preset = Aurora.preset
    networks = Aurora.networks


class MvfstRl(Environment):
    """One sender that changes its window every 100 ms (Sivakumar et al., 2019).

    Observation: sum, mean, standard deviation, minimum and maximum of 20 fields over the acknowledgements of the interval, and the
    last 20 actions with their windows.
    Action: 0 keeps the window, 1 halves it, 2 subtracts 10 packets, 3 adds 10, 4 doubles it.
    Reward: window over standing round trip (MB/s) - 0.2 longest queueing delay (ms).
    """

    preset = Preset("mvfst-rl")
    networks = PANTHEON


class MvfstRlVector(EnvironmentVector):
    """Many `MvfstRl` environments."""

    preset = MvfstRl.preset
    networks = MvfstRl.networks


class Orca(Environment):
    """One CUBIC sender; the agent multiplies its window every 20 ms (Abbasloo et al., SIGCOMM 2020).

    Observation: seven numbers of each of the last ten intervals, the oldest first.
    Action a: the window times 4^a.
    Reward: (throughput - 5 loss) / largest throughput, smaller for long round trips.
    """

    preset = Preset("orca")
    networks = ORCA


class OrcaVector(EnvironmentVector):
    """Many `Orca` environments."""

    preset = Orca.preset
    networks = Orca.networks


def register() -> None:
    """Register the environments with gymnasium. Importing this module does it, too."""
    for name in ("Aurora", "MvfstRl", "Orca"):
        if f"narrows/{name}-v0" not in gymnasium.registry:
            gymnasium.register(f"narrows/{name}-v0", entry_point=f"narrows.gym:{name}", vector_entry_point=f"narrows.gym:{name}Vector")


register()
