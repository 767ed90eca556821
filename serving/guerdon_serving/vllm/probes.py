"""The probes, asked through vLLM: same prompts, an effect, and the recorded answers.

vLLM accepts an adapter whose keys match nothing and serves the base (vllm#34186), so its 200 says little.
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from guerdon_serving.bundle.schema import ProbeFacts, ProbeName, Token
from guerdon_serving.client import probe_request
from guerdon_serving.codes import Code, RefusedError
from guerdon_serving.model.golden import check_prompting, describe_prompting
from guerdon_serving.model.probes import TOLERANCE, encode_probes, make_probes
from guerdon_serving.model.prompting import Encoded, Prompter
from guerdon_serving.vllm.api import CHAT, probe_answer, probe_body

if TYPE_CHECKING:
    from guerdon_serving.bundle.read import Bundle
    from guerdon_serving.vllm.engine import VllmEngine

MIN_SHARE: Final = 0.25
"""Of the recorded effect, that must be seen: rounding makes it differ, an adapter that is ignored makes it 0."""


def check_prompts(bundle: "Bundle", prompter: Prompter) -> dict[ProbeName, Encoded]:
    """Hold the installed libraries to the bundle's golden renders; return the encoded probes.

    Raises:
        RefusedError: template, tokenizer or processor say otherwise.
    """
    encoded = encode_probes(prompter)
    check_prompting(bundle, describe_prompting(prompter, encoded))
    return encoded


async def check_served(engine: "VllmEngine", bundle: "Bundle", encoded: Mapping[ProbeName, Encoded]) -> float:
    """Ask base and adapter every probe; return the largest difference from the recorded ones.

    Raises:
        RefusedError: vLLM reads other tokens, sees no effect, or answers otherwise.
    """
    worst = 0.0
    for name, probe in make_probes().items():
        facts = bundle.facts.probes[name]
        wanted = sorted({token.id for token in [*facts.base, *facts.adapter]})
        messages = probe_request(probe, bundle.id)["messages"]
        base = await _ask(engine, None, messages, wanted, encoded[name], name)
        adapter = await _ask(engine, bundle.id, messages, wanted, encoded[name], name)
        _check_effect(name, facts, base, adapter)
        gaps = [_gap(base, facts.base), _gap(adapter, facts.adapter)]
        worst = max(worst, *gaps)
        if not worst <= TOLERANCE[engine.dtype]:
            raise RefusedError(
                Code.PROBE_MISMATCH,
                f"probe {name}: vLLM's log-probabilities are off by {worst:.2g}, at most {TOLERANCE[engine.dtype]:g}",
            )
    return worst


async def _ask(
    engine: "VllmEngine",
    adapter: str | None,
    messages: Sequence[Mapping[str, Any]],
    wanted: Sequence[int],
    encoded: Encoded,
    name: str,
) -> dict[int, float]:
    prompt, found = probe_answer(await engine.post(CHAT, probe_body(adapter, messages, wanted)))
    if _once(prompt) != _once(encoded.token_ids):
        raise RefusedError(
            Code.PROBE_MISMATCH, f"probe {name}: vLLM reads other prompt tokens than the bundle's processor"
        )
    return found


def _once(ids: Sequence[int]) -> list[int]:
    """Write runs of the same token once: an image's placeholder stands for as many as its grid has."""
    return [token for token, _ in itertools.groupby(ids)]


def _gap(found: Mapping[int, float], recorded: Sequence[Token]) -> float:
    return max(abs(found.get(token.id, float("-inf")) - token.logprob) for token in recorded)


def _check_effect(name: str, facts: ProbeFacts, base: Mapping[int, float], adapter: Mapping[int, float]) -> None:
    """Compare the effect on the tokens that were recorded for both."""
    recorded = {token.id: token.logprob for token in facts.base}
    both = {token.id: abs(token.logprob - recorded[token.id]) for token in facts.adapter if token.id in recorded}
    if not both or not max(both.values()):
        return
    token = max(both, key=lambda token: both[token])
    seen = abs(adapter.get(token, 0.0) - base.get(token, 0.0))
    if not seen >= MIN_SHARE * both[token]:
        raise RefusedError(
            Code.PROBE_NO_EFFECT,
            f"probe {name}: under vLLM base and adapter differ by {seen:.2g} where {both[token]:.2g} was recorded",
        )
