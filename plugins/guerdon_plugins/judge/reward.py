"""The reward `judge`."""

import os
import re
import time
from importlib.util import find_spec
from typing import Any, ClassVar, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from guerdon import Abstain, Reward, Sample, Score, UnavailableError
from guerdon.reward import Limits
from guerdon_plugins.judge.framing import Question, frame
from guerdon_plugins.judge.rubric import check_rubric, fill, missing_facts
from guerdon_plugins.judge.service import PassingError, Patience, Reply, Service
from guerdon_plugins.judge.verdict import BadVerdictError, Judgement, read_verdict, verdict_schema
from guerdon_plugins.parsing.reasoning import outside_reasoning

INSTALL = "judge needs httpx: pip install 'guerdon[judge]'"

MARGIN = 0.1
"""The share of `timeout_s` that is left to the engine, so that a slow judge is never taken for a hung reward."""


class Judge(Reward):
    """Pays what a model thinks of an answer, by a rubric: 0 to 1, the share of the scale.

    The model is asked over an OpenAI-compatible endpoint, with the prompt, its pictures and the
    completion. The completion is data between marks that nobody can guess, and a verdict must
    repeat a secret word. A judge that refuses, stalls or writes nonsense is a failure of the
    infrastructure: the sample is masked, never scored 0. An answer without text earns 0 unasked.
    With ``penalise`` it only takes away, from -1 to 0.
    """

    name: ClassVar[str] = "judge"

    base_url: str
    """The endpoint, such as ``http://judge:8000/v1``; ``/chat/completions`` is added."""

    model: str = Field(min_length=1)
    """The judge's name at the endpoint."""

    rubric: str
    """What a good answer is and what scores stand for. ``{reference.KEY}`` and ``{metadata.KEY}`` are
    filled from the sample; it abstains where a sample has no such key."""

    api_key_env: str | None = Field(None, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    """The environment variable that holds the key, wherever the reward runs. Keys never stand in a configuration."""

    scale: tuple[int, int] = (0, 10)
    """The lowest and highest score that the judge may give; the value is the share of the way."""

    penalise: bool = False
    """Take away what is missing to the top of the scale, from -1 to 0, and pay nothing: for a judge of safety, whom
    silence and refusal must not please more than a good answer does."""

    show_images: bool = True
    """Send the prompt's pictures, as data URLs."""

    read_from: Literal["answer", "completion"] = "answer"
    """``answer``: what stands outside the reasoning; ``completion``: everything."""

    max_chars: int = Field(50_000, ge=1, le=500_000)
    """A longer text is cut there; the evidence says so."""

    response_format: Literal["json_schema", "json_object", "none"] = "json_schema"
    """What the endpoint is asked to enforce. The verdict is checked all the same."""

    temperature: float = Field(0.0, ge=0, le=2)
    """Above 0 verdicts differ from one time to the next, and none is cached."""

    max_tokens: int = Field(512, ge=64)
    """Of the judge's answer."""

    retries: int = Field(2, ge=0, le=20)
    """Further attempts after HTTP 408, 409, 425, 429 and 5xx, a lost connection or an invalid verdict."""

    backoff_s: float = Field(0.5, gt=0, allow_inf_nan=False)
    """Seconds before the second attempt; twice as long before each further one, give or take a half, and
    never less than the service's ``Retry-After``."""

    timeout_s: float = Field(60.0, gt=0, allow_inf_nan=False)
    """Seconds for all attempts at one sample."""

    limits: Limits | None = Limits(concurrency=32)
    """Questions at a time, requests and tokens a minute. `retries` is the judge's own."""

    @field_validator("base_url")
    @classmethod
    def _is_http(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"must be an http or https URL such as http://judge:8000/v1; found {url!r:.100}")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError("must hold no user, password, query or fragment; name the key's variable in api_key_env")
        return url.rstrip("/")

    @field_validator("rubric")
    @classmethod
    def _fits(cls, rubric: str) -> str:
        return check_rubric(rubric)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.scale[0] >= self.scale[1]:
            raise ValueError(f"scale must rise from the lowest to the highest score; found {list(self.scale)}")
        if self.limits is not None and self.limits.retries:
            raise ValueError("limits.retries would repeat what `retries` repeats; leave it out")
        if find_spec("httpx") is None:
            raise ValueError(INSTALL)
        return self

    def range(self) -> tuple[float, float]:
        """Return 0 to 1, or -1 to 0 for one that penalises."""
        return (-1.0, 0.0) if self.penalise else (0.0, 1.0)

    def cacheable(self) -> bool:
        """Keep verdicts that the temperature makes repeatable."""
        return self.temperature == 0

    def prepare(self) -> None:
        """Load httpx and the certificates, and find the key.

        Raises:
            UnavailableError: the environment variable is not set here.
        """
        Service(self.base_url, self._key())  # it holds no connection before it is asked

    async def score(self, sample: Sample) -> Score | Abstain:
        """Ask the judge.

        Raises:
            UnavailableError: there is no verdict.
        """
        if missing := missing_facts(self.rubric, sample):
            return Abstain(f"the rubric asks for {', '.join(missing)}, which the sample does not have")
        text = self._text(sample)
        if not text.strip():
            return Score(0.0, "there is no answer to judge", {"asked": False})
        patience = Patience(time.monotonic() + (1 - MARGIN) * self.timeout_s, self.retries, self.backoff_s)
        service = Service(self.base_url, self._key())
        try:
            return await self._score(sample, text, service, patience)
        finally:
            await service.close()

    async def _score(self, sample: Sample, text: str, service: Service, patience: Patience) -> Score:
        cut, rubric = text[: self.max_chars], fill(self.rubric, sample)
        images = sample.images if self.show_images else ()
        attempt = tokens = 0
        while True:
            question = frame(rubric, self.scale, sample, cut, images)
            try:
                reply = await service.ask(self._body(question), patience)
                tokens += reply.tokens
                judgement = _verdict(reply, question, self.scale)
                break
            except PassingError as error:
                await patience.pause(attempt, error)
                attempt += 1
        evidence: dict[str, Any] = {
            "verdict": judgement.score,
            "scale": list(self.scale),
            "rationale": judgement.rationale,
            "model": reply.model or self.model,
            "tokens": tokens,
            "attempts": attempt + 1,
        }
        if len(cut) < len(text):
            evidence["judged_chars"] = [len(cut), len(text)]
        low, high = self.scale
        reason = f"{judgement.score} of {high}: {judgement.rationale[:200]}"
        share = (judgement.score - low) / (high - low)
        return Score(share - 1 if self.penalise else share, reason, evidence, {"tokens": float(tokens)})

    def _body(self, question: Question) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": list(question.messages),
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
        }
        if self.response_format == "json_object":
            body["response_format"] = {"type": "json_object"}
        elif self.response_format == "json_schema":
            schema = {"name": "verdict", "strict": True, "schema": verdict_schema(*self.scale)}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        return body

    def _text(self, sample: Sample) -> str:
        if self.read_from == "completion":
            return sample.completion
        visible = outside_reasoning(sample.completion)
        return "" if visible.cut_off else re.sub(r"\n {8,}\n", "\n", visible.text).strip()

    def _key(self) -> str | None:
        if self.api_key_env is None:
            return None
        if not (key := os.environ.get(self.api_key_env, "").strip()):
            raise UnavailableError(
                f"the environment variable {self.api_key_env}, which api_key_env names, is not set where the judge "
                "runs; export it there"
            )
        return key


def _verdict(reply: Reply, question: Question, scale: tuple[int, int]) -> Judgement:
    try:
        return read_verdict(reply.text, question.nonce, scale)
    except BadVerdictError as error:
        raise PassingError(f"its verdict is refused: {error}; it wrote {reply.text[:120]!r}") from error
