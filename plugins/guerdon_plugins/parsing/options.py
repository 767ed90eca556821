"""Find the options of a closed list in a text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from guerdon_plugins.parsing.listed import listed
from guerdon_plugins.parsing.normalise import normalise
from guerdon_plugins.parsing.span import Span

_LATIN = "0-9A-Za-z_\u00c0-\u024f"
_BEFORE = rf"(?<![{_LATIN}'’\\])(?<![A-Za-z]\.)(?<![a-z0-9]-)(?<![A-Za-z]{{2}}-)"
_BEFORE_LETTER = r"(?<![0-9°])(?<![0-9°][ ])"
_AFTER = rf"(?![{_LATIN}]|['’][A-Za-z]|-[a-z0-9]|\.[A-Za-z](?![A-Za-z])|\.[0-9])"
_VERBS = listed(
    """is are was and or nor because since as but with for the not by if in than has have fails? shows? it would could
    cannot can must should seems? looks? fits matches does doesn"""
)
_PROSE_AFTER = re.compile(rf"[ \t]+(?!(?:{'|'.join(_VERBS)})\b)[a-z]")
_THINGS = listed(
    """points? lines? figures? fig\\. panels? images? pictures? photos? angles? sides? vertex vertices circles? tables?
    charts? columns? rows? grades? vitamin types? class groups? sets? plans? teams? curves? graphs? segments?
    triangles? rooms? gates? city cities person player
    mr\\.? mrs\\.? ms\\.? dr\\.? [点线图角边列行组]"""
)
_THING_BEFORE = re.compile(rf"(?:{'|'.join(_THINGS)})[ ]{{0,2}}$", re.IGNORECASE)
_LOWER_BEFORE = re.compile(r"(?:[(\[{（]|(?:option|choice|letter|answer)[ ]?|[*_`]{1,2}|选项?)$", re.IGNORECASE)
_NO_ANSWER = re.compile(r"\s{1,3}(?:idea|clue|doubt|matter|longer|way|sense|problem)(?![a-z])", re.IGNORECASE)
_NOUN = re.compile(
    r"[ ](?!(?:it|there|the|this|that|these|those|he|she|they|because|since|as|i|you|we|not|and|or|but|is)\b)[a-z]"
)
_GROUPED = re.compile(r"-?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_ENDS_IN_ZEROS = re.compile(r"-?(?:0|[1-9][0-9]{0,40})\.[0-9]{0,40}0")
_OPERATES = re.compile(r"[ ]{0,2}(?:[+×÷*]|[-−][ ]?[0-9])[ ]{0,2}")
"""What follows a number that is only worked with: the 12 in ``12 + 3 = 15``."""
_JOINED_BEFORE = re.compile(r"(?<![A-Za-z])([A-Za-z]) ?[/&] ?$")
_JOINED_AFTER = re.compile(r" ?[/&] ?([A-Za-z])(?![A-Za-z])")
MAX_MENTIONS = 400
"""A text that names options more often chooses none."""


@dataclass(frozen=True, slots=True)
class Options:
    """A closed list of options."""

    labels: tuple[str, ...]
    texts: tuple[str, ...] = ()
    """What each label stands for, in the order of the labels; empty where it has no text."""

    @property
    def letters(self) -> bool:
        """Every label is a single Latin letter."""
        return all(len(label) == 1 and label.isascii() and label.isalpha() for label in self.labels)

    def letter_run(self, text: str) -> frozenset[str]:
        """Return the labels of a run of different capital letters such as ``AC``; none for any other text."""
        found = frozenset(text)
        return found if self.letters and 1 < len(text) == len(found) and found <= set(self.labels) else frozenset()

    def label(self, text: str) -> str | None:
        """Return the label that a whole text names, by letter or by the option's text."""
        whole = _key(text)
        labels, texts = _lookup(self)
        return labels.get(whole) or texts.get(whole)


@dataclass(frozen=True, slots=True)
class Mention:
    """An option named in a text."""

    option: str
    start: int
    end: int
    worded: bool = False
    """Named by its text, not by its label."""


def _key(text: str) -> str:
    """Return what two spellings of one option share."""
    key = normalise(text)
    key = key.replace(",", "") if _GROUPED.fullmatch(key) else key
    return key.rstrip("0").rstrip(".") if _ENDS_IN_ZEROS.fullmatch(key) else key


@lru_cache(maxsize=512)
def _lookup(options: Options) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Map normalised labels and texts to labels; a text that two options share names neither."""
    labels = {_key(label): label for label in options.labels}
    texts: dict[str, str] = {}
    for label, text in zip(options.labels, options.texts, strict=False):
        key = _key(text)
        texts[key] = "" if key in texts else label
    return labels, {key: label for key, label in texts.items() if key and label}


@lru_cache(maxsize=512)
def _pattern(options: Options) -> re.Pattern[str]:
    names = {*options.labels, *(label.swapcase() for label in options.labels if options.letters)}
    labels = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    labels = labels if options.letters else f"(?i:{labels})"
    before, after = (_BEFORE + _BEFORE_LETTER, _AFTER + r"(?!\+\+|#)") if options.letters else (_BEFORE, _AFTER)
    texts = "|".join(
        r"\s{1,3}".join(map(re.escape, text.split())) for text in sorted(_spellings(options), key=len, reverse=True)
    )
    bounded = rf"(?<![{_LATIN}])(?<![0-9][.,])(?i:(?P<text>{texts}))(?![{_LATIN}]|\.[0-9])|" if texts else ""
    return re.compile(rf"{bounded}{before}(?P<label>{labels}){after}")


def _spellings(options: Options) -> set[str]:
    """Return the texts that name one option each, numbers with and without groups."""
    texts = _lookup(options)[1]
    return {*texts, *(spelling for text in options.texts if _key(text) in texts and (spelling := normalise(text)))}


def mentions(place: Span, options: Options, *, declared: bool) -> list[Mention]:
    """Return where a text names options, in order; positions count from the place's start.

    Never the article "A", the pronoun "I", or a letter inside a word or a name such as "point B".
    Lower-case letters count in brackets, after a word such as "option", or where the whole of a
    declared text is short.
    """
    found: list[Mention] = []
    texts = _lookup(options)[1]
    lower = declared and len(place.text.strip()) <= 24
    for match in _pattern(options).finditer(place.text):
        if match.lastgroup == "text":
            option = None if _is_operand(place.text, match) else texts.get(_key(match[0]))
        else:
            option = _label(place.text, match, options, lower=lower)
        if option:
            found.append(Mention(option, match.start(), match.end(), worded=match.lastgroup == "text"))
        if len(found) > MAX_MENTIONS:
            break
    return _without_determiners(place.text, found)


def _is_operand(text: str, match: re.Match[str]) -> bool:
    return match[0][-1].isdigit() and _OPERATES.match(text, match.end()) is not None


def _without_determiners(text: str, found: list[Mention]) -> list[Mention]:
    """Leave out the "no" of "no dog" where the text has another answer, as in "Yes, there is no dog"."""
    return [item for item in found if not _is_determiner(text, item)] or found


def _is_determiner(text: str, mention: Mention) -> bool:
    word = text[mention.start : mention.end].lower()
    return word == "no" and mention.start > 0 and _NOUN.match(text, mention.end) is not None


def _label(text: str, match: re.Match[str], options: Options, *, lower: bool) -> str | None:
    name = match["label"]
    option = _lookup(options)[0].get(_key(name))
    if not options.letters:
        return None if name.lower() == "no" and _NO_ANSWER.match(text, match.end()) else option
    before = text[max(0, match.start() - 12) : match.start()]
    marked = _LOWER_BEFORE.search(before) is not None
    if not marked and name in ("A", "I", "a", "i") and _PROSE_AFTER.match(text, match.end()):
        return None
    if (name.islower() and not marked and not lower) or _is_joined(text, match, before, options):
        return None
    return None if _THING_BEFORE.search(before) else option


def _is_joined(text: str, match: re.Match[str], before: str, options: Options) -> bool:
    """Tell whether a letter stands in an abbreviation such as N/A or Q&A; that of A/B is one of two options."""
    beside = (_JOINED_BEFORE.search(before), _JOINED_AFTER.match(text, match.end()))
    return any(found is not None and _key(found[1]) not in _lookup(options)[0] for found in beside)
