"""Probes: three small prompts (text, one image, two images) that tell an adapter from its base.

Base and adapter are asked for their next token. The difference is the adapter's effect; the recorded
answers must come out again wherever the bundle is loaded.
"""

import contextlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import torch
from PIL import Image, ImageDraw

from guerdon_serving.bundle.schema import ProbeFacts, ProbeName, Token
from guerdon_serving.codes import Code, RefusedError
from guerdon_serving.model.generate import Row, generate
from guerdon_serving.model.policy import Policy
from guerdon_serving.model.prompting import ChatMessage, Encoded, Prompter

MIN_EFFECT: Final = 1e-6
"""Smallest difference of a log-probability that counts as an effect: without an adapter it is exactly 0."""
TOLERANCE: Final[Mapping[str, float]] = {"float32": 1e-3, "bfloat16": 0.25}
"""How far a log-probability may lie from the recorded one, which was taken in fp32 on a CPU."""
TOP: Final = 8
ANSWER_TOKENS: Final = 16


@dataclass(frozen=True, slots=True)
class Probe:
    """A prompt and its pictures."""

    messages: Sequence[ChatMessage]
    images: Sequence[Image.Image]


def make_probes() -> dict[ProbeName, Probe]:
    """Draw the probes; the pictures differ in size, so that their grids differ."""
    red, blue = _picture((64, 64), "red", "ellipse"), _picture((96, 64), "blue", "rectangle")
    return {
        "text": Probe(_ask("what is 2 plus 3?", 0), ()),
        "image": Probe(_ask("what color is the shape?", 1), (red,)),
        "images": Probe(_ask("do both pictures show the same color?", 2), (red, blue)),
    }


def encode_probes(prompter: Prompter) -> dict[ProbeName, Encoded]:
    """Encode the probes as the model reads them."""
    return {name: prompter.encode(probe.messages, probe.images) for name, probe in make_probes().items()}


def measure(
    policy: Policy, adapter: str, probes: Mapping[ProbeName, Encoded], *, moved: Collection[ProbeName]
) -> dict[ProbeName, ProbeFacts]:
    """Ask base and adapter every probe.

    Args:
        policy: holds the adapter.
        adapter: its name.
        probes: as `encode_probes` returns them.
        moved: those that the adapter must have an effect on.

    Raises:
        RefusedError: no effect on one of them.
    """
    with _repeatable():
        measured = {name: _measure_one(policy, adapter, encoded) for name, encoded in probes.items()}
    for name in moved:
        _require_effect(measured[name].delta, name)
    return measured


def check(
    policy: Policy,
    adapter: str,
    probes: Mapping[ProbeName, Encoded],
    recorded: Mapping[ProbeName, ProbeFacts],
    tolerance: float,
) -> float:
    """Ask again and compare with what the bundle recorded; return the largest difference.

    Raises:
        RefusedError: no effect, or other answers.
    """
    worst = 0.0
    for name, encoded in probes.items():
        base, adapted = _logprobs(policy, None, encoded), _logprobs(policy, adapter, encoded)
        if recorded[name].delta:
            _require_effect(float((adapted - base).abs().max()), name)
        for who, found, expected in (("base", base, recorded[name].base), ("adapter", adapted, recorded[name].adapter)):
            gap = _gap(found, expected)
            if not gap <= tolerance:
                raise RefusedError(
                    Code.PROBE_MISMATCH,
                    f"probe {name}: the {who}'s log-probabilities are off by {gap:.2g}, at most {tolerance:g}",
                )
            worst = max(worst, gap)
    return worst


def gap_to(policy: Policy, adapter: str | None, encoded: Encoded, recorded: Sequence[Token]) -> float:
    """Return the largest difference of a log-probability from the recorded ones."""
    return _gap(_logprobs(policy, adapter, encoded), recorded)


def _gap(found: torch.Tensor, recorded: Sequence[Token]) -> float:
    return max(abs(float(found[token.id]) - token.logprob) for token in recorded)


def _measure_one(policy: Policy, adapter: str, encoded: Encoded) -> ProbeFacts:
    base, adapted = _logprobs(policy, None, encoded), _logprobs(policy, adapter, encoded)
    delta = float((adapted - base).abs().max())
    generate(policy, [row := Row(encoded, adapter, max_tokens=ANSWER_TOKENS)])
    return ProbeFacts(
        base=_top(base), adapter=_top(adapted), delta=round(delta, 6), answer=[token.id for token in row.tokens]
    )


def _logprobs(policy: Policy, adapter: str | None, encoded: Encoded) -> torch.Tensor:
    return torch.log_softmax(policy.next_logits(encoded, adapter), -1)


def _require_effect(delta: float, name: ProbeName) -> None:
    if not delta >= MIN_EFFECT:
        raise RefusedError(
            Code.PROBE_NO_EFFECT,
            f"probe {name}: base and adapter differ by {delta:.2g}, at least {MIN_EFFECT:g} is an effect",
        )


def _top(logprobs: torch.Tensor) -> list[Token]:
    best = torch.topk(logprobs, min(TOP, len(logprobs)))
    pairs = zip(best.indices.tolist(), best.values.tolist(), strict=True)
    return [Token(id=token, logprob=round(value, 4)) for token, value in pairs]


@contextlib.contextmanager
def _repeatable() -> Iterator[None]:
    """One thread: sums then have one order, and the same inputs give the same numbers."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _ask(text: str, images: int) -> list[ChatMessage]:
    return [{"role": "user", "content": [*({"type": "image"} for _ in range(images)), {"type": "text", "text": text}]}]


def _picture(size: tuple[int, int], colour: str, shape: str) -> Image.Image:
    image = Image.new("RGB", size, "white")
    box = (size[0] // 8, size[1] // 4, size[0] * 5 // 8, size[1] * 7 // 8)
    getattr(ImageDraw.Draw(image), shape)(box, fill=colour)
    return image
