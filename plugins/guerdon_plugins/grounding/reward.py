"""The reward `grounding`."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from guerdon import Abstain, DataError, Reward, Sample, Score
from guerdon_plugins.boxes import Order, Space
from guerdon_plugins.grounding.claims import judge_claims
from guerdon_plugins.grounding.counting import judge_count
from guerdon_plugins.grounding.facts import pictures_of, true_checks
from guerdon_plugins.grounding.ocr import OcrMetric, OcrRule, judge_text
from guerdon_plugins.grounding.picture_text import load_reader, require_reader, texts_in
from guerdon_plugins.grounding.places import (
    BoxRule,
    Match,
    Notation,
    find_places,
    judge_boxes,
    judge_points,
    nothing_found,
)
from guerdon_plugins.grounding.read import Reading, read_answer, read_block
from guerdon_plugins.grounding.reference import (
    BadGoldError,
    Kind,
    frame_of,
    kind_of,
    scaled,
    true_boxes,
    true_count,
    true_texts,
)
from guerdon_plugins.grounding.syntax import TooManyMarksError
from guerdon_plugins.parsing.location import AnswerFrom, Location


class Grounding(Reward):
    """Pays for what an answer says about the picture and the reference confirms.

    What is judged follows from the reference's type: ``boxes``, ``point_in_box``, ``count``,
    ``ocr``, ``ocr_present`` or ``metadata_claims``. A reference of any other type that has ``boxes``
    is judged by them.

    Space and order of coordinates are declared, never guessed; x scales by the width, y by the height,
    without +1 pixel. Malformed boxes overlap with nothing, duplicates cost, and of several boxes each
    counts once. Nothing found where there is nothing is right, if the answer says so.

    Abstains where the reference has nothing that it judges, or cannot be used (a box out of the picture,
    a count that is no number, no texts).

    Example:
        boxes: {use: grounding, pred_space: norm1000, match: hungarian_f1, iou_thr: 0.5, weight: 0.5}
    """

    name: ClassVar[str] = "grounding"
    bounded: ClassVar[bool] = True

    isolation: Literal["process", "inline"] = "inline"

    kind: Kind | None = None
    """Judge only this; None judges whatever the reference has."""

    pred_space: Space | None = None
    """The space of the completion's coordinates. It must be declared where boxes or points are judged."""

    pred_order: Order = "xyxy"
    """The order of the completion's coordinates; ``yxyx`` holds for points too."""

    ref_space: Space | None = None
    """The space of the reference's boxes, where the reference itself declares none."""

    ref_order: Order | None = None
    """The order in the reference's boxes, where the reference itself declares none; then ``xyxy``."""

    read_from: Literal["answer", "tag"] = "answer"
    """``answer``: outside the reasoning, as `answer_from` says; ``tag``: the last block of `tag`
    anywhere, such as ``think`` for a recipe that writes its boxes there."""

    answer_from: AnswerFrom = "any"
    """Where the answer stands outside the reasoning."""

    tag: str = Field("answer", min_length=1)
    """The block that is read, with ``read_from: tag`` or ``answer_from: tag``."""

    marker: str | None = Field(None, min_length=1)
    """What stands before the answer, with ``answer_from: marker``."""

    match: Match = "mean"
    """``mean``: the overlap of the one box; of several, summed under the best assignment and divided
    by the larger number. ``hungarian_f1``: F1 at `iou_thr`. ``map``: COCO's thresholds, without ranks."""

    overlap: Literal["iou", "giou"] = "iou"
    """What ``mean`` averages; giou counts as (1 + giou) / 2, so any box earns something."""

    iou_thr: float = Field(0.5, gt=0, le=1)
    """The overlap from which a box counts as found, under ``hungarian_f1``."""

    class_aware: bool = False
    """Labels must agree (case, edge punctuation and underscores aside)."""

    max_boxes: int = Field(300, ge=1, le=500)
    """An answer with more boxes or points than this scores 0."""

    metric: OcrMetric | None = None
    """For text. ``exact``: the answer is one of the texts. ``anls``: 1 - edits / longer length.
    ``present``: share of the texts that occur. ``quoted_present``: share of the quoted strings that
    are among the texts. None: ``present`` for ``ocr_present``, else ``exact``."""

    tau: float = Field(0.5, ge=0, le=1)
    """A similarity below this earns nothing, under ``anls``."""

    ignore_case: bool = False
    ignore_space: bool = False
    texts_from: Literal["reference", "picture"] = "reference"
    """``picture`` reads the first picture with rapidocr in place of ``reference.texts``; it then judges
    every sample with a picture. The first look at one may take seconds: raise `timeout_s`."""

    @model_validator(mode="before")
    @classmethod
    def _isolate_reader(cls, fields: Any) -> Any:
        """Reading pictures is no bounded work: it runs in a worker that can be killed."""
        if isinstance(fields, Mapping) and fields.get("texts_from") == "picture":
            return {"isolation": "process", **fields}
        return fields

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.kind in ("iou", "point") and self.pred_space is None:
            raise ValueError(f"kind {self.kind!r} needs pred_space: abs, norm1, norm1000 or resized")
        if self.answer_from == "marker" and self.marker is None:
            raise ValueError("answer_from 'marker' needs the field marker")
        if self.overlap == "giou" and self.match != "mean":
            raise ValueError(f"overlap 'giou' goes with match 'mean'; {self.match!r} is defined on IoU")
        if self.texts_from == "picture":
            if self.kind != "ocr" or self.isolation == "inline":
                raise ValueError("texts_from 'picture' goes with kind: ocr and isolation: process")
            require_reader()
        return self

    def prepare(self) -> None:
        """Import the assignment, and load the reader of pictures where one is needed."""
        import scipy.optimize  # noqa: F401  # on a busy machine it takes longer than a sample may

        if self.texts_from == "picture":
            load_reader()

    def score(self, sample: Sample) -> Score | Abstain:
        """Judge the completion by the reference.

        Raises:
            DataError: `pred_space` or the picture's size is missing, or declarations contradict.
        """
        kind = "ocr" if self.texts_from == "picture" else kind_of(sample.reference, self.kind)
        if kind is None:
            return Abstain(
                "the reference has nothing that grounding can judge" + (f" as {self.kind}" if self.kind else "")
            )
        try:
            if kind in ("iou", "point"):
                return self._score_places(sample, kind)
            if kind == "count":
                return judge_count(self._read(sample), true_count(sample.reference))
            if kind == "ocr":
                return self._score_text(sample)
            return self._score_claims(sample)
        except BadGoldError as error:
            return Abstain(f"unscorable: {error}")

    def _read(self, sample: Sample) -> Reading:
        if self.read_from == "tag":
            return read_block(sample.completion, self.tag)
        return read_answer(sample.completion, Location(self.answer_from, self.tag, self.marker or ""))

    def _score_places(self, sample: Sample, kind: Kind) -> Score:
        if self.pred_space is None:
            raise DataError(
                "the reference has boxes, and pred_space says nowhere how the answers write theirs; declare it"
            )
        frame = frame_of(sample)
        true = true_boxes(sample.reference, frame, self.ref_space, self.ref_order)
        if self.class_aware and not all(true.labels):
            raise BadGoldError("class_aware needs a label for each of the reference's boxes")
        notation = Notation(self.pred_space, self.pred_order, scaled(frame, self.pred_space))
        try:
            text, marks = find_places(self._read(sample), self.max_boxes)
        except TooManyMarksError as error:
            return nothing_found(true, f"the answer has {error}")
        if text is None:
            return nothing_found(true, "the completion has no answer to read")
        if kind == "point":
            return judge_points(marks, true, notation)
        return judge_boxes(
            text, marks, true, notation, BoxRule(self.match, self.iou_thr, self.class_aware, self.overlap)
        )

    def _score_text(self, sample: Sample) -> Score:
        present = sample.reference.get("type") == "ocr_present"
        rule = OcrRule(
            self.metric or ("present" if present else "exact"), self.tau, self.ignore_case, self.ignore_space
        )
        if self.texts_from == "picture":
            return judge_text(self._read(sample), self._picture_texts(sample), rule)
        return judge_text(self._read(sample), true_texts(sample.reference), rule)

    def _picture_texts(self, sample: Sample) -> tuple[str, ...]:
        if not sample.images:
            raise BadGoldError("texts_from 'picture' needs a picture, and the sample has none")
        if texts := texts_in(sample.images[0]):
            return texts
        raise BadGoldError("no text was read in the picture")

    def _score_claims(self, sample: Sample) -> Score:
        checks = true_checks(sample.reference)
        pictures = pictures_of(sample, checks, self.ref_space, self.ref_order)
        text = self._read(sample).prose
        return judge_claims(text.text if text else "", checks, pictures)
