"""A batch of groups that is waited for together."""

import threading

import pytest

from guerdon import Group, Sample, ScoredGroup, ScoringError
from guerdon.scoring.arena import SIZE, Arena
from guerdon.scoring.making import maker
from guerdon.scoring.marks import Marks
from guerdon.scoring.waiting import Batch


def scored(name: str) -> ScoredGroup:
    return ScoredGroup(Group(name, []), (), [])


def test_groups_come_in_the_order_of_their_places():
    batch, groups = Batch(3), [scored(name) for name in "abc"]
    giver = threading.Thread(target=lambda: [batch.place(i).set_result(groups[i]) for i in (2, 0, 1)])
    giver.start()
    assert batch.wait() == groups
    giver.join()


def test_nothing_to_wait_for():
    assert Batch(0).wait() == []


def test_the_first_error_is_raised_at_once():
    batch = Batch(3)
    batch.place(1).set_exception(ScoringError("first"))
    batch.place(0).set_exception(ScoringError("second"))
    with pytest.raises(ScoringError, match="first"):
        batch.wait()


def test_an_arena_hands_frames_over_and_says_when_it_is_full():
    fd = Marks.make_file()
    ours, theirs = Arena(fd, writable=True), Arena(fd, writable=False)
    frames = [bytes([number]) * 1_000_000 for number in range(5)]
    sent = [ours.put(frame) for frame in frames]
    assert [len(each) for each in sent] == [16, 16, 16, 16, 1_000_000]  # the last goes as it is
    assert SIZE < 5_000_000
    assert [bytes(theirs.get(each)) for each in sent] == frames
    with pytest.raises(TypeError):
        theirs._view[0] = 1  # a worker cannot change what others are sent
    ours.clear()
    assert bytes(theirs.get(ours.put(b"again" * 10))) == b"again" * 10
    ours.close()
    theirs.close()


def test_a_maker_makes_what_the_class_makes():
    values = ("g/0", "text", ["prompt"], {"type": "choice"}, [1, 2], None, True, (), {}, "g", 3, 7)
    made = maker(Sample)(*values)
    assert made == Sample(*values)
    with pytest.raises(AttributeError):
        made.id = "other"  # type: ignore[misc]  # frozen all the same
    with pytest.raises(ValueError, match="shorter"):
        maker(Sample)("too few")
