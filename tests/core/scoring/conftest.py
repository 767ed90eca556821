from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from guerdon import Group, Plugins, Record, Reward, Sample, ScoredGroup, load_plugins

type MakeReward = Callable[..., Reward]


@pytest.fixture(scope="session")
def plugins() -> Plugins:
    return load_plugins([Path(__file__).with_name("plugin.py")])


@pytest.fixture(scope="session")
def make(plugins: Plugins) -> MakeReward:
    """Build a reward of the plugin file by name."""

    def build(name: str, **fields: Any) -> Reward:
        return plugins.entry(name).reward(**fields)

    return build


@pytest.fixture(scope="session")
def group_of() -> Callable[..., Group]:
    """Build a group from completions."""

    def build(completions: Iterable[str], group_id: str = "g", **fields: Any) -> Group:
        samples = [
            Sample(f"{group_id}/{i}", text, group_id=group_id, index=i, **fields) for i, text in enumerate(completions)
        ]
        return Group(group_id, samples)

    return build


@pytest.fixture(scope="session")
def column() -> Callable[[ScoredGroup, str], list[Record]]:
    """The records of one component."""

    def pick(scored: ScoredGroup, component: str) -> list[Record]:
        place = list(scored.components).index(component)
        return [row[place] for row in scored.records]

    return pick
