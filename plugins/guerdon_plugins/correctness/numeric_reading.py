"""Find the one amount that a text states."""

import re
from dataclasses import dataclass, replace

from guerdon_plugins.correctness.amount import Amount, place_amounts
from guerdon_plugins.parsing.declare import Declaration, declarations
from guerdon_plugins.parsing.latex import FILL
from guerdon_plugins.parsing.listed import phrases
from guerdon_plugins.parsing.numbers import NumberLocale
from guerdon_plugins.parsing.numbers.scan import MANY
from guerdon_plugins.parsing.phrases import HEDGES, UNDECIDED, WITHDRAWS
from guerdon_plugins.parsing.sentences import sentence_at
from guerdon_plugins.parsing.span import Span

_BOUND = re.compile(r"\s*(?:[>≤≥≠]|<(?!/?[A-Za-z|]))")
_DATE = re.compile(r"(?<![0-9])[0-9]{1,2}([/.-])[0-9]{1,2}\1(?=[0-9]{4}(?![0-9]))|(?<![A-Za-z])[FC]Y(?=[0-9]{4})")
_MEASURE = re.compile(
    r"(?<![A-Za-z])(?:difference|sum|average|mean|median|product|quotient|ratio|remainder|gap)(?![A-Za-z])"
    r"[^.!?;\n]{0,80}?(?<![A-Za-z])(?:is|was|equals)(?![A-Za-z])",
    re.IGNORECASE,
)
"""A sentence that states the result of a calculation."""
_CONCLUDES = phrases("so, therefore, thus, hence, consequently", "因此 所以 故")
_EQUALS = re.compile(r"(?<![<>!=≤≥])=(?![=>])|≈")
_SEVERAL = re.compile(r"[,;、/]|(?<![A-Za-z])(?:and|or)(?![A-Za-z])|或|和")
_REJECTED = re.compile(
    r"(?<![A-Za-z])(?:not|never|rather than|instead of)[ ](?:[a-z]{1,12}[ ]){0,2}[$€£¥]?$|n['’]t[ ](?:be[ ])?[$€£¥]?$"
    r"|(?:不是|并非|而非|不为|不等于)[ ]?$|≠[ ]?$",
    re.IGNORECASE,
)
_BASE = re.compile(
    r"[^.;!?。；\d]{0,60}?(?<![A-Za-z])(?:of|in|from|for|because|since|as|when|by|at|on|with|within|over|during|after|per"
    r"|than|while)(?![A-Za-z])|[^.;!?。；\d]{0,30}?(?:因为|由于)",
    re.IGNORECASE,
)
_TOTAL = phrases(
    """totals?, in total, altogether, in all, overall, sum, comes? to, adds? up to, amounts? to, makes?, equals, gives?,
    leaves?""",
    "总共 一共 共有 共计 合计 总计 总和 总数 总量 加起来 等于 共(?=[0-9一二两三四五六七八九十百千])",
)
_CLAUSE = re.compile(
    r"[,;:，；：](?![0-9])|(?<![A-Za-z])(?:so|hence|thus|therefore|making|giving)(?![A-Za-z])|所以|因此"
)
_LIST_MARK = re.compile(r"^[ \t]{0,8}(?:step[ ]?)?\d{1,2}[.):][ \t]+(?=\S)", re.IGNORECASE | re.MULTILINE)
_BRACKETS = re.compile(r"\([^()]{0,2000}\)")
_PLAIN_GROUPS = re.compile(r"[^\d]{0,20}?[1-9]\d{0,2}(?: \d{3})+(?:\.\d+)?(?![\d,])[^\d]*")
_SIGN_APART = re.compile(r"^(\s{0,20})([-–])([ ]{1,3})(?=[\d$€£¥.\\])")
_PUNCTUATION = " \t\r\n.,;:!?'\"`*_#$()[]{}~。，；：！？、“”‘’「」\\" + FILL
MAX_PAYLOAD = 4000
"""Characters of a declared place that are read."""


@dataclass(frozen=True, slots=True)
class AmountReader:
    """Reads amounts in one locale."""

    locale: NumberLocale
    with_unit: bool = True
    magnitudes: bool = True
    """A glued k, M, B or T means a thousand and so on, not a unit."""
    year: bool = False
    """Of several numbers, only those of four digits count."""

    def read(self, place: Span, *, declared: bool) -> Amount | str:
        """Return the amount that the place states, or why there is none."""
        for declaration in declarations(place):
            if (found := self._declared(declaration)) is not None:
                return found
        found = self._one(place) if declared else self._prose(place)
        return "no number" if found is None else found

    def _declared(self, declaration: Declaration) -> Amount | str | None:
        """Read what is declared; None where it says nothing about a number."""
        chosen = self._one(declaration.payload)
        if chosen is None:
            return "declines to answer" if UNDECIDED.search(declaration.payload.text) else None
        for sentence in declaration.following:
            cue = sentence.text[:40].lstrip(" \n*-–—")
            withdraws, hedges = WITHDRAWS.match(cue), HEDGES.match(cue)
            if not withdraws and not hedges:
                continue
            later = self._one(sentence)
            if hedges and later is not None:
                return "several numbers are left open"
            chosen = chosen if later is None else later
        return chosen

    def _one(self, place: Span) -> Amount | str | None:
        """Return the one amount of a declared place; why there is none; or None without numbers."""
        place = place.part(0, MAX_PAYLOAD)
        if _BOUND.match(place.text):
            return "a bound, not a number"
        if self.year:
            place = _without_dates(place)
        place = Span(_SIGN_APART.sub(r"\1\3\2", place.text), place.start)
        if _PLAIN_GROUPS.fullmatch(place.text):
            place = Span(re.sub(r"(?<=\d) (?=\d)", "\u00a0", place.text), place.start)
        text, amounts = place_amounts(place, self.locale, with_unit=self.with_unit, magnitudes=self.magnitudes)
        if len(amounts) >= MANY:
            return "too many numbers"
        if not amounts:
            return None
        standing = _standing(place, text, _of_year(amounts) if self.year else amounts)
        kept = _after_equals(place, text, standing)
        if isinstance(kept, str):
            return kept
        return _single(place, text, _outside_brackets(place, text, kept)) if kept else "its numbers are rejected"

    def _prose(self, text: Span) -> Amount | str | None:
        """Look for the only number, or that of the sentence that states a total."""
        text = _without_dates(text) if self.year else text
        marked = Span(_LIST_MARK.sub(lambda mark: " " * len(mark[0]), text.text), text.start)
        flat, amounts = place_amounts(marked, self.locale, with_unit=self.with_unit, magnitudes=self.magnitudes)
        if not amounts:
            return None
        kept = _standing(marked, flat, _of_year(amounts) if self.year else amounts)
        kept = _outside_brackets(marked, flat, kept)
        if len(amounts) < MANY and len({_key(amount) for amount in kept}) == 1:
            sentence = sentence_at(marked, kept[-1].span.start - marked.start)
            return "declines to answer" if UNDECIDED.search(sentence.text) else self._one(sentence)
        return self._total(marked) or self._concluded(marked) or "several numbers and no declaration"

    def _concluded(self, text: Span) -> Amount | str | None:
        """Read what the last sentence concludes: "so the gap is 15"."""
        last = max(_CONCLUDES.finditer(text.text), key=lambda match: match.start(), default=None)
        if last is None:
            return None
        sentence = sentence_at(text, last.start())
        if text.text[sentence.end - text.start :].strip():
            return None
        return self._one(sentence.part(text.start + last.end() - sentence.start))

    def _total(self, text: Span) -> Amount | str | None:
        stated = [*_TOTAL.finditer(text.text), *_MEASURE.finditer(text.text)]
        last = max(stated, key=lambda match: match.end(), default=None)
        if last is None:
            return self._one(_last_line(text)) if "=" in _last_line(text).text else None
        sentence = sentence_at(text, last.start())
        cut = text.start + last.end() - sentence.start
        after = self._one(sentence.part(cut))
        if after is not None:
            return after
        ahead = sentence.part(0, last.start() + text.start - sentence.start)
        clauses = [match.end() for match in _CLAUSE.finditer(ahead.text)]
        return self._one(ahead.part(clauses[-1] if clauses else 0))


def _without_dates(text: Span) -> Span:
    """Blank day and month before a year, and the letters of a fiscal year."""
    return Span(_DATE.sub(lambda found: " " * len(found[0]), text.text), text.start)


def _last_line(text: Span) -> Span:
    stripped = text.part(0, len(text.text.rstrip()))
    return stripped.part(stripped.text.rfind("\n") + 1)


def _key(amount: Amount) -> object:
    return (amount.value, amount.percent) if amount.value is not None else amount.text


def _of_year(amounts: list[Amount]) -> list[Amount]:
    years = [amount for amount in amounts if amount.digits.isdigit() and len(amount.digits) == 4]
    return years or amounts


def _standing(place: Span, text: str, amounts: list[Amount]) -> list[Amount]:
    """Leave out amounts that are negated ("not 5") or withdrawn ("5, no, 6")."""
    kept: list[Amount] = []
    end = 0
    for amount in amounts:
        start = amount.span.start - place.start
        if kept and WITHDRAWS.search(text[end:start]):
            kept = []
        if not _REJECTED.search(text[max(0, start - 40) : start]):
            kept.append(amount)
        end = amount.span.end - place.start
    return kept


def _after_equals(place: Span, text: str, amounts: list[Amount]) -> list[Amount] | str:
    """Return the amounts after the last equals sign that has any, unless several are set equal."""
    cuts = [0, *(match.end() for match in _EQUALS.finditer(text))]
    for index in range(len(cuts) - 1, -1, -1):
        end = cuts[index + 1] - 1 if index + 1 < len(cuts) else len(text)
        part = [amount for amount in amounts if cuts[index] <= amount.span.start - place.start < end]
        if any(amount.value is not None for amount in part):
            before = [amount for amount in amounts if amount.span.start - place.start < cuts[index]]
            return "several numbers are set equal" if _listed(place, text, before, cuts) else part
    return amounts


def _listed(place: Span, text: str, before: list[Amount], cuts: list[int]) -> bool:
    """Tell whether a readable amount ends a member of a list: the 3 in "x = 3, y = 5"."""
    for amount in before:
        end = amount.span.end - place.start
        following = min((cut for cut in cuts if cut > end), default=len(text))
        preceded = any(0 < cut <= amount.span.start - place.start for cut in cuts)
        if amount.value is not None and preceded and _SEVERAL.search(text[end:following]):
            return True
    return False


def _outside_brackets(place: Span, text: str, amounts: list[Amount]) -> list[Amount]:
    """Leave out what stands in round brackets beside an amount that does not."""
    inside = [match.span() for match in _BRACKETS.finditer(text)]
    outer = [a for a in amounts if not any(low < a.span.start - place.start < high for low, high in inside)]
    return outer or amounts


def _sum(text: str, amounts: list[Amount]) -> Amount | None:
    """Return the amount that the others add up to: 12 in "12 birds, 5 red and 7 blue"."""
    values = [amount.value for amount in amounts if amount.value is not None]
    if not 3 <= len(values) == len(amounts) or HEDGES.search(text) or any(amount.percent for amount in amounts):
        return None
    if values[0] == sum(values[1:]):
        return amounts[0]
    return amounts[-1] if values[-1] == sum(values[:-1]) and _TOTAL.search(text) else None


def _single(place: Span, text: str, amounts: list[Amount]) -> Amount | str:
    first = amounts[0]
    start, end = first.span.start - place.start, first.span.end - place.start
    if whole := _sum(text, amounts):
        return whole
    if len({_key(amount) for amount in amounts}) > 1:
        following = text[end : amounts[1].span.start - place.start]
        if HEDGES.search(following) or not _BASE.match(following):
            return f"several numbers: {', '.join(amount.text[:20] for amount in amounts[:4])}"
    rest = text[:start].strip(_PUNCTUATION) + text[end:].strip(_PUNCTUATION)
    return replace(first, alone=not rest)
