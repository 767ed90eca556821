"""Judging text that is read from the picture."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz.distance import Levenshtein

from guerdon import Score
from guerdon_plugins.grounding.fold import fold_text
from guerdon_plugins.grounding.read import Reading, declared_text
from guerdon_plugins.parsing.normalise import Fold, normalise

type OcrMetric = Literal["exact", "anls", "present", "quoted_present"]

MAX_ANSWER = 20_000
"""A longer answer (characters) is no reading of a text; it scores 0 under ``exact`` and ``anls``."""

MAX_QUOTES = 200
"""More quoted strings than this score 0: they are a list of guesses."""

_EDGE: tuple[Fold, ...] = ("edge_punctuation",)
_QUOTED = re.compile(
    r'"([^"\n]{1,300})"|“([^”\n]{1,300})”|「([^」\n]{1,300})」|『([^』\n]{1,300})』|‘([^’\n]{1,300})’|«([^»\n]{1,300})»'
    r"|(?<![A-Za-z0-9])'([^'\n]{1,300})'(?![A-Za-z0-9])|《([^》\n]{1,300})》|`([^`\n]{1,300})`",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class OcrRule:
    """How texts are compared."""

    metric: OcrMetric
    tau: float
    ignore_case: bool
    ignore_space: bool

    def fold(self, text: str) -> str:
        """Fold what the rule ignores, and what is never text of the picture: quotes and stops at the ends."""
        folded = fold_text(text, ignore_case=self.ignore_case, ignore_space=self.ignore_space)
        return normalise(folded, _EDGE) or folded


def judge_text(reading: Reading, texts: Sequence[str], rule: OcrRule) -> Score:
    """Compare what an answer reads with the texts of the picture."""
    text = reading.prose
    if text is None:
        return Score(0.0, "the completion has no answer to read", {"texts": list(texts)})
    if rule.metric == "quoted_present":
        return _judge_quoted(text.text, texts, rule)
    if rule.metric == "present":
        return _judge_present(text.text, texts, rule)
    declared = declared_text(text) if reading.free else None
    return _judge_answer((declared or text).text, texts, rule)


def _judge_answer(answer: str, texts: Sequence[str], rule: OcrRule) -> Score:
    if len(answer) > MAX_ANSWER:
        return Score(
            0.0, f"an answer of {len(answer)} characters; at most {MAX_ANSWER} are a text", {"texts": list(texts)}
        )
    read = rule.fold(answer)
    best, similarity = max(((text, _similarity(read, rule.fold(text))) for text in texts), key=lambda pair: pair[1])
    anls = similarity if similarity >= rule.tau else 0.0
    value = anls if rule.metric == "anls" else float(similarity == 1.0)
    evidence = {"read": read[:300], "nearest": best, "texts": list(texts)}
    return Score(value, f"{rule.metric} {value:.3f} against {best!r:.80}", evidence, {"anls": anls})


def _similarity(read: str, text: str) -> float:
    return Levenshtein.normalized_similarity(read, text) if read and text else float(read == text)


def _judge_quoted(text: str, texts: Sequence[str], rule: OcrRule) -> Score:
    """Return the share of the quoted strings, each counted once, that the picture shows."""
    known = {rule.fold(shown) for shown in texts}
    claims: dict[str, bool] = {}
    for match in _QUOTED.finditer(text):
        claim = rule.fold(match[match.lastindex or 0])
        claims[claim] = claim in known
        if len(claims) > MAX_QUOTES:
            return Score(0.0, f"more than {MAX_QUOTES} quoted strings", {"texts": list(texts)})
    value = sum(claims.values()) / len(claims) if claims else 0.0
    wrong = [claim for claim, right in claims.items() if not right]
    evidence = {"quoted": list(claims), "not_in_picture": wrong, "texts": list(texts)}
    return Score(value, f"{len(claims) - len(wrong)} of {len(claims)} quoted strings are in the picture", evidence)


def _judge_present(text: str, texts: Sequence[str], rule: OcrRule) -> Score:
    """Return the share of the picture's texts that occur, unless the answer is far longer than they are."""
    room = 200 + 10 * sum(map(len, texts))
    if len(text) > room:
        return Score(
            0.0, f"an answer of {len(text)} characters names everything; at most {room} count", {"texts": list(texts)}
        )
    read = fold_text(text, ignore_case=rule.ignore_case, ignore_space=rule.ignore_space)
    found = [shown for shown in texts if _occurs(rule.fold(shown), read, whole=not rule.ignore_space)]
    evidence = {"found": found, "texts": list(texts)}
    return Score(len(found) / len(texts), f"{len(found)} of {len(texts)} texts occur", evidence)


def _occurs(shown: str, read: str, *, whole: bool) -> bool:
    """Say whether the text occurs, and (in scripts with spaces) not inside a longer word."""
    if not whole:
        return shown in read
    before = r"(?<![A-Za-z0-9])" if shown[:1].isascii() else ""
    after = r"(?![A-Za-z0-9])" if shown[-1:].isascii() else ""
    return re.search(before + re.escape(shown) + after, read) is not None
