"""Stock phrases that lengthen a text and say nothing about the question."""

import re
from functools import lru_cache

from guerdon_plugins.parsing.linear import find_all
from guerdon_plugins.parsing.span import Span
from guerdon_plugins.parsing.visible import kinds

PHRASES = (
    "great question",
    "good question",
    "that's a great question",
    "happy to help",
    "i'd be happy to help",
    "as an ai language model",
    "as an ai model",
    "as a language model",
    "let me think about this",
    "let me think step by step",
    "let's think step by step",
    "let me double-check",
    "let me double check",
    "let me re-examine",
    "let me take another look",
    "let me break this down",
    "let's break this down",
    "i need to think carefully",
    "i hope this helps",
    "hope this helps",
    "let me know if you have any questions",
    "let me know if you have any other questions",
    "let me know if you need anything else",
    "feel free to ask",
    "it is important to note that",
    "it's important to note that",
    "it is worth noting that",
    "it's worth noting that",
    "it should be noted that",
    "as mentioned earlier",
    "as mentioned above",
    "needless to say",
    "when all is said and done",
    "with that being said",
    "当然可以",
    "好问题",
    "这是一个很好的问题",
    "很高兴为您服务",
    "作为一个人工智能",
    "作为一个语言模型",
    "让我想一想",
    "让我想想",
    "让我再检查一下",
    "让我们一步一步思考",
    "希望这对你有帮助",
    "希望这对您有帮助",
    "希望对你有所帮助",
    "如果您有任何其他问题",
    "如果你还有其他问题",
    "请随时告诉我",
    "值得注意的是",
    "需要注意的是",
    "众所周知",
)
"""English and Chinese. Letter case and kind of apostrophe do not matter."""

INTERJECTIONS = (
    "sure",
    "certainly",
    "of course",
    "absolutely",
    "okay",
    "ok",
    "alright",
    "hmm",
    "wait",
    "好的",
    "当然",
    "嗯",
)
"""Words that are filler only where they open a sentence and a punctuation mark follows."""


def find_filler(text: str, more: tuple[str, ...] = ()) -> list[Span]:
    """Return the stock phrases in the text, in order; `more` lists further ones. Linear time."""
    return [Span(text[start:end], start) for start, end in find_all(_pattern(PHRASES + more), text)]


@lru_cache(maxsize=64)
def _pattern(phrases: tuple[str, ...]) -> str:
    longest_first = sorted({phrase.casefold() for phrase in phrases}, key=len, reverse=True)
    opening = rf"(?:{'|'.join(INTERJECTIONS)})\s?[,.!…，。！]+"
    return rf"(?i)({'|'.join(map(_bounded, longest_first))})|(?m:^|[.!?…。！？]\s*)({opening}(?:\s?{opening})*)"


def _bounded(phrase: str) -> str:
    """Escape a phrase, so that it is not found within longer words."""
    escaped = re.escape(phrase).replace("'", "['’]")
    before = r"\b" if kinds(phrase[0]) == "w" else ""
    after = r"\b" if kinds(phrase[-1]) == "w" else ""
    return f"{before}{escaped}{after}"
