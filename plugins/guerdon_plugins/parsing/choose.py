"""Decide which options of a closed list a text chooses, rejects or leaves open."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from guerdon_plugins.parsing import phrases
from guerdon_plugins.parsing.declare import FOLLOWING, Declaration, declarations
from guerdon_plugins.parsing.latex import flatten, unfill
from guerdon_plugins.parsing.options import MAX_MENTIONS, Mention, Options, mentions
from guerdon_plugins.parsing.sentences import sentences
from guerdon_plugins.parsing.span import Span

_LINK_WORDS = (
    "and|or|maybe|perhaps|possibly|also|either|both|option|choice|even|then|else|with|plus|the|其次|选项?|或者?|和|与|及|以及|也许|可能|还有|也"
)
_LINK = re.compile(rf"[\W_]{{0,20}}(?:(?:{_LINK_WORDS})[\W_]{{0,8}}){{0,4}}", re.IGNORECASE)
_CLAUSE = re.compile(r"[,;:，；：。.!?！？—\n]|(?<![A-Za-z])(?:but|so|hence|therefore|thus|while|whereas|because|since)(?![A-Za-z])|但|所以|因此|而(?!非|不)")
_EXPLAINS = re.compile(
    r"(?<![A-Za-z])(?:because|since|as|so|while|whereas|unlike|than|although|though|which|from|compared|given|due|for|when|where|whose)(?![A-Za-z])"
    r"|因为|由于|而|但|因|比",
    re.IGNORECASE,
)
_BOTH = re.compile(r"(?<![A-Za-z])(?:also|too|as well|both)(?![A-Za-z])|也|都|均", re.IGNORECASE)
_NEITHER = re.compile(r"(?<![A-Za-z])(?:neither|both)(?![A-Za-z])", re.IGNORECASE)
_NEXT_REJECTED = re.compile(
    r"[\s,(]*(?:(?:and|but)\s+)?(?:not|rather than|instead of|nor|over|而?不是|而非|并非)[\W_]*(?:(?:option|选项)[\W_]*)?$", re.IGNORECASE
)
_EDGES = " \t\r\n.,;:!()[]{}*_`'\"$。，"
MAX_PLACE = 4000
"""Characters of a declared place that are read."""
_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Selection:
    """The options that a text chooses: none if it chooses nothing, several if it does not decide."""

    chosen: frozenset[str] = _NONE
    span: Span | None = None
    alone: bool = False
    """Nothing but the options stands in the place."""


@dataclass(frozen=True, slots=True)
class _Run:
    """Mentions that share one fate: "A, B and C"."""

    options: frozenset[str]
    start: int
    end: int
    rejected: bool
    affirmed: bool
    hedged: bool
    withdraws: bool
    explains: bool
    worded: bool


def select(place: Span, options: Options, *, declared: bool) -> Selection:
    """Return what a text chooses.

    Args:
        place: the text.
        options: the closed list.
        declared: the whole place is said to be the answer.
    """
    for declaration in declarations(place):
        if (selection := _declared(declaration, options)) is not None:
            return selection
    return _stated(place, options) or Selection() if declared else _from_prose(place, options)


def _declared(declaration: Declaration, options: Options) -> Selection | None:
    """Read a declaration; None where it says nothing about the options."""
    selection = _stated(declaration.payload, options)
    if selection is None:
        return Selection() if phrases.UNDECIDED.search(declaration.payload.text) else None
    chosen, span = selection.chosen, selection.span
    for sentence in declaration.following:
        cue = sentence.text[:40].lstrip(" \n*-–—")
        later = _stated(sentence, options)
        if later is None or not later.chosen:
            continue
        if phrases.WITHDRAWS.match(cue):
            chosen, span = later.chosen, later.span
        elif phrases.HEDGES.search(cue) or later.alone or _COULD.search(cue):
            chosen |= later.chosen
    return Selection(chosen, span, alone=selection.alone and chosen == selection.chosen)


_COULD = re.compile(r"(?<![A-Za-z])(?:could|might|may)(?: also)? be(?![A-Za-z])|(?:也)?可能是", re.IGNORECASE)


def _stated(place: Span, options: Options) -> Selection | None:
    """Read a place that states an answer; None where it names no option."""
    place = place.part(0, MAX_PLACE)
    text = flatten(place.text)
    if label := options.label(text):
        return Selection(frozenset({label}), place.strip(), alone=True)
    if run := options.letter_run(unfill(text).strip(_EDGES)):
        return Selection(run, place.strip(), alone=True)
    found = mentions(Span(text, place.start), options, declared=True)
    if not found or len(found) > MAX_MENTIONS:
        return None
    runs = _runs(text, found)
    chosen = _combine(runs, by_letter=options.letters)
    first = next((run for run in runs if run.options <= chosen), runs[0])
    alone = len(runs) == 1 and not _LETTERS.search(text[: first.start] + text[first.end :])
    return Selection(chosen, place.part(first.start, first.end), alone=alone)


_LETTERS = re.compile(r"[^\W_]")


def _runs(text: str, found: Sequence[Mention]) -> list[_Run]:
    """Group mentions that are only linked, and look at the words around each group."""
    groups: list[list[Mention]] = []
    for mention in found:
        if groups and _LINK.fullmatch(text, groups[-1][-1].end, mention.start):
            groups[-1].append(mention)
        else:
            groups.append([mention])
    starts = [*(group[0].start for group in groups[1:]), len(text)]
    ends = [0, *(group[-1].end for group in groups[:-1])]
    return [_run(text, group, end, start) for group, end, start in zip(groups, ends, starts, strict=True)]


def _run(text: str, group: list[Mention], low: int, high: int) -> _Run:
    start, end = group[0].start, group[-1].end
    before, after = text[max(low, start - 80) : start], text[end : min(high, end + 80)]
    clause = _CLAUSE.split(before)[-1]
    ahead = _CLAUSE.split(_NEXT_REJECTED.sub("", after) if high < len(text) else after, maxsplit=1)[0]
    return _Run(
        options=frozenset(mention.option for mention in group),
        start=start,
        end=end,
        rejected=bool(phrases.REJECTS_BEFORE.search(clause) or phrases.REJECTS_AFTER.search(ahead)),
        affirmed=bool(phrases.AFFIRMS_BEFORE.search(clause) or phrases.AFFIRMS_AFTER.search(ahead)),
        hedged=bool(phrases.HEDGES.search(clause) or phrases.HEDGES.match(ahead.lstrip())),
        withdraws=low > 0 and bool(phrases.WITHDRAWS.search(before)),
        explains=bool(_EXPLAINS.search(before)),
        worded=all(mention.worded for mention in group),
    )


def _combine(runs: Sequence[_Run], *, by_letter: bool) -> frozenset[str]:
    """Return what a stated answer chooses: its first options, unless later ones replace or join them."""
    chosen, affirmed, worded, explaining = _NONE, False, False, False
    for run in runs:
        explaining = bool(chosen) and (explaining or run.explains)
        if run.rejected:
            continue
        if not chosen or run.withdraws or (run.affirmed and not affirmed):
            chosen, affirmed, worded, explaining = run.options, run.affirmed, run.worded, False
        elif run.affirmed or run.hedged or (by_letter and not explaining and run.worded == worded):
            chosen |= run.options
    return chosen


def _from_prose(place: Span, options: Options) -> Selection:
    """Read a text without declaration: a bare line, or the option that it affirms, or the only one it names."""
    text = Span(flatten(place.text), place.start)
    if options.label(text.text[:MAX_PLACE]) and len(text.text) <= MAX_PLACE:
        return _stated(text, options) or Selection()
    if (bare := _bare_lines(text, options)) is not None:
        return bare
    if len(mentions(text, options, declared=False)) > MAX_MENTIONS:
        return Selection()
    return _from_sentences(text, options)


def _bare_lines(text: Span, options: Options) -> Selection | None:
    """Return the option that stands alone in a line, or none where several do; None without one."""
    chosen: dict[str, Span] = {}
    position = 0
    for line in text.text.split("\n"):
        if len(line) <= 200 and line and (label := options.label(line)):
            chosen[label] = text.part(position, position + len(line))
        position += len(line) + 1
    if len(chosen) != 1:
        return Selection(frozenset(chosen)) if chosen else None
    line = next(iter(chosen.values()))
    following = tuple(islice(sentences(text, line.end - text.start), FOLLOWING))
    return _declared(Declaration(line.strip(), following), options)


def _from_sentences(text: Span, options: Options) -> Selection:
    affirmed, neutral = Selection(), Selection()
    every = sentences(text)
    for number, sentence in enumerate(every):
        found = mentions(sentence, options, declared=False)
        if not found:
            continue
        runs = [run for run in _runs(sentence.text, found) if not run.rejected]
        if number == 0 and runs and _leads(sentence, runs[0]):
            return _declared(Declaration(sentence, tuple(islice(every, FOLLOWING))), options) or Selection()
        if phrases.UNDECIDED.search(sentence.text):
            continue
        affirmed = _add(affirmed, sentence, [run for run in runs if run.affirmed], join=bool(_BOTH.search(sentence.text)))
        neutral = _add(neutral, sentence, [run for run in runs if not run.affirmed], join=True)
    return affirmed if affirmed.chosen else neutral


def _leads(sentence: Span, run: _Run) -> bool:
    """Tell whether a sentence begins with its answer, as "Yes, ..." and "B, because ..." do."""
    return not _LETTERS.search(sentence.text[: run.start]) and sentence.text[run.end : run.end + 1] in tuple(",.;:!)，。；：！")


def _add(selection: Selection, sentence: Span, runs: Sequence[_Run], *, join: bool) -> Selection:
    if not runs:
        return selection
    options = frozenset[str]().union(*(run.options for run in runs))
    span = sentence.part(runs[-1].start, runs[-1].end)
    return Selection(options | selection.chosen if join else options, span)
