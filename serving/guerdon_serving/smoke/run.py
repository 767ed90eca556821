"""The whole examination, from the first ``/ping`` to the verdict."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from guerdon.manifest import Prompt
from guerdon_serving.smoke import contract
from guerdon_serving.smoke.compare import Judge, check_comparisons, compare, make_judge, table
from guerdon_serving.smoke.endpoint import Answer, Endpoint
from guerdon_serving.smoke.load import check_swap, climb
from guerdon_serving.smoke.regression import openai_messages, regression_prompts
from guerdon_serving.smoke.result import Check, SmokeReport
from guerdon_serving.smoke.settings import SmokeSettings

COMPARE_AT_A_TIME = 8

type Tell = Callable[[Check], None]


def smoke(settings: SmokeSettings, on_check: Tell = lambda _: None) -> SmokeReport:
    """Examine an endpoint.

    Args:
        settings: what to ask.
        on_check: told each check as it ends.

    Raises:
        ConfigError: the options or the rewards' configuration are wrong.
        DataError: a manifest cannot be read.
    """
    prompts = regression_prompts(settings.data, builtin=settings.builtin)
    return asyncio.run(examine(settings, prompts, make_judge(settings), on_check))


async def examine(settings: SmokeSettings, prompts: Sequence[Prompt], judge: Judge, tell: Tell) -> SmokeReport:
    """Examine an endpoint with given prompts and rewards."""
    checks: list[Check] = []

    def note(*found: Check) -> None:
        checks.extend(found)
        for check in found:
            tell(check)

    async with _open(settings, settings.url) as endpoint:
        note(await contract.check_start(endpoint, settings.wait_s))
        if checks[-1].status == "failed":
            return SmokeReport(settings.url, settings.model or "", "", checks, [], [], [])
        model, bundle, models = await contract.describe(endpoint, settings.model)
        note(_named(model, bundle, models))
        note(*await contract.check_kinds(endpoint, model, prompts, settings.max_tokens))
        note(await contract.check_unknown(endpoint), await contract.check_body(endpoint))
        note(await contract.check_ping(endpoint), await contract.check_abandoned(endpoint, model))
        rungs, found = await climb(endpoint, settings, model, prompts)
        note(*found, await check_swap(endpoint, settings, prompts))
        answers = await _ask_all(endpoint, settings, model, prompts)
    note(*_whole(answers))
    scores = await asyncio.to_thread(judge.scores, prompts, answers)
    comparisons = compare(judge, prompts, scores, model)
    note(*check_comparisons(comparisons))
    rows = table(judge, prompts, answers, scores)
    return SmokeReport(settings.url, model, bundle, checks, rungs, comparisons, rows)


def _open(settings: SmokeSettings, url: str) -> Endpoint:
    key = settings.api_key if url == settings.url else None  # another server gets no key of this one
    return Endpoint(url, api_key=key, deadline_s=settings.deadline_s)


def _named(model: str, bundle: str, models: Sequence[Mapping[str, Any]]) -> Check:
    names = [str(entry["id"]) for entry in models]
    if model not in names:
        return Check("contract.models", "failed", f"{model!r} is not served; /v1/models lists {', '.join(names)}")
    digest = f"digest {bundle[:19]}" if bundle else "the server names no digest"
    return Check("contract.models", "ok", f"{model}, {digest}; {len(names)} models are served")


async def _ask_all(
    endpoint: Endpoint, settings: SmokeSettings, candidate: str, prompts: Sequence[Prompt]
) -> dict[str, list[Answer]]:
    """Ask candidate and rivals every prompt once."""
    answers = {candidate: await _answers(endpoint, settings, candidate, prompts)}
    for name, url in settings.against.items():
        if url == settings.url:
            answers[name] = await _answers(endpoint, settings, name, prompts)
        else:
            async with _open(settings, url) as other:
                answers[name] = await _answers(other, settings, name, prompts)
    return answers


async def _answers(endpoint: Endpoint, settings: SmokeSettings, model: str, prompts: Sequence[Prompt]) -> list[Answer]:
    places = asyncio.Semaphore(COMPARE_AT_A_TIME)

    async def one(prompt: Prompt) -> Answer:
        async with places:
            return await endpoint.ask(model, openai_messages(prompt), max_tokens=settings.max_tokens)

    return list(await asyncio.gather(*(one(prompt) for prompt in prompts)))


def _whole(answers: Mapping[str, Sequence[Answer]]) -> list[Check]:
    """Hold every model to an answer for every prompt; a missing one would count as a wrong one."""
    checks = []
    for model, given in answers.items():
        bad = [answer for answer in given if not answer.ok]
        detail = f"{len(given)} prompts answered"
        if bad:
            detail = f"{len(bad)} of {len(given)} prompts were not answered: {bad[0].status} {bad[0].problem}"
        took = sum(answer.total_s for answer in given)
        checks.append(Check(f"regression.{model}.answered", "failed" if bad else "ok", detail, took))
    return checks
