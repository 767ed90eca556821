"""From the options of a case to configured rewards, by name and through `load_plugins`, as a user would."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from case_runner import probes

from guerdon import Plugins, Reward, load_plugins

OPTION_NAMES: Mapping[tuple[str, str], str] = {}
"""(plugin, option of the cases) -> field of the reward, where the two differ."""

DEFAULT_WEIGHTS: Mapping[str, float] = {
    "correctness": 1.0,
    "format": 0.2,
    "grounding": 0.5,
    "length": 0.1,
    "safety": 0.5,
}
"""What ``weights: default`` stands for."""

ALL_BUILTIN: Mapping[str, Mapping[str, Any]] = {
    "correctness": {"answer_from": "any"},
    "format": {"format": "think_answer", "strict": True},
    "grounding": {},
    "length": {"component": "soft_overlong", "max_len": 4096, "cache_len": 512},
    "safety": {},
}
"""What ``plugins: all_builtin`` stands for."""

_BEHAVIOURS: Mapping[tuple[str, str], type[probes.Probe]] = {
    ("returns", "score"): probes.Returns,
    ("async_returns", "score"): probes.AsyncReturns,
    ("returns", "score_group"): probes.GroupReturns,
    ("raises", "score"): probes.Raises,
    ("raises", "score_group"): probes.GroupRaises,
    ("sleeps", "score"): probes.Sleeps,
}


@lru_cache(maxsize=1)
def installed() -> Plugins:
    """Load the installed plugins once."""
    return load_plugins()


def build_reward(plugin: str, options: Mapping[str, Any]) -> Reward:
    """Configure a built-in reward.

    Raises:
        ValueError: an option or its value is refused (also pydantic's and guerdon's own errors).
    """
    fields = {OPTION_NAMES.get((plugin, key), key): value for key, value in options.items()}
    return installed().entry(plugin).reward.model_validate(fields)


def build_rewards(setup: Mapping[str, Any], count: int) -> dict[str, Reward]:
    """Configure the components of a framework case for a batch of `count` samples."""
    plugins: str | Sequence[Any] = setup["plugins"]
    entries: Sequence[Any] = list(ALL_BUILTIN) if plugins == "all_builtin" else list(plugins)
    built: dict[str, Reward] = {}
    for entry in entries:
        if isinstance(entry, str) and entry != "all_builtin":
            built[entry] = build_reward(entry, _options(entry, setup))
        elif isinstance(entry, str):
            built |= {name: build_reward(name, _options(name, setup)) for name in ALL_BUILTIN}
        else:
            built[entry["name"]] = _build_probe(entry, setup, count)
    return built


def _options(plugin: str, setup: Mapping[str, Any]) -> dict[str, Any]:
    configs = setup.get("configs") or {}
    return {**configs.get(plugin, ALL_BUILTIN[plugin]), **_common(plugin, setup)}


def _common(component: str, setup: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that every reward has."""
    weights = setup.get("weights") or {}
    weight = (DEFAULT_WEIGHTS if weights == "default" else weights).get(component, 1.0)
    given = {key: setup[key] for key in ("timeout_s", "isolation") if key in setup}
    return {"weight": weight, **given}


def _build_probe(entry: Mapping[str, Any], setup: Mapping[str, Any], count: int) -> Reward:
    kind = _BEHAVIOURS[entry["behaviour"], entry.get("hook", "score")]
    own = {
        key: entry[key] for key in ("values", "on_index", "error", "otherwise", "seconds", "missing") if key in entry
    }
    low, high = entry.get("range", (0.0, 1.0))
    fields: dict[str, Any] = {**_common(entry["name"], setup), **own, "low": low, "high": high}
    if kind is probes.GroupReturns:
        fields["group_size"] = setup.get("group_size", count)
    return kind.model_validate(fields)
