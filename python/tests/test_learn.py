"""Learned policies: in environments, as controllers, and the example that trains one."""

import importlib.util
import json

import numpy as np
import pytest

import narrows as nw
import narrows.gym as gym

CLEAN = gym.Networks(rate_mbps=(3.0, 3.0), rtt_ms=(60.0, 60.0), buffer_packets=(60.0, 60.0), loss=(0.0, 0.0))


@pytest.fixture
def learn(root, monkeypatch):
    """The scripts of the example, by name."""
    folder = root / "examples/learn"

    def module(name):
        spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
        made = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(made)
        return made

    return module


def write(place, layers, name="some.policy.json", preset="aurora"):
    file = place / name
    file.write_text(json.dumps({"format": "narrows-policy", "version": 1, "preset": preset, "layers": layers}))
    return file


def layer(weights, biases, activation="none"):
    return {"weights": np.asarray(weights).tolist(), "biases": list(biases), "activation": activation}


def test_a_policy_steps_as_its_controller_does(place):
    random = np.random.default_rng(3)
    # The rate grows until the latency of the last interval has grown by a twentieth. All other
    # weights are noise.
    last = np.zeros((2, 30))
    last[0, 28] = -20.0
    file = write(place, [layer(last + 0.1 * random.standard_normal((2, 30)), [21.0, 0.0], "tanh"), layer([[6.0, 0.5]], [0.0])])
    policy = gym.Policy(file)
    for seed in (1, 2):
        envs = gym.AuroraVector(1, CLEAN)
        observations, _ = envs.reset(seed=seed)
        first, rates = envs.rates_mbps[0], []
        for _ in range(80):
            observations, *_ = envs.step(policy(observations))
            rates.append(envs.rates_mbps[0])
        (place / "network.toml").write_text(CLEAN.scenario(seed, f"./{file.name}?first_mbps={first}", 5.0))
        acks = nw.run(place / "network.toml", acks="agent", out=place / f"out-{seed}", progress=False).table("acks").to_polars()
        paced = acks["pacing_mbps"].drop_nulls()
        told = paced.filter(paced != paced.shift(1).fill_null(-1.0)).to_list()
        assert len(set(rates)) > 40 and len(told) > 40
        count = min(len(told), len(rates))
        assert told[:count] == rates[:count]


@pytest.mark.parametrize("preset, of, envs, outputs", [("mvfst-rl", 220, gym.MvfstRlVector, 5), ("orca", 70, gym.OrcaVector, 1)])
def test_windows_of_a_policy_are_those_of_its_controller(place, preset, of, envs, outputs):
    weights = np.random.default_rng(3).standard_normal((outputs, of)) * (1e-4 if outputs > 1 else 0.05)
    if outputs > 1:
        # The actions cycle through keep, double, add ten and halve.
        weights[[4, 0, 0, 1, 3], [214, 215, 216, 217, 218]] += 1.0
    file = write(place, [layer(weights, [0.0] * outputs, "none" if outputs > 1 else "tanh")], preset=preset)
    policy = gym.Policy(file)
    envs = envs(1, CLEAN)
    observations, _ = envs.reset(seed=1)
    windows = [envs.windows[0]]
    for _ in range(60):
        actions = policy(observations)
        assert actions.shape == envs.action_space.shape and actions in envs.action_space
        observations, *_ = envs.step(actions)
        windows.append(envs.windows[0])
    (place / "network.toml").write_text(CLEAN.scenario(1, f"./{file.name}", float(envs.now_s[0])))
    acks = nw.run(place / "network.toml", acks="agent", out=place / "out", progress=False).table("acks").to_polars()
    told = acks["cwnd_segments"].to_list()
    # Each window of the environment is also a window of the controller, in the same order.
    found = iter(told)
    assert len(set(windows)) > 5 and all(any(abs(window - own) < 0.51 for own in found) for window in dedup(windows)), (windows, told)


def dedup(values):
    """Returns the values without consecutive repetitions."""
    return [value for value, before in zip(values, [None, *values], strict=False) if value != before]


def test_actions_follow_the_weights(place):
    weights = np.linspace(-1.0, 1.0, 60).reshape(2, 30)
    policy = gym.Policy(write(place, [layer(weights, [0.5, -0.5], "relu"), layer([[0.25, 2.0]], [-1.0], "tanh")]))
    observations = np.random.default_rng(1).uniform(-2, 2, (5, 10, 3)).astype(np.float32)
    hidden = np.maximum(observations.reshape(5, 30) @ weights.T + [0.5, -0.5], 0.0)
    assert policy(observations) == pytest.approx(np.tanh(hidden @ [[0.25], [2.0]] - 1.0), abs=1e-6)
    assert policy(observations).shape == (5, 1) and policy(observations[0]).shape == (1,)
    with pytest.raises(ValueError, match="give observations of 30 finite numbers each; these are 29"):
        policy(observations.reshape(-1)[:29].reshape(1, 29))
    with pytest.raises(ValueError, match=r"other\.policy\.json: layers\[0\]\.weights\[0\]: it has 2 numbers; give 30"):
        gym.Policy(write(place, [layer([[1.0, 2.0]], [0.0])], "other.policy.json"))


def test_training_follows_its_seed(place, learn):
    train = learn("train")
    small = dict(directions=4, best=2, networks=2, steps=40)
    one, again = (train.train(iterations=3, seed=5, **small) for _ in range(2))
    assert one == again != train.train(iterations=3, seed=6, **small)
    (place / "small.policy.json").write_text(json.dumps(one))
    gym.Policy(place / "small.policy.json")


def test_the_committed_agent_beats_cubic_on_its_own_networks(root, learn):
    evaluate = learn("evaluate")
    agent, cubic = (
        evaluate.rewards(name, evaluate.NETWORKS["trained on"], count=4, duration_s=40.0)
        for name in (str(root / "examples/learn/agent.policy.json"), "cubic")
    )
    assert sum(agent) > sum(cubic)
