"""Environments for learning."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import narrows.gym as gym

FIXED = gym.Networks(rate_mbps=(10.0, 10.0), rtt_ms=(30.0, 30.0), buffer_packets=(50.0, 50.0), loss=(0.0, 0.0))


def test_gymnasiums_own_checks_pass():
    with warnings.catch_warnings():
        # Gradients and ratios have no bounds, and actions those of the paper's code.
        warnings.filterwarnings("ignore", message=".*(-infinity|infinity|normalized).*")
        check_env(gymnasium.make("narrows/Aurora-v0").unwrapped, skip_render_check=True)


def test_an_episode_follows_its_seed():
    def episode(seed, envs):
        first, _ = envs.reset(seed=seed)
        actions = np.random.default_rng(7).uniform(-5, 5, (30, 4, 1)).astype(np.float32)
        steps = [envs.step(action) for action in actions]
        return np.concatenate([first[None], *(step[0][None] for step in steps)]), np.array([step[1] for step in steps])

    envs = gymnasium.make_vec("narrows/Aurora-v0", num_envs=4)
    (one, rewards), (again, rewards_again) = episode(5, envs), episode(5, envs)
    assert np.array_equal(one, again) and np.array_equal(rewards, rewards_again)
    other, _ = episode(6, envs)
    # Its second is the first one's third, and so on.
    assert np.array_equal(one[:1, 1], other[:1, 0]) and not np.array_equal(one[:, 0], other[:, 0])
    # A single environment is the first of several.
    single = gymnasium.make("narrows/Aurora-v0")
    assert np.array_equal(single.reset(seed=5)[0], one[0, 0])


def test_numbers_mean_what_the_paper_says():
    env = gymnasium.make("narrows/Aurora-v0", networks=FIXED).unwrapped
    env.reset(seed=1)
    before = env._inner.rates()[0]
    env.step(np.array([4.0], np.float32))
    assert env._inner.rates()[0] == pytest.approx(before * 1.1)
    env.step(np.array([-4.0], np.float32))
    assert env._inner.rates()[0] == pytest.approx(before)
    # Beyond the bounds is at the bounds.
    env.step(np.array([1e9], np.float32))
    assert env._inner.rates()[0] == pytest.approx(before * 1.25)
    # Well below the link's 833 packets/s of 1500 bytes nothing waits: 30 ms, and a transmission of 1.2 ms.
    while env._inner.rates()[0] > 5e6:
        env.step(np.array([-10.0], np.float32))
    for _ in range(20):
        observation, reward, *_ = env.step(np.zeros(1, np.float32))
    rate = env._inner.rates()[0]
    assert reward == pytest.approx(10 * rate / 12000 - 1000 * 0.0312, rel=0.05)
    gradient, ratio, sending = observation[-1]
    assert abs(gradient) < 0.05 and ratio == pytest.approx(1.0, abs=0.05) and sending == pytest.approx(1.0, abs=0.15)
    # Well above it the queue grows, and then overflows.
    while env._inner.rates()[0] < 2e7:
        observation, reward, *_ = env.step(np.array([10.0], np.float32))
    for _ in range(5):
        observation, reward, *_ = env.step(np.zeros(1, np.float32))
    gradient, ratio, sending = observation[-1]
    # 50 packets of 1.2 ms more than 31.2 ms.
    assert ratio == pytest.approx((31.2 + 60.0) / 31.2, rel=0.05) and sending > 1.5
    assert reward == pytest.approx(10 * 833 - 1000 * 0.0912 - 2000 * 0.5, rel=0.1)


def test_an_episode_is_cut_off_and_the_next_step_begins_another():
    envs = gymnasium.make_vec("narrows/Aurora-v0", num_envs=2, networks=FIXED, steps=3)
    assert envs.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    first, _ = envs.reset(seed=[3, 4])
    zeros = np.zeros((2, 1), np.float32)
    told = [envs.step(zeros) for _ in range(5)]
    assert [step[3].tolist() for step in told] == [[False] * 2, [False] * 2, [True] * 2, [False] * 2, [False] * 2]
    assert not any(step[2].any() for step in told)
    # An episode begins with what its first interval shows, without a reward.
    assert told[3][1].tolist() == [0.0, 0.0] and told[3][0].shape == first.shape
    assert np.array_equal(told[3][0][:, :-1], np.tile(np.array([0, 1, 1], np.float32), (2, 9, 1)))


def test_mistakes_are_told():
    with pytest.raises(ValueError, match=r"rate_mbps is \(5, 1\); give two numbers in order from 0\.01 to 100000"):
        gymnasium.make("narrows/Aurora-v0", networks=gym.Networks(rate_mbps=(5.0, 1.0)))
    with pytest.raises(ValueError, match="at least one step"):
        gymnasium.make("narrows/Aurora-v0", steps=0)
    envs = gym.AuroraVector(2, FIXED)
    envs.reset(seed=1)
    with pytest.raises(ValueError, match="give 2 finite actions"):
        envs._inner.step(np.array([0.0], np.float32).tobytes())
    with pytest.raises(ValueError, match="give 2 finite actions"):
        envs._inner.step(np.array([0.0, np.nan], np.float32).tobytes())
