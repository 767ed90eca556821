"""Cases of the framework: batches of samples, test plugins, the engine and the ledger."""

import re
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
from case_runner import probes
from case_runner.model import Case, completion_of, metadata_of, text_of
from case_runner.rewards import build_rewards
from case_runner.view import RULE, View, compute, view_of, watched

from guerdon import Group, Reward, Sample, ScoredGroup
from guerdon.advantage import Advantages, ComponentMatrix
from guerdon.ledger import Ledger, LedgerBatch, LedgerWriter, Source
from guerdon.scoring.engine import Engine

_TOKEN = re.compile(r"\w+|[^\w\s]")
_SAMPLE_KEYS = ("completion", "completion_parts", "reference", "metadata", "prompt")


@dataclass(frozen=True, slots=True)
class Batch:
    """Samples in the order of their numbers, and the groups in the order of handing over."""

    samples: Sequence[Sample]
    groups: Sequence[Group]


def run(case: Case) -> dict[str, View]:
    """Score every variant of a framework case."""
    return {name: _run(data) for name, data in case.variants().items()}


def _run(data: Mapping[str, Any]) -> View:
    setup: Mapping[str, Any] = data["setup"]
    view = _once(data, setup)
    if replaced := setup.get("compare"):
        own = {key: replaced[key] for key in _SAMPLE_KEYS if key in replaced}
        plain = {key: value for key, value in setup.items() if key not in ("compare", "then")}
        view["alt"] = _once({**data, **own}, {**plain, **replaced})
    return view


def _once(data: Mapping[str, Any], setup: Mapping[str, Any]) -> View:
    batch = _batch(data, setup)
    try:
        rewards = build_rewards(setup, len(batch.samples))
    except ValueError as error:
        return {"refused": True, "error": type(error).__name__, "error_message": str(error)}
    inputs = [value for sample in batch.samples for value in (sample.reference, sample.metadata)]
    return watched(lambda: _score(data, setup, rewards, batch), inputs)


def _score(data: Mapping[str, Any], setup: Mapping[str, Any], rewards: Mapping[str, Reward], batch: Batch) -> View:
    one_process = setup.get("run_in") == "one_process_in_order"
    workers = 1 if one_process else setup.get("workers", 2)
    with Engine(rewards, workers=workers) as engine:
        started = time.monotonic()
        scored = _in_thread(setup.get("run_in"), lambda: engine.score(batch.groups))
        elapsed = time.monotonic() - started
        view = _result(setup, rewards, scored) | {"elapsed_s": elapsed}
        if then := setup.get("then"):
            following = {**{key: value for key, value in setup.items() if key != "then"}, **then}
            own = {key: then[key] for key in _SAMPLE_KEYS if key in then}
            second = _batch({**data, **own}, following)
            view["next_batch"] = _result(following, rewards, engine.score(second.groups))
        return view


def _result(setup: Mapping[str, Any], rewards: Mapping[str, Reward], scored: Sequence[ScoredGroup]) -> View:
    matrix, advantages = compute(scored, rewards)
    view = view_of(scored, advantages)
    if setup.get("write_ledger"):
        _through_ledger(view, scored, matrix, advantages)
    return view


def _in_thread[T](run_in: str | None, action: Callable[[], T]) -> T:
    """Run an action, in a thread other than the main one if asked for."""
    if run_in != "worker_thread":
        return action()
    results: list[T] = []
    errors: list[Exception] = []

    def body() -> None:
        try:
            results.append(action())
        except Exception as error:  # noqa: BLE001  # raised again below
            errors.append(error)

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


def _through_ledger(view: View, scored: Sequence[ScoredGroup], matrix: ComponentMatrix, advantages: Advantages) -> None:
    """Write the batch, read it back, and note its rows and the totals computed from them."""
    source = Source("cases", "0", "0" * 64, "0" * 64)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ledger"
        with LedgerWriter(path, run="cases", attempt=1, sources=dict.fromkeys(matrix.components, source)) as writer:
            writer.write_batch(LedgerBatch("train", 1, 0, scored, matrix, RULE, advantages))
        ledger = Ledger(path)
        view["ledger_rows"] = ledger.records().num_rows
        samples = ledger.samples()
        totals = dict(zip(samples["sample_id"].to_pylist(), samples["total"].to_pylist(), strict=True))
        contributed = ledger.records().filter(pc.is_valid(ledger.records()["contribution"]))
        assert contributed.num_rows <= view["ledger_rows"]
    for group in scored:
        for sample in group.group.samples:
            view["samples"][sample.metadata[probes.NUMBER]]["ledger_total"] = totals[sample.id]


def _batch(data: Mapping[str, Any], setup: Mapping[str, Any]) -> Batch:
    texts = _completions(data, setup)
    references = _references(data, setup, len(texts))
    size = setup.get("group_size") or len(texts)
    metadata = metadata_of(data)
    samples = [
        _sample(number, size, text, reference, metadata, data.get("prompt"))
        for number, (text, reference) in enumerate(zip(texts, references, strict=True))
    ]
    groups: dict[str, list[Sample]] = {}
    for number in setup.get("order") or range(len(samples)):
        groups.setdefault(samples[number].group_id, []).append(samples[number])
    return Batch(samples, [Group(name, members) for name, members in groups.items()])


def _completions(data: Mapping[str, Any], setup: Mapping[str, Any]) -> list[str]:
    if "batch" in setup:
        return [text_of(completion) for completion in setup["batch"]]
    if "batch_size" in setup:
        return ["x"] * setup["batch_size"]
    if "completion_as" in setup:
        return [text_of(setup["completion_as"])]
    if "completion_hex" in setup:
        return [bytes.fromhex(setup["completion_hex"]).decode(errors="replace")]
    return [completion_of(data)]


def _references(data: Mapping[str, Any], setup: Mapping[str, Any], count: int) -> list[Mapping[str, Any]]:
    if "references" in setup:
        return [reference or {} for reference in setup["references"]]
    shared: Mapping[str, Any] = setup.get("shared_reference") or data.get("reference") or {}
    return [shared] * count


def _sample(
    number: int, size: int, text: str, reference: Mapping[str, Any], metadata: Mapping[str, Any], prompt: str | None
) -> Sample:
    group = f"group-{number // size}"
    known = {"token_ids", "token_count"} & metadata.keys()
    return Sample(
        f"{group}/{number % size}",
        text,
        prompt=[{"role": "user", "content": prompt}] if prompt else (),
        reference=reference,
        token_count=None if known else len(_TOKEN.findall(text)),  # a trainer always counts
        metadata={**metadata, probes.NUMBER: number},
        group_id=group,
        index=number % size,
    )
