"""The fuzz campaign: completions without end, five plugins each; then maths in a worker that is killed.

``python -m benchmarks fuzz --completions N`` runs N of them: a million by default, half an hour on an
idle core, and three hours at most. Faults are printed with what is needed to repeat them.
"""

import base64
import importlib.util
import io
import subprocess
import sys
import time
from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFont

from benchmarks.fuzz_judge import Aim, Tally, aims, judge
from benchmarks.fuzz_mutate import Mutator, Seed, seeds
from benchmarks.runner import Target
from guerdon import Group, LazyImage, Sample, Status, load_plugins
from guerdon.scoring.engine import Engine

COMPLETIONS = 1_000_000
MATHS = 20_000
LIMIT_S = 2 * 3600.0
LIMITS_S = (3600.0, 600.0, LIMIT_S)
"""Seconds after which maths, atheris and the campaign of the five plugins stop, however far they are."""
PLUGINS = ("correctness", "format", "grounding", "length", "safety")
BATCH = 50
KEPT = 4000
"""Mutants that behaved in a new way and are mutated further."""


def campaign(completions: int, found: Sequence[Seed], seed: int = 0, limit_s: float = LIMIT_S) -> Tally:
    """Score mutants by all five plugins, each with one of the configurations of the cases."""
    mutator = Mutator([item.completion for item in found], seed)
    every = aims(found, PLUGINS)
    tally, seen, begin = Tally(), set[object](), time.perf_counter()
    for number in range(completions):
        text = mutator.make()
        told = [judge(mutator.random.choice(every[plugin]), text, tally) for plugin in PLUGINS]
        news = {key for key in zip(PLUGINS, map(str, told), strict=True) if key not in seen}
        if news and len(seen) < KEPT:
            seen |= news
            mutator.keep(text)
        took = time.perf_counter() - begin
        if (number + 1) % 25_000 == 0:
            print(f"{number + 1} completions, {took:.0f} s, {dict(tally.kinds)}", file=sys.stderr, flush=True)
        if took > limit_s:
            break
    return tally


def maths(completions: int, found: Sequence[Seed], limit_s: float = LIMIT_S) -> Tally:
    """Score mutants of the maths cases in a killable worker; a timeout is a score of 0."""
    own = [item for item in found if item.reference.get("type") == "math"]
    mutator = Mutator([item.completion for item in own], 1)
    reward = load_plugins().entry("correctness").reward.model_validate({"kind": "math", "timeout_s": 2.0})
    tally, begin = Tally(), time.perf_counter()
    with Engine({"maths": reward}, workers=1) as engine:
        for start in range(0, completions, BATCH):
            if time.perf_counter() - begin > limit_s:
                break
            group = _group(start, mutator, own)
            for sample, [record] in zip(group.samples, engine.score([group])[0].records, strict=True):
                tally.scored += 1
                tally.kinds[str(record.status)] += 1
                paid = record.value or 0.0
                if record.status == Status.ERROR or not 0 <= paid <= 1 or (record.status != Status.OK and paid > 0):
                    tally.faults.append(f"{record.status} {record.value} {record.reason}: {sample.completion[:500]!r}")
    return tally


def pictures(completions: int, found: Sequence[Seed]) -> Tally:
    """Hold mutants against the text that rapidocr reads in a picture, where it is installed."""
    tally = Tally()
    if any(importlib.util.find_spec(name) is None for name in ("rapidocr", "onnxruntime")):
        return tally
    mutator = Mutator([item.completion for item in found if item.plugin == "grounding"], 2)
    aims = [_reading(metric) for metric in ("exact", "anls", "present", "quoted_present")]
    for _ in range(completions):
        judge(mutator.random.choice(aims), mutator.make(), tally)
    return tally


def _reading(metric: str) -> Aim:
    """Return an aim at a picture that says OPEN 9-17."""
    buffer = io.BytesIO()
    picture = Image.new("RGB", (320, 120), "white")
    ImageDraw.Draw(picture).text((20, 30), "OPEN 9-17", fill="black", font=ImageFont.load_default(40))
    picture.save(buffer, "PNG")
    image = LazyImage("data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode())
    config = {"kind": "ocr", "texts_from": "picture", "metric": metric}
    reward = load_plugins().entry("grounding").reward.model_validate(config)
    reward.prepare()
    aim = Aim("grounding", reward, Seed("grounding", config, {}, {}, ""), abstains=False, images=(image,))
    reward.score(aim.sample("warm"))  # the picture is read once
    return aim


def _group(start: int, mutator: Mutator, own: Sequence[Seed]) -> Group:
    """Return mutants that are held against one reference; whether it can be used is the same for all of them."""
    name, reference = f"fuzz {start}", mutator.random.choice(own).reference
    texts = [mutator.make() for _ in range(BATCH)]
    samples = [
        Sample(f"{name}/{index}", text, reference=reference, group_id=name, index=index)
        for index, text in enumerate(texts)
    ]
    return Group(name, samples)


def guided(seconds: float) -> tuple[int | None, str]:
    """Let atheris look for inputs by coverage. Returns its exit status, None if it is not installed, and its words."""
    if importlib.util.find_spec("atheris") is None:
        return None, "not measured: atheris is not installed (pip install atheris)"
    limits = (f"-max_total_time={seconds:.0f}", "-max_len=2000", "-rss_limit_mb=4096")
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.fuzz_atheris", *limits],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    return done.returncode, done.stderr[-2000:]


def run(completions: int = COMPLETIONS, limits_s: tuple[float, float, float] = LIMITS_S) -> list[Target]:
    """Run all campaigns: pictures, maths, coverage-guided, and the five plugins."""
    found = seeds()
    read = pictures(min(MATHS, completions), found)
    sums = maths(min(MATHS, completions), found, limits_s[0])
    status, said = guided(min(limits_s[1], completions / 1000))
    tally = campaign(completions, found, limit_s=limits_s[2])
    print(said[-600:], file=sys.stderr)
    for fault in (*tally.faults, *read.faults, *sums.faults[:20]):
        print(fault.encode("utf-8", "backslashreplace").decode(), file=sys.stderr)
    return targets(completions, tally, sums, read, status)


def targets(completions: int, tally: Tally, sums: Tally, read: Tally, status: int | None) -> list[Target]:
    """Say what was found: `tally` of the five plugins, `sums` of maths, `read` of pictures, atheris' exit status."""
    slow = max((took for took, _ in tally.slowest.values()), default=0.0)
    return [
        _all("completions, each by five plugins", tally.scored // len(PLUGINS), completions),
        _none(f"exceptions in {tally.scored} scorings", tally.kinds["exception"]),
        _none("scores out of range, or not finite", tally.kinds["range"]),
        _none(
            "unscorable texts or references that earn, or abstentions that hang on the text", tally.kinds["unscorable"]
        ),
        _none("evidence that is no JSON", tally.kinds["evidence"]),
        Target("slowest call, s", slow, 1.0, slow, 0.0, "<= 1", slow <= 1.0),
        *([] if status is None else [_none("inputs found by atheris that fail", int(status != 0))]),
        _all(f"completions with maths ({sums.kinds['timeout']} killed)", sums.scored, min(MATHS, completions)),
        _none("errors, or scores out of range, with maths", len(sums.faults)),
        _all("completions held against a picture (0 without rapidocr)", read.scored, min(MATHS, completions)),
        _none("faults with pictures", sum(read.kinds.values())),
    ]


def _all(name: str, done: int, wanted: int) -> Target:
    return Target(name, done, wanted, done / wanted, 0.0, ">= 1", done >= wanted)


def _none(name: str, count: int) -> Target:
    return Target(name, count, 0.0, count, 0.0, "== 0", count == 0)
