"""Scores, abstentions, records: values that travel between processes."""

import pickle

import pytest

from guerdon import Abstain, Record, Score, Status


@pytest.mark.parametrize(
    "value",
    [
        Score(0.5),
        Score(0.5, "half", evidence={"span": [1, 2]}, metrics={"iou": 0.25}),
        Abstain("no keywords"),
        Record("p/0", "answer", Status.OK, 1.0),
        Record("p/0", "answer", Status.ERROR, None, "died", {"a": 1}, {"b": 2.0}, "infrastructure", 3.5, masks=True),
    ],
)
def test_pickles_equal(value):
    again = pickle.loads(pickle.dumps(value))
    assert again == value
    assert type(again) is type(value)


def test_the_defaults_cannot_be_written_to():
    for mapping in (Score(1.0).evidence, Score(1.0).metrics, Record("s", "c", Status.OK).evidence):
        with pytest.raises(TypeError):
            mapping["x"] = 1


def test_status_reads_as_its_word():
    assert [str(status) for status in Status] == ["ok", "abstain", "error", "timeout"]
    assert Status("timeout") is Status.TIMEOUT
