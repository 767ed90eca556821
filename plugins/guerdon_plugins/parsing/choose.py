"""Decide which options of a closed list a text chooses, rejects or leaves open."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from guerdon_plugins.parsing import phrases
from guerdon_plugins.parsing.declare import FOLLOWING, Declaration, declarations
from guerdon_plugins.parsing.latex import flatten, unfill
from guerdon_plugins.parsing.options import MAX_MENTIONS, Options, mentions
from guerdon_plugins.parsing.runs import Run, runs_of
from guerdon_plugins.parsing.sentences import sentences
from guerdon_plugins.parsing.span import Span

_EDGES = " \t\r\n.,;:!()[]{}*_`'\"$。，"
_MARKED = re.compile(r"[❌✗✘✖✅✓✔☑]")
"""A mark beside an option says more than that it stands alone."""
MAX_LINES = 1000
"""Lines that are looked at for an option that stands alone."""
MAX_PLACE = 4000
"""Characters of a declared place that are read."""
_NONE: frozenset[str] = frozenset()
_YES = re.compile(r"\W{0,8}(?:yes|correct|right|对|是)(?![A-Za-z])", re.IGNORECASE)
_NO = re.compile(r"\W{0,8}(?:no|wrong|nope|不|否)(?![A-Za-z])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Selection:
    """The options that a text chooses: none if it chooses nothing, several if it does not decide."""

    chosen: frozenset[str] = _NONE
    span: Span | None = None
    alone: bool = False
    """Nothing but the options stands in the place."""

    alternatives: bool = False
    """The options are offered as alternatives: "A or C"."""


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
    same = chosen == selection.chosen
    return Selection(chosen, span, alone=selection.alone and same, alternatives=selection.alternatives and same)


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
    runs = runs_of(text, found)
    chosen = _combine(runs, by_letter=options.letters)
    first = next((run for run in runs if run.options <= chosen), runs[0])
    alone = len(runs) == 1 and not _LETTERS.search(text[: first.start] + text[first.end :])
    alternatives = any(_OR.search(text[run.start : run.end]) for run in runs if run.options <= chosen)
    return Selection(chosen, place.part(first.start, first.end), alone=alone, alternatives=alternatives)


_LETTERS = re.compile(r"[^\W_]")
_OR = re.compile(r"(?<![A-Za-z])or(?![A-Za-z])|或", re.IGNORECASE)


def _combine(runs: Sequence[Run], *, by_letter: bool) -> frozenset[str]:
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
    short = len(text.text) <= MAX_PLACE
    if short and (options.label(text.text) or options.letter_run(unfill(text.text).strip(_EDGES))):
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
    for content in islice(text.text.split("\n"), MAX_LINES):
        if len(content) <= 200 and content and not _MARKED.search(content) and (label := options.label(content)):
            chosen[label] = text.part(position, position + len(content))
        position += len(content) + 1
    if len(chosen) != 1:
        return Selection(frozenset(chosen)) if chosen else None
    line = next(iter(chosen.values()))
    following = tuple(islice(sentences(text, line.end - text.start), FOLLOWING))
    return _declared(Declaration(line.strip(), following), options)


def _from_sentences(text: Span, options: Options) -> Selection:
    """Return what the sentences affirm; else the only option that they name; questions count last."""
    affirmed, neutral, asked = Selection(), Selection(), Selection()
    question: tuple[Span, list[Run]] | None = None
    every = sentences(text)
    for number, sentence in enumerate(every):
        if question and _YES.match(sentence.text):
            affirmed = _add(affirmed, *question, join=True)
        elif question and not _NO.match(sentence.text):
            asked = _add(asked, *question, join=True)
        question = None
        runs = _kept(sentence, options)
        if number == 0 and runs and _leads(sentence, runs[0]):
            return _declared(Declaration(sentence, tuple(islice(every, FOLLOWING))), options) or Selection()
        plain = [run for run in runs if not run.affirmed]
        if sentence.text.rstrip().endswith(("?", "？")):
            question = sentence, plain
        else:
            neutral = _add(neutral, sentence, plain, join=True)
        withdraws = phrases.WITHDRAWS.search(sentence.text) is not None
        affirmed = _add(affirmed, sentence, [run for run in runs if run.affirmed], join=not withdraws)
    asked = _add(asked, *question, join=True) if question else asked
    return next((selection for selection in (affirmed, neutral) if selection.chosen), asked)


def _kept(sentence: Span, options: Options) -> list[Run]:
    """Return the options that a sentence names and does not reject; none where it declines to decide."""
    found = mentions(sentence, options, declared=False)
    if not found or phrases.UNDECIDED.search(sentence.text):
        return []
    return [run for run in runs_of(sentence.text, found) if not run.rejected]


def _leads(sentence: Span, run: Run) -> bool:
    """Tell whether a sentence begins with its answer, as "Yes, ..." and "B, because ..." do."""
    return not _LETTERS.search(sentence.text[: run.start]) and _LEADS.match(sentence.text, run.end) is not None


_LEADS = re.compile(r"[,.;:!)，。；：！]|[ ]{1,2}(?:because|since|as)(?![A-Za-z])|因为", re.IGNORECASE)


def _add(selection: Selection, sentence: Span, runs: Sequence[Run], *, join: bool) -> Selection:
    if not runs:
        return selection
    options = frozenset[str]().union(*(run.options for run in runs))
    span = sentence.part(runs[-1].start, runs[-1].end)
    alternatives = any(_OR.search(sentence.text[run.start : run.end]) for run in runs)
    chosen = options | selection.chosen if join else options
    return Selection(chosen, span, alternatives=alternatives or (join and selection.alternatives))
