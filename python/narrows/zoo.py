"""Several agents on one network, for PettingZoo.

    import narrows.zoo
    env = narrows.zoo.Agents("aurora", agents=3)
    observations, infos = env.reset(seed=1)
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from narrows import gym as _gym
from narrows._networks import Mix, Networks, whole

_ENVIRONMENTS: dict[str, type[_gym.Environment]] = {one.preset.name: one for one in (_gym.Aurora, _gym.MvfstRl, _gym.Orca)}


class Agents(_gym.Simulated, ParallelEnv[str, NDArray[np.float32], Any]):  # type: ignore[misc]
    """Agents that steer flows of one bottleneck, and all act at the same times.

    They act at multiples of the interval of the preset; for ``"aurora"`` it is the base round trip of
    the network. All flows send from the beginning; the first step comes when all agents have an
    observation. A pickle has everything except the running episode, and must be reset.

    Parameters
    ----------
    preset : str
        Observations and actions: ``"aurora"``, ``"mvfst-rl"`` or ``"orca"``, as in `narrows.gym`.
    agents : int
        Number of agents.
    networks : Networks or Mix
        Distribution of the networks of episodes. The distribution of the preset by default.
    steps : int
        Steps of an episode, 400 by default, after which all agents are truncated. It does not end
        otherwise.

    Raises
    ------
    ValueError
        The preset is unknown, or a number is invalid: the name, the value and a remedy.
    """

    metadata: dict[str, Any] = {"name": "narrows_agents_v0", "render_modes": []}

    def __init__(
        self,
        preset: str = "aurora",
        agents: int = 2,
        networks: Networks | Mix | None = None,
        steps: int = 400,
        render_mode: str | None = None,
    ) -> None:
        self.render_mode = render_mode
        self._preset = _gym.Preset(preset)
        agents = whole("agents", agents, 1, _gym.MOST_ENVIRONMENTS)
        self.simulate(self._preset, 1, agents, _ENVIRONMENTS[preset].networks if networks is None else networks, steps)
        self.possible_agents = [f"agent-{number}" for number in range(agents)]
        self.agents: list[str] = []
        self._observations = {agent: self._preset.observations() for agent in self.possible_agents}
        self._actions = {agent: self._preset.actions() for agent in self.possible_agents}

    def observation_space(self, agent: str) -> gymnasium.spaces.Box:
        """Return the space of an agent's observations."""
        return self._observations[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """Return the space of an agent's actions."""
        return self._actions[agent]

    @property
    def now_s(self) -> float:
        """End of the last interval of all agents, in seconds since the episode began."""
        return self._inner.times()[0]

    @property
    def rates_mbps(self) -> dict[str, float]:
        """The pacing rate of each agent in the last interval, in Mbit/s; 0 without pacing."""
        return {agent: rate / 1e6 for agent, rate in zip(self.possible_agents, self._inner.rates(), strict=True)}

    @property
    def windows(self) -> dict[str, float]:
        """The window of each agent in the last interval, in segments."""
        return dict(zip(self.possible_agents, self._inner.windows(), strict=True))

    def _seen(self, observations: bytes) -> dict[str, NDArray[np.float32]]:
        return dict(zip(self.possible_agents, self._preset.shaped(observations, len(self.possible_agents)), strict=True))

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[np.float32]], dict[str, dict[str, Any]]]:
        """Begin an episode. Ignores `options`."""
        seen = self._seen(self._inner.reset([_gym.one_seed("seed", seed)], [True]))
        self.agents = list(self.possible_agents)
        return seen, {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, NDArray[np.float32]], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Set the rate or window of each agent for the next interval.

        Raises
        ------
        ValueError
            An agent is missing, or the episode is over.
        """
        missing = [agent for agent in self.agents if agent not in actions]
        if missing or not self.agents:
            raise ValueError(f"there is no action of {', '.join(missing)}; give one for each agent" if missing else "the episode is over; reset it")
        given = b"".join(self._preset.numbers(actions[agent], 1) for agent in self.agents)
        observations, rewards, terminated, truncated = self._inner.step(given)
        seen, agents = self._seen(observations), self.agents
        ends, cut = terminated[0] != 0, truncated[0] != 0
        if ends or cut:
            self.agents = []
        earned = np.frombuffer(rewards, np.float64).tolist()
        return seen, dict(zip(agents, earned, strict=True)), dict.fromkeys(agents, ends), dict.fromkeys(agents, cut), {agent: {} for agent in agents}
