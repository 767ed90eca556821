"""The reward `grounding` on boxes and points: declarations, abstention, evidence."""

import base64
import io
import json
import pickle

import pytest
from PIL import Image
from pydantic import ValidationError

from guerdon import Abstain, DataError, LazyImage, Sample
from guerdon_plugins.grounding import Grounding

BOX = {"type": "boxes", "boxes": [[20, 10, 80, 90]], "ref_space": "abs", "ref_order": "xyxy"}
SIZE = {"image_width": 100, "image_height": 100}
ABS = Grounding(pred_space="abs")


def sample(completion, reference=BOX, metadata=SIZE, **fields):
    return Sample("g/0", completion, reference=reference, metadata=metadata, **fields)


def value(completion, reference=BOX, metadata=SIZE, **config):
    return Grounding(**{"pred_space": "abs", **config}).score(sample(completion, reference, metadata)).value


def picture(size=(64, 48), colour="white"):
    buffer = io.BytesIO()
    Image.new("RGB", size, colour).save(buffer, "PNG")
    return LazyImage("data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode())


def test_the_right_box_scores_one_and_half_of_it_a_half():
    assert value("[20, 10, 80, 90]") == 1.0
    assert value("[20, 50, 80, 90]") == pytest.approx(0.5)


@pytest.mark.parametrize("config", [{"kind": "iou"}, {"kind": "point"}])
def test_a_kind_with_coordinates_needs_their_space(config):
    with pytest.raises(ValidationError, match="pred_space"):
        Grounding(**config)


@pytest.mark.parametrize(
    ("config", "fault"),
    [
        ({"pred_space": "pixels"}, "pred_space"),
        ({"pred_order": "xyx"}, "pred_order"),
        ({"answer_from": "marker"}, "marker"),
        ({"overlap": "giou", "match": "map"}, "giou"),
        ({"iou_thr": 0}, "iou_thr"),
        ({"max_boxes": 0}, "max_boxes"),
        ({"texts_from": "picture"}, "kind: ocr"),
        ({"texts_from": "picture", "kind": "ocr", "isolation": "inline"}, "isolation"),
        ({"minimun": 1}, "minimun"),
    ],
)
def test_a_wrong_configuration_fails_at_once(config, fault):
    with pytest.raises(ValidationError, match=fault):
        Grounding(**config)


def test_boxes_to_judge_without_a_declared_space_are_an_error():
    with pytest.raises(DataError, match="pred_space"):
        Grounding().score(sample("[20, 10, 80, 90]"))


@pytest.mark.parametrize(
    "reference",
    [{}, {"type": "choice", "answer": "A"}, {"type": "exact", "answer": "red"}, {"type": "numeric", "answer": 3}],
)
def test_it_abstains_where_the_reference_has_nothing_for_it(reference):
    assert isinstance(Grounding().score(sample("anything", reference)), Abstain)


def test_another_plugins_reference_with_boxes_is_judged_by_them():
    reference = {
        "type": "exact",
        "answer": "red",
        "choices": ["red"],
        "boxes": [[10, 10, 50, 50]],
        "ref_space": "abs",
        "labels": ["red circle"],
    }
    text = '<think>{"bbox_2d": [100, 100, 500, 500], "label": "red circle"}</think><answer>red</answer>'
    reward = Grounding(pred_space="norm1000", read_from="tag", tag="think", class_aware=True)
    assert reward.score(sample(text, reference)).value == pytest.approx(1.0)
    assert Grounding(pred_space="norm1000").score(sample(text, reference)).value == 0.0


def test_kind_restricts():
    assert isinstance(Grounding(kind="count").score(sample("3")), Abstain)
    assert Grounding(kind="count").score(sample("3", {"type": "count", "answer": 3})).value == 1.0
    assert isinstance(Grounding(kind="ocr").score(sample("3", {"type": "count", "answer": 3})), Abstain)


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ({"boxes": [[80, 90, 20, 10]]}, "no box"),
        ({"boxes": [[20, 10, 20, 90]]}, "no box"),
        ({"boxes": [[20, 10, float("nan"), 90]]}, "no box"),
        ({"boxes": [[20, 10, 80]]}, "no box"),
        ({"boxes": [["20", "10", "80", "90"]]}, "no box"),
        ({"boxes": [20, 10, 80, 90]}, "no box"),
        ({"boxes": "20 10 80 90"}, "list of boxes"),
        ({"boxes": None}, "list of boxes"),
        ({"boxes": [[500, 500, 600, 600]]}, "outside the picture"),
        ({"boxes": [[10, 10, 500, 500]]}, "outside the picture"),
        ({"labels": []}, "labels"),
        ({"labels": "cup"}, "labels"),
        ({"ref_space": "pixels"}, "ref_space"),
        ({"ref_order": "abcd"}, "ref_order"),
    ],
)
def test_a_bad_reference_is_unscorable_whatever_the_answer(broken, reason):
    for completion in ("[20, 10, 80, 90]", "nothing"):
        verdict = ABS.score(sample(completion, {**BOX, **broken}))
        assert isinstance(verdict, Abstain)
        assert reason in verdict.reason


def test_class_aware_needs_labels_in_the_reference():
    verdict = Grounding(pred_space="abs", class_aware=True).score(sample("[20, 10, 80, 90]"))
    assert isinstance(verdict, Abstain)
    assert "label" in verdict.reason


def test_the_references_own_declaration_wins_and_a_contradiction_is_an_error():
    bare = {"type": "boxes", "boxes": [[200, 100, 800, 900]]}
    assert value("[20, 10, 80, 90]", bare, ref_space="norm1000") == pytest.approx(1.0)
    own = {**bare, "ref_space": "norm1000"}
    assert value("[20, 10, 80, 90]", own, ref_space="norm1000") == pytest.approx(1.0)
    with pytest.raises(DataError, match="drop one"):
        value("[20, 10, 80, 90]", own, ref_space="abs")
    with pytest.raises(DataError, match="ref_space"):
        value("[20, 10, 80, 90]", bare)


def test_an_order_in_the_reference_is_followed():
    assert value("[20, 10, 80, 90]", {**BOX, "boxes": [[20, 10, 60, 80]], "ref_order": "xywh"}) == 1.0
    assert value("[10, 20, 90, 80]", pred_order="yxyx") == 1.0
    assert value("[50, 50, 60, 80]", pred_order="cxcywh") == 1.0


def test_the_size_comes_from_metadata_else_from_the_picture_else_it_is_an_error():
    reference = {"type": "boxes", "boxes": [[16, 12, 32, 24]], "ref_space": "abs"}
    reward = Grounding(pred_space="norm1")
    assert reward.score(sample("[0.25, 0.25, 0.5, 0.5]", reference, {}, images=[picture()])).value == pytest.approx(1.0)
    with pytest.raises(DataError, match="image_width"):
        reward.score(sample("[0.25, 0.25, 0.5, 0.5]", reference, {}))
    assert ABS.score(sample("[16, 12, 32, 24]", reference, {})).value == 1.0


@pytest.mark.parametrize("bad", [0, -5, float("nan"), float("inf"), "100", True, 1e9])
def test_a_size_that_is_none_is_an_error(bad):
    with pytest.raises(DataError, match="size"):
        Grounding(pred_space="norm1").score(sample("[0, 0, 1, 1]", BOX, {"image_width": bad, "image_height": 100}))


def test_resized_needs_the_input_size():
    size = {"image_width": 2000, "image_height": 1000, "input_width": 1000, "input_height": 500}
    reference = {"type": "boxes", "boxes": [[200, 100, 600, 500]], "ref_space": "abs"}
    assert value("[100, 50, 300, 250]", reference, size, pred_space="resized") == pytest.approx(1.0)
    with pytest.raises(DataError, match="input_width"):
        value("[100, 50, 300, 250]", BOX, SIZE, pred_space="resized")


@pytest.mark.parametrize(
    ("completion", "expected"),
    [
        ("<think>[1, 2, 3, 4]</think><answer>[20, 10, 80, 90]</answer>", 1.0),
        ("<think>[20, 10, 80, 90]</think><answer>nothing</answer>", 0.0),
        ("<think>[20, 10, 80, 90]", 0.0),
        ("[20, 10, 80, 90]<think>so be it", 0.0),
        ("a draft [1, 2, 3, 4]</think>[20, 10, 80, 90]", 1.0),
        ("First [1, 2, 3, 4]. The answer is [20, 10, 80, 90].", 1.0),
        ("The answer is [1, 2, 3, 4]. First I took [20, 10, 80, 90]", 0.5),
        (r"so \boxed{[20, 10, 80, 90]}", 1.0),
        ("The answer is a van: it is in [20, 10, 80, 90]", 1.0),
    ],
)
def test_where_the_box_is_read(completion, expected):
    assert value(completion) == pytest.approx(expected, abs=0.01)


def test_tag_boxed_and_marker():
    assert value("<box_out>[20, 10, 80, 90]</box_out> [1, 1, 2, 2]", answer_from="tag", tag="box_out") == 1.0
    assert value("[20, 10, 80, 90]", answer_from="tag", tag="answer") == 0.0
    assert value(r"\boxed{[20, 10, 80, 90]} [1, 1, 2, 2]", answer_from="boxed") == 1.0
    assert value("BOX: [20, 10, 80, 90]\n[1, 1, 2, 2]", answer_from="marker", marker="BOX:") == 1.0


@pytest.mark.parametrize("match", ["mean", "hungarian_f1", "map"])
def test_an_empty_reference_is_met_by_saying_so(match):
    empty = {**BOX, "boxes": []}
    assert value("[]", empty, match=match) == 1.0
    assert value("There is no such object.", empty, match=match) == 1.0
    assert value("没有", empty, match=match) == 1.0
    assert value("", empty, match=match) == 0.0
    assert value("Lovely weather.", empty, match=match) == 0.0
    assert value("[5, 5, 50, 50]", empty, match=match) == 0.0
    assert value('{"bbox_2d": [NaN, 1, 2, 3]}', empty, match=match) == 0.0
    assert value("[]", BOX, match=match) == 0.0


def test_evidence_can_be_drawn_and_written_as_json():
    text = '[{"bbox_2d": [200, 100, 800, 900], "label": "Cup"}, {"bbox_2d": [900, 900, 100, 100], "label": "bowl"}]'
    score = Grounding(pred_space="norm1000").score(sample(text, {**BOX, "labels": ["cup"]}))
    evidence = json.loads(json.dumps(dict(score.evidence), allow_nan=False))
    assert evidence["predicted"] == [[20, 10, 80, 90]]
    assert evidence["predicted_labels"] == ["cup"]
    assert evidence["malformed"] == 1
    assert evidence["true"] == [[20, 10, 80, 90]]
    assert evidence["true_labels"] == ["cup"]
    assert evidence["iou"] == score.metrics["iou"] == pytest.approx(0.5)


def test_iou_is_a_metric_under_every_match():
    for match in ("mean", "hungarian_f1", "map"):
        score = Grounding(pred_space="abs", match=match).score(sample("[20, 50, 80, 90]"))
        assert score.metrics["iou"] == pytest.approx(0.5)


def test_it_pickles_and_round_trips_as_json():
    reward = Grounding(pred_space="norm1000", kind="iou", match="map")
    assert pickle.loads(pickle.dumps(reward)) == reward
    assert Grounding.model_validate_json(reward.model_dump_json()) == reward
    verdict = reward.score(sample("[200, 100, 800, 900]"))
    assert pickle.loads(pickle.dumps(verdict)) == verdict


TARGET = {"type": "point_in_box", "boxes": [[840, 220, 900, 260]], "ref_space": "abs"}
SCREEN = {"image_width": 1920, "image_height": 1080}


@pytest.mark.parametrize(
    ("completion", "expected"),
    [
        ("(870, 240)", 1.0),
        ("click(840, 260)", 1.0),
        ("(700, 240)", 0.0),
        ("[852, 230, 884, 248]", 1.0),
        ("[0, 0, 1920, 1080]", 0.0),
        ("[884, 248, 852, 230]", 0.0),
        ("(870, 240) or (10, 10)", 0.5),
        ("(10, 10), (870, 240)", 0.5),
        ("870", 0.0),
        ("(NaN, 240)", 0.0),
        ("", 0.0),
    ],
)
def test_points(completion, expected):
    assert value(completion, TARGET, SCREEN, kind="point") == expected


def test_a_point_is_scaled_and_turned_as_declared():
    assert value("(453, 222)", TARGET, SCREEN, pred_space="norm1000") == 1.0
    assert value("(0.4531, 0.2222)", TARGET, SCREEN, pred_space="norm1") == 1.0
    assert value("(240, 870)", TARGET, SCREEN, pred_order="yxyx") == 1.0
    assert value("(240, 870)", TARGET, SCREEN) == 0.0


def test_any_of_several_true_boxes_takes_the_point():
    two = {**TARGET, "boxes": [[0, 0, 10, 10], [840, 220, 900, 260]]}
    assert value("(870, 240)", two, SCREEN) == 1.0


def test_points_in_boxes_by_kind():
    assert value("(50, 50)", BOX, SIZE, kind="point") == 1.0
