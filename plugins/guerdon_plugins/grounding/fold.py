"""What does not matter when two texts are compared."""

from guerdon_plugins.parsing.normalise import normalise


def fold_text(text: str, *, ignore_case: bool = False, ignore_space: bool = False) -> str:
    """Return `text` composed (NFKC), with one space (or none) for each run of white space."""
    folded = normalise(text, ("nfkc", "spaces", "case") if ignore_case else ("nfkc", "spaces"))
    return folded.replace(" ", "") if ignore_space else folded


def fold_label(text: str) -> str:
    """Return a class label without case and edge punctuation; ``red_circle`` is ``red circle``."""
    return normalise(text.replace("_", " ")) if text else ""
