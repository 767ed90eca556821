"""The nastiest inputs, in a process of their own: prints the slowest call and the memory of a plugin as JSON."""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.fuzz_judge import Tally, aims, judge
from benchmarks.fuzz_mutate import Mutator, seeds
from guerdon import Reward, Sample
from guerdon_plugins import Correctness, Format, Grounding, Length, Safety

SIZE = 1_000_000
"""Characters of an input."""

PARTS = (
    *("A ", "7", "7,", "<think>", "</think>", "<answer>A</answer>", "\\boxed{", "\\boxed{1}", "{", "[", '{"a":', "\n"),
    *(
        "Answer: ",
        "答案是",
        "一百",
        "not A ",
        "[1,2,3,4],",
        "(1,2),",
        '{"bbox_2d":[1,2,3,4]}',
        "a@b.com ",
        "%41",
        "aWdu",
    ),
    *("http://a.b/", "rm -rf ", "\u200b", "\ud83d", "&lt;", "~~a", "one hundred and ", "Yes. "),
)
BOXES = {"type": "boxes", "boxes": [[1, 2, 3, 4]], "ref_space": "abs", "labels": ["cat"]}
OBJECT = {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}


def rewards(plugin: str) -> list[tuple[Reward, dict[str, Any]]]:
    """Return the configurations of a plugin, each with a reference."""
    return {
        "correctness": [
            (Correctness(), {"type": "choice", "answer": "A", "options": {"A": "a cat", "B": "a dog"}}),
            (Correctness(), {"type": "numeric", "answer": "7 kg"}),
            (Correctness(), {"type": "fields", "answer": {"a": 1}}),
            (Correctness(), {"type": "exact", "answer": "a cat"}),
        ],
        "format": [
            (Format(), {}),
            (Format(format="json", schema=OBJECT, allow_prose=True), {}),
            (Format(format="boxed", strict=True), {}),
            (Format(format="bbox", syntax="json_bbox_2d"), {}),
        ],
        "grounding": [
            (Grounding(pred_space="norm1000", match="hungarian_f1", max_boxes=500), BOXES),
            (Grounding(), {"type": "count", "answer": 7}),
            (Grounding(metric="quoted_present"), {"type": "ocr_present", "texts": ["A 7"]}),
            (Grounding(), {"type": "metadata_claims", "check": ["size", "orientation", "image_count"]}),
        ],
        "length": [
            (Length(component="repetition", ngram=4), {}),
            (Length(component="duplicates"), {}),
            (Length(component="filler"), {}),
            (Length(max_len=4096, cache_len=512, unit="words"), {}),
        ],
        "safety": [(Safety(), {})],
    }[plugin]


def inputs(plugin: str) -> Iterator[tuple[str, str]]:
    """Yield named texts: repeated parts, deep JSON, and the slowest find of a short fuzz, repeated."""
    for part in PARTS:
        yield part, part * (SIZE // len(part))
    yield "100,000-deep list", "[" * 100_000 + "]" * 100_000
    yield "100,000-deep object", '{"a":' * 100_000 + "1" + "}" * 100_000
    yield "slowest of the fuzz, repeated", _slowest(plugin)


def _slowest(plugin: str) -> str:
    found = seeds()
    mutator, tally = Mutator([item.completion for item in found], 7), Tally()
    every = aims(found, [plugin])[plugin]
    for _ in range(1000):
        judge(mutator.random.choice(every), mutator.make(), tally)
    text = tally.slowest[plugin][1] or "x"
    return (text * (SIZE // len(text) + 1))[:SIZE]


def peak_mb() -> float:
    """Return the largest memory that this process has held, in MB (Linux)."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def main(plugins: Sequence[str]) -> None:
    """Time every input; seconds of the processor, so that what else runs does not count."""
    [plugin] = plugins
    metadata = {"image_width": 640, "image_height": 480, "image_count": 1}
    for reward, reference in rewards(plugin):
        reward.prepare()
        reward.score(Sample("warm/0", "A 7 [1,2,3,4]", reference=reference, metadata=metadata))
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak begins anew
    before = peak_mb()
    slowest, named = 0.0, ""
    for name, text in inputs(plugin):
        for reward, reference in rewards(plugin):
            sample = Sample("nasty/0", text, reference=reference, metadata=metadata)
            begin = time.process_time()
            reward.score(sample)
            took = time.process_time() - begin
            if took > slowest:
                slowest, named = took, f"{name!r} with {reward.model_dump(exclude_defaults=True)}"
    grown = peak_mb() - before
    print(json.dumps({"slowest_s": slowest, "input": named, "memory_mb": grown}))


if __name__ == "__main__":
    main(sys.argv[1:])
