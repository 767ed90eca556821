"""Cases of one plugin: one sample, one component."""

import time
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from case_runner import probes
from case_runner.model import Case, completion_of, metadata_of
from case_runner.rewards import build_reward
from case_runner.view import View, compute, view_of, watched

from guerdon import Group, Reward, Sample
from guerdon.scoring.engine import Engine

WARM_UP = Sample("warm-up/0", "x", reference={"type": "exact", "answer": "x"}, group_id="warm-up")


class PluginRunner:
    """Scores plugin cases; engines are kept, one for each configuration."""

    def __init__(self) -> None:
        self._engines: dict[str, Engine] = {}
        self._stack = ExitStack()

    def close(self) -> None:
        """End all workers."""
        self._stack.close()

    def run(self, case: Case) -> dict[str, View]:
        """Score every variant."""
        try:
            reward = build_reward(case.plugin, case.data.get("config") or {})
        except ValueError as error:
            return {"": {"refused": True, "error": type(error).__name__, "error_message": str(error)}}
        return {name: self._score(case.plugin, reward, data) for name, data in case.variants().items()}

    def _score(self, component: str, reward: Reward, data: Mapping[str, Any]) -> View:
        engine = self._engine(component, reward)
        sample = sample_of(data)
        group = Group(sample.group_id, [sample])

        def action() -> View:
            started = time.monotonic()
            scored = engine.score([group])
            elapsed = time.monotonic() - started
            _, advantages = compute(scored, {component: reward})
            return {**view_of(scored, advantages), "elapsed_s": elapsed}

        return watched(action, [sample.reference, sample.metadata])

    def _engine(self, component: str, reward: Reward) -> Engine:
        key = f"{component} {reward.model_dump_json()}"
        if key not in self._engines:
            engine = self._stack.enter_context(Engine({component: reward}, workers=1))
            engine.score([Group("warm-up", [WARM_UP])])
            self._engines[key] = engine
        return self._engines[key]


def sample_of(data: Mapping[str, Any]) -> Sample:
    prompt = data.get("prompt")
    return Sample(
        "case/0",
        completion_of(data),
        prompt=[{"role": "user", "content": prompt}] if prompt else (),
        reference=data.get("reference") or {},
        metadata={**metadata_of(data), probes.NUMBER: 0},
        group_id="case",
    )
