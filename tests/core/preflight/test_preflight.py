"""Every bad row is found, with its line; what is in order is left alone."""

import io
import json
from typing import Any, ClassVar

import pytest
from PIL import Image
from rich.console import Console

from guerdon import Abstain, Reward, Sample
from guerdon.preflight import (
    Preflight,
    Row,
    component_rows,
    duplicate_row,
    look_at_pictures,
    picture_row,
    read_split,
    split_row,
)
from guerdon.preflight.render import print_preflight
from guerdon_plugins import Correctness, Format, Grounding, Length, Safety

BOX = {"boxes": [[4, 4, 20, 20]], "ref_space": "abs", "labels": ["square"]}


@pytest.fixture
def folder(tmp_path):
    for name, colour in (("red", (200, 0, 0)), ("blue", (0, 0, 200))):
        Image.new("RGB", (64, 48), colour).save(tmp_path / f"{name}.png")
    Image.new("RGB", (64, 48), (200, 0, 0)).save(tmp_path / "again.png", compress_level=0)
    (tmp_path / "torn.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    return tmp_path


def line(name: str, reference: dict[str, Any], picture: str | None = "red.png", **metadata: Any) -> dict[str, Any]:
    image = [{"type": "image", "image": picture}] if picture else []
    content = [*image, {"type": "text", "text": f"question {name}?"}]
    return {
        "id": name,
        "messages": [{"role": "user", "content": content}],
        "reference": reference,
        "metadata": metadata,
    }


def write(folder, *rows, name="train"):
    path = folder / f"{name}.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return read_split(name, str(path))


GOOD = [
    line("a", {"type": "choice", "answer": "B", "options": ["A", "B", "C"]}),
    line("b", {"type": "numeric", "answer": 7}),
    line("c", {"type": "exact", "answer": "red"} | BOX),
    line("d", {"type": "fields", "answer": {"total": 7}}, None),
]
REWARDS = {
    "answer": Correctness(answer_from="tag"),
    "boxes": Grounding(pred_space="norm1000"),
    "shape": Format(),
    "brief": Length(max_len=256),
    "safe": Safety(),
}


def rows_of(split, rewards=REWARDS, outcome="answer"):
    return {row.check.removeprefix(f"{split.name}: "): row for row in component_rows(rewards, outcome, split)}


def test_data_in_order_is_left_alone(folder):
    split = write(folder, *GOOD)
    looks = look_at_pictures([split])
    rows = [
        split_row(split, least=4),
        picture_row(split, looks),
        duplicate_row([split], looks),
        *rows_of(split).values(),
    ]
    assert [(row.refusals, row.warnings) for row in rows] == [((), ())] * 8
    seen = {row.check: row.seen for row in rows}
    assert seen["train manifest"] == "4 prompts: 3 image, 1 text"
    assert seen["train: answer"] == "abstains on 0 of 4, right 1, wrong 0, empty 0"
    assert seen["train: boxes"] == "abstains on 3 of 4, right 1, wrong 0, empty 0"
    assert seen["train: shape"] == "abstains on 0 of 4, right 1, wrong 1, empty 0"


def test_every_broken_line_is_told_of(folder):
    split = write(folder, GOOD[0], "{not json", "", GOOD[1] | {"extra": 1}, GOOD[0], '{"id": "n", "messages": NaN}')
    found = split_row(split, least=9).refusals
    assert [text.partition("train.jsonl")[2][:3] for text in found] == [":2 ", ":4:", ":5:", ":6 "]
    assert "stands also in line 1" in found[2]
    short = split_row(write(folder, *GOOD), least=9)
    assert short.refusals[0].endswith("holds 4 prompts; a step needs 9 (runtime.prompts_per_step)")


@pytest.mark.parametrize(("text", "said"), [("", "holds no prompts"), (None, "cannot be read")])
def test_a_manifest_without_prompts(text, said, tmp_path):
    path = tmp_path / "train.jsonl"
    if text is not None:
        path.write_text(text)
    assert said in split_row(read_split("train", str(path))).refusals[0]


def test_pictures_are_opened_and_measured(folder):
    split = write(
        folder,
        line("torn", {}, "torn.png"),
        line("gone", {}, "gone.png"),
        line("size", {}, image_width=48, image_height=64),
        line("fine", {}, image_width=64, image_height=48),
    )
    found = picture_row(split, look_at_pictures([split])).refusals
    assert [text.partition(" (")[2].partition(")")[0] for text in found] == ["torn", "gone", "size"]
    assert found[2].endswith("image_width x image_height 48x64, and the picture has 64x48")


def test_duplicates_between_manifests_are_refused(folder):
    same = line("x", {}, "again.png") | {"messages": line("a", {}, "again.png")["messages"]}
    text = [line(name, {}, None) | {"messages": [{"role": "user", "content": "2 + 2?"}]} for name in ("t", "u")]
    train = write(folder, GOOD[0], line("other", {}, "blue.png"), text[0])
    held = write(folder, same, GOOD[2], text[1], GOOD[2] | {"id": "c2"}, name="eval")
    row = duplicate_row([train, held], look_at_pictures([train, held]))
    assert len(row.refusals) == 1
    assert "eval.jsonl:1 (x) is the same prompt as" in row.refusals[0]
    assert row.refusals[0].endswith("train.jsonl:1 (a)")
    assert ["(u) is the same prompt" in row.warnings[0], "(c2) repeats" in row.warnings[1]] == [True, True]


BAD = {
    "letter": {"type": "choice", "answer": "Z", "options": ["A", "B"]},
    "empty": {"type": "exact", "answer": ""},
    "word": {"type": "numeric", "answer": "many"},
    "none": {},
    "kind": {"type": "poem", "answer": "x"},
    "null": {"type": "fields", "answer": {"total": None}},
}


def test_a_prompt_that_the_outcome_cannot_judge_is_refused(folder):
    split = write(folder, *GOOD, *(line(name, reference) for name, reference in BAD.items()))
    found = rows_of(split)["answer"].refusals
    assert [text.partition(" (")[2].partition(")")[0] for text in found] == list(BAD)
    assert "train.jsonl:5 (letter): the outcome answer has nothing to judge" in found[0]


def test_a_box_outside_the_picture_is_seen_as_an_abstention(folder):
    bad = line("out", {"type": "boxes", "boxes": [[4, 4, 200, 20]], "ref_space": "abs"})
    rows = rows_of(write(folder, bad), {"boxes": REWARDS["boxes"]}, "boxes")
    assert "the outcome boxes has nothing to judge" in rows["boxes"].refusals[0]


class Odd(Reward):
    """Does what its field says."""

    name: ClassVar[str] = "odd"
    needs: ClassVar[frozenset[str]] = frozenset({"image", "reference.answer"})
    way: str = "right"

    def score(self, sample: Sample) -> Any:
        gold = str(sample.reference.get("answer"))
        match self.way:
            case "raises":
                raise KeyError("gold")
            case "constant":
                return 0.5
            case "abstains":
                return Abstain("nothing to do")
            case "wrong too":
                return float(gold in sample.completion or (gold == "beta" and "none" in sample.completion))
            case "half":
                return float(gold in sample.completion) / (2 if gold == "beta" else 1)
        return float(gold in sample.completion)


class Asks(Reward):
    name: ClassVar[str] = "asks"

    async def score(self, sample: Sample) -> float:
        raise AssertionError("called")


LETTERS = [line(name, {"type": "exact", "answer": name}) for name in ("alpha", "beta", "gamma", "delta")]


@pytest.mark.parametrize(
    ("way", "refused", "warned"),
    [
        ("right", [], []),
        ("raises", ["fails on a right completion: KeyError: 'gold'"] * 4, []),
        ("constant", [], ["gives 0.5 to everything: it trains nothing"]),
        ("abstains", ["abstains on every prompt: nothing to do"], []),
        ("wrong too", ["(beta): a wrong answer earns 1 from odd, as much as the right one"], []),
        ("half", ["(beta): the reference's own answer earns 0.5 of 1 from odd"], []),
    ],
)
def test_what_a_component_does_to_right_and_wrong_completions(way, refused, warned, folder):
    row = rows_of(write(folder, *LETTERS), {"odd": Odd(way=way)})["odd"]
    assert len(row.refusals) == len(refused)
    assert all(said in text for said, text in zip(refused, row.refusals, strict=True))
    assert [said in text for said, text in zip(warned, row.warnings, strict=True)] == [True] * len(warned)


def test_what_a_reward_needs_is_looked_for(folder):
    split = write(folder, line("x", {"type": "exact", "answer": "x"}, None), line("y", {"type": "exact"}))
    found = rows_of(split, {"odd": Odd()})["odd"].refusals
    assert [text.partition("(")[2] for text in found] == [
        "x) has no image, which odd needs",
        "y) has no reference.answer, which odd needs",
    ]


def test_a_component_that_keeps_failing_is_not_asked_again(folder):
    split = write(folder, *(line(f"n{number}", {"type": "exact", "answer": "x"}) for number in range(30)))
    found = rows_of(split, {"odd": Odd(way="raises")})["odd"].refusals
    assert len(found) == 21
    assert found[0].endswith("odd failed 20 times and was not asked about further prompts")


def test_a_service_is_not_asked(folder):
    assert rows_of(write(folder, *LETTERS), {"asks": Asks()})["asks"] == Row(
        "train: asks", "asks asks a service; it was not called"
    )


def test_the_table_says_what_is_refused():
    found = Preflight([Row("a", "fine"), Row("b", "7", tuple(f"line {n}" for n in range(7)), ("careful",))])
    console = Console(file=io.StringIO(), width=100)
    print_preflight(found, console)
    text = console.file.getvalue()
    assert "7 refused" in text
    assert "refused: line 4\nrefused: b: 2 more; --json lists all\nwarning: careful\n7 refusals" in text
    assert found.as_json()["rows"][1]["refusals"][6] == "line 6"
    assert (found.ok, Preflight([Row("a", "fine")]).ok) == (False, True)
