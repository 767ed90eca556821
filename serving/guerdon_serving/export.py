"""From a run's folder to a bundle: staged beside its place, checked, then moved there as a whole."""

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from guerdon_serving.bundle.adapter import describe_adapter
from guerdon_serving.bundle.adapter_config import NAME, WEIGHTS, canonical_config
from guerdon_serving.bundle.base import WEIGHTS as SAFETENSORS
from guerdon_serving.bundle.base import describe_base, hub_snapshot
from guerdon_serving.bundle.card import NAME as CARD
from guerdon_serving.bundle.card import write_card
from guerdon_serving.bundle.evaluation import best_step, describe_eval, greedy_means
from guerdon_serving.bundle.files import file_facts, read_json
from guerdon_serving.bundle.plan import adapts_tower, plan_serving
from guerdon_serving.bundle.read import FACTS, Bundle, open_bundle, seal
from guerdon_serving.bundle.run import (
    RunRecord,
    adapter_folder,
    base_name,
    describe_data,
    describe_rewards,
    describe_run,
    read_run,
    saved_steps,
)
from guerdon_serving.bundle.schema import AdapterFacts, BaseFacts, BundleFacts, ProbeFacts, ProbeName
from guerdon_serving.codes import Code, RefusedError

if TYPE_CHECKING:
    from guerdon_serving.model.golden import Golden


def export_bundle(
    run_folder: Path,
    output: Path | None = None,
    *,
    step: int | Literal["best"] | None = None,
    base: Path | None = None,
    with_base: bool = False,
    allow_dirty: bool = False,
) -> Bundle:
    """Write the bundle of a run.

    The same inputs give the same bundle, byte for byte, on machines that compute alike.

    Args:
        run_folder: ``<runtime.output_dir>/<run.name>``.
        output: the bundle's folder, by default ``<run_folder>/bundle``; a bundle there is replaced.
        step: a checkpoint's step, or ``best``: the one with the highest held-out outcome. Unset: the
            finished run's adapter.
        base: the base's folder where it is not where the run had it.
        with_base: put the base's weights into the bundle too.
        allow_dirty: export although a reward ran code that is in no commit; the bundle records it.

    Raises:
        RefusedError: provenance is missing, or the adapter is not what it must be.
    """
    output = output or run_folder / "bundle"
    if output.exists() and not (output / FACTS).is_file():
        raise RefusedError(Code.BUNDLE_OUTPUT, f"{output} is there already and is no bundle")
    staged = output.with_name(f".{output.name}.tmp")
    shutil.rmtree(staged, ignore_errors=True)
    staged.mkdir(parents=True)
    try:
        _write(read_run(run_folder), run_folder, staged, step, base, with_base=with_base, allow_dirty=allow_dirty)
        shutil.rmtree(output, ignore_errors=True)
        staged.rename(output)
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    return open_bundle(output)


def _write(
    record: RunRecord,
    run_folder: Path,
    staged: Path,
    step: int | Literal["best"] | None,
    base_folder: Path | None,
    *,
    with_base: bool,
    allow_dirty: bool,
) -> None:
    rewards, data = describe_rewards(record, allow_dirty=allow_dirty), describe_data(record)
    means = greedy_means(run_folder)
    if step == "best":
        step = best_step(means, record.config["outcome"], saved_steps(run_folder))
    run = describe_run(record, record.config["runtime"]["steps"] if step is None else step)
    source = base_folder or locate_base(record)
    base = describe_base(source, base_name(record.base), record.revision)
    _copy_base(source, base, staged / "base", weights=with_base)
    adapter = _copy_adapter(adapter_folder(run_folder, step), staged, base)
    evaluation = describe_eval(means, run.step)
    (staged / CARD).write_text(write_card(base, run, rewards, evaluation), encoding="utf-8", newline="\n")
    golden, probes = _measure(staged, source, adapter)
    facts = BundleFacts(
        schema_version=1,
        stage="grpo",
        parent=str(base.revision),
        base=base,
        adapter=adapter,
        rewards=rewards,
        data=data,
        run=run,
        serving=plan_serving(adapter, read_json(staged / "adapter" / NAME, Code.ADAPTER_CONFIG)),
        eval=evaluation,
        card=file_facts(staged / CARD, CARD),
        processor=golden.processor,
        tokenizer=golden.tokenizer,
        chat_template=golden.template,
        probes=probes,
    )
    seal(staged, facts)


def locate_base(record: RunRecord) -> Path:
    """Return the folder that the run's base was read from, or its commit in the hub's cache.

    Raises:
        RefusedError: it is in neither, or a hub model has no commit.
    """
    folder = Path(record.base)
    if folder.is_dir():
        return folder
    if record.revision is None:
        raise RefusedError(
            Code.BASE_NO_REVISION,
            f"the run does not say which revision of {record.base} it trained, and no such folder is here",
        )
    cached = hub_snapshot(record.base, record.revision)
    if cached is None:
        raise RefusedError(Code.BASE_NOT_FOUND, f"{record.base} at {record.revision} is not in the hub's cache")
    return cached


def _copy_base(source: Path, base: BaseFacts, target: Path, *, weights: bool) -> None:
    target.mkdir()
    for file in base.files:
        if weights or not file.path.endswith(SAFETENSORS):
            shutil.copyfile(source / file.path, target / file.path)


def _copy_adapter(source: Path, staged: Path, base: BaseFacts) -> AdapterFacts:
    folder = staged / "adapter"
    folder.mkdir()
    if not (source / WEIGHTS).is_file():
        raise RefusedError(Code.ADAPTER_MISSING, f"there is no {source / WEIGHTS}")
    config = canonical_config(read_json(source / NAME, Code.ADAPTER_CONFIG), base)
    (folder / NAME).write_text(json.dumps(config, indent=2, sort_keys=True) + "\n", encoding="utf-8", newline="\n")
    shutil.copyfile(source / WEIGHTS, folder / WEIGHTS)
    files = [file_facts(folder / name, name) for name in (NAME, WEIGHTS)]
    return describe_adapter(folder, staged / "base", config, base, files)


def _measure(staged: Path, base_folder: Path, adapter: AdapterFacts) -> "tuple[Golden, dict[ProbeName, ProbeFacts]]":
    """Load base and adapter, and record what they make of the probes."""
    from guerdon_serving.model.golden import describe_prompting
    from guerdon_serving.model.policy import Policy
    from guerdon_serving.model.probes import encode_probes, measure
    from guerdon_serving.model.prompting import Prompter

    prompter = Prompter(staged / "base")
    encoded = encode_probes(prompter)
    golden = describe_prompting(prompter, encoded)
    policy = Policy(base_folder, golden.tokenizer)
    policy.attach("exported", staged / "adapter", mixable=not adapts_tower(adapter))
    text: tuple[ProbeName, ...] = ("text",) if adapter.groups["lm"] + adapter.groups["lm_head"] else ()
    return golden, measure(policy, "exported", encoded, moved=("image", "images", *text))
