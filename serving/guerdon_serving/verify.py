"""Verifying a bundle: *static* looks at files and tensors, *load* runs it on its base.

The third level, *serve*, asks a running server: `guerdon_serving.client`.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from guerdon_serving.bundle.adapter import describe_adapter
from guerdon_serving.bundle.adapter_config import NAME, WEIGHTS, read_config
from guerdon_serving.bundle.base import check_base, find_base, refuse_code
from guerdon_serving.bundle.plan import plan_serving
from guerdon_serving.bundle.read import Bundle, check_files, open_bundle
from guerdon_serving.codes import Code, RefusedError

if TYPE_CHECKING:
    from guerdon_serving.model.policy import Policy, Precision
    from guerdon_serving.model.prompting import Prompter

PROBES: Final = frozenset({"text", "image", "images"})


@dataclass(frozen=True, slots=True)
class Loaded:
    """A bundle in memory."""

    bundle: Bundle
    policy: "Policy"
    prompter: "Prompter"
    gap: float
    """Largest difference of a probe's log-probability from the recorded one."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """What it took: ``hash`` the files, ``load`` the base, ``probe`` the adapter on it."""


def verify_static(folder: Path, *, expected_id: str | None = None) -> Bundle:
    """Check what can be checked without the base's weights.

    Schema, canonical bytes and seal; every file's digest, nothing else, no links, no code; the adapter's
    configuration, names and shapes against the model's skeleton, values, effect; the serving plan.

    Raises:
        RefusedError: the first thing that is wrong.
    """
    bundle = open_bundle(folder, expected_id=expected_id)
    check_files(bundle)
    check_adapter(bundle)
    return bundle


def check_adapter(bundle: Bundle) -> None:
    """Check the adapter's configuration and tensors, and what ``bundle.json`` concludes from them.

    Raises:
        RefusedError: the first thing that is wrong.
    """
    facts = bundle.facts
    refuse_code(bundle.base)
    if sorted(file.path for file in facts.adapter.files) != [NAME, WEIGHTS]:
        raise RefusedError(Code.ADAPTER_FACTS, f"adapter.files must list {NAME} and {WEIGHTS}, nothing else")
    config = read_config(bundle.adapter, facts.base)
    found = describe_adapter(bundle.adapter, bundle.base, config, facts.base, facts.adapter.files)
    if changed := [name for name in type(found).model_fields if getattr(found, name) != getattr(facts.adapter, name)]:
        raise RefusedError(
            Code.ADAPTER_FACTS, f"bundle.json says otherwise than the tensors about {', '.join(changed)}"
        )
    if plan_serving(found, config) != facts.serving:
        raise RefusedError(
            Code.SERVING_PLAN, f"bundle.json plans {facts.serving.mode} serving, which does not follow from the adapter"
        )
    if missing := sorted(PROBES - facts.probes.keys()):
        raise RefusedError(Code.PROBE_MISSING, f"bundle.json has no probe {', '.join(missing)}")
    if not any(probe.delta for probe in facts.probes.values()):
        raise RefusedError(Code.PROBE_NO_EFFECT, "bundle.json records no effect on any probe")


def verify_load(
    folder: Path,
    *,
    base: Path | None = None,
    expected_id: str | None = None,
    dtype: "Precision" = "float32",
    device: str = "cpu",
) -> Loaded:
    """Check statically, then load the bundle on its base, offline, and ask the probes.

    Raises:
        RefusedError: the first thing that is wrong.
    """
    from guerdon_serving.model.policy import Policy

    times = [time.perf_counter()]
    bundle = verify_static(folder, expected_id=expected_id)
    base_folder = find_base(bundle.facts.base, bundle.folder, base)
    check_base(bundle.facts.base, base_folder)
    times.append(time.perf_counter())
    policy = Policy(base_folder, bundle.facts.tokenizer, dtype=dtype, device=device)
    times.append(time.perf_counter())
    loaded = attach(bundle, policy, dtype)
    times.append(time.perf_counter())
    seconds = {name: times[n + 1] - times[n] for n, name in enumerate(("hash", "load", "probe"))}
    return replace(loaded, seconds=seconds)


def attach(bundle: Bundle, policy: "Policy", dtype: "Precision" = "float32") -> Loaded:
    """Put a verified bundle's adapter on its base and ask the probes; it stays only if they agree.

    The adapter's name in the policy is the bundle's id.

    Raises:
        RefusedError: prompts, effect or answers are not as recorded.
    """
    from guerdon_serving.model.golden import check_prompting, describe_prompting
    from guerdon_serving.model.probes import TOLERANCE, check, encode_probes
    from guerdon_serving.model.prompting import Prompter

    prompter = Prompter(bundle.base)
    encoded = encode_probes(prompter)
    check_prompting(bundle, describe_prompting(prompter, encoded))
    policy.attach(bundle.id, bundle.adapter, mixable=not bundle.facts.serving.tower)
    try:
        gap = check(policy, bundle.id, encoded, bundle.facts.probes, TOLERANCE[dtype])
    except RefusedError:
        policy.detach(bundle.id)
        raise
    return Loaded(bundle, policy, prompter, gap)
