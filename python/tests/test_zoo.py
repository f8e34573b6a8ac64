"""Several agents on one network."""

import warnings

import numpy as np
import pytest

import narrows.gym as gym

pytest.importorskip("pettingzoo", reason="without PettingZoo several agents are not tested")

from pettingzoo.test import parallel_api_test  # noqa: E402

import narrows.zoo as zoo  # noqa: E402

FIXED = gym.Networks(rate_mbps=(20.0, 20.0), rtt_ms=(30.0, 30.0), buffer_packets=(50.0, 50.0), loss=(0.0, 0.0))
PRESETS = ["aurora", "mvfst-rl", "orca"]


@pytest.mark.parametrize("preset", PRESETS)
def test_pettingzoos_own_checks_pass(preset):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(zoo.Agents(preset, 3, FIXED, steps=30), num_cycles=50)


def episode(env, seed, steps=40):
    observations, _ = env.reset(seed=seed)
    random = np.random.default_rng(3)
    seen, earned, times = [observations], [], [env.now_s]
    for _ in range(steps):
        actions = {}
        for agent in env.agents:
            space = env.action_space(agent)
            actions[agent] = random.integers(space.n) if hasattr(space, "n") else random.uniform(-0.3, 0.3, 1).astype(np.float32)
        observations, rewards, *_ = env.step(actions)
        seen.append(observations)
        earned.append(rewards)
        times.append(env.now_s)
    return seen, earned, times


@pytest.mark.parametrize("preset, interval_s", [("aurora", 0.03), ("mvfst-rl", 0.1), ("orca", 0.02)])
def test_all_decide_at_the_same_times_and_follow_the_seed(preset, interval_s):
    env = zoo.Agents(preset, 3, FIXED)
    seen, earned, times = episode(env, 5)
    assert np.diff(times) == pytest.approx([interval_s] * 40) and times[0] / interval_s == pytest.approx(round(times[0] / interval_s))
    again, earned_again, _ = episode(zoo.Agents(preset, 3, FIXED), 5)
    assert earned == earned_again
    for one, two in zip(seen, again, strict=True):
        assert one.keys() == two.keys() and all(np.array_equal(one[agent], two[agent]) for agent in one)
    assert episode(env, 6)[1] != earned
    # Each agent has its own observations.
    assert not np.array_equal(seen[-1]["agent-0"], seen[-1]["agent-1"])


def test_each_agent_steers_its_own_flow():
    env = zoo.Agents("mvfst-rl", 2, FIXED)
    observations, _ = env.reset(seed=1)
    assert env.windows == {"agent-0": 10.0, "agent-1": 10.0}
    env.step({"agent-0": 3, "agent-1": 0})
    assert env.windows == {"agent-0": 20.0, "agent-1": 10.0}
    observations, rewards, *_ = env.step({"agent-0": 4, "agent-1": 1})
    assert env.windows == {"agent-0": 40.0, "agent-1": 5.0}
    acked = dict.fromkeys(env.agents, 0.0)
    for _ in range(20):
        observations, rewards, *_ = env.step({"agent-0": 0, "agent-1": 0})
        for agent, observation in observations.items():
            acked[agent] += observation[16]
    # Together the windows are less than the path holds: each agent gets its window per round trip,
    # and the fifth packet waits for a delayed acknowledgement.
    assert 8.0 * 0.9 < acked["agent-0"] / acked["agent-1"] < 8.0 * 1.5
    assert rewards["agent-0"] != rewards["agent-1"]


def test_aurora_rates_are_each_agents():
    env = zoo.Agents("aurora", 2, FIXED)
    env.reset(seed=1)
    before = env.rates_mbps
    env.step({"agent-0": np.array([4.0], np.float32), "agent-1": np.array([-4.0], np.float32)})
    assert env.rates_mbps == pytest.approx({"agent-0": 1.1 * before["agent-0"], "agent-1": before["agent-1"] / 1.1}, rel=1e-6)


def test_mistakes_are_told():
    env = zoo.Agents("aurora", 2, FIXED, steps=1)
    with pytest.raises(ValueError, match="the episode is over; reset it"):
        env.step({})
    env.reset(seed=1)
    with pytest.raises(ValueError, match="there is no action of agent-1; give one for each agent"):
        env.step({"agent-0": np.zeros(1, np.float32)})
    *_, truncated, _ = env.step(dict.fromkeys(env.agents, np.zeros(1, np.float32)))
    assert truncated == {"agent-0": True, "agent-1": True} and env.agents == []
    with pytest.raises(ValueError, match='there is no preset "auror"; give one of aurora, mvfst-rl, orca'):
        zoo.Agents("auror")
