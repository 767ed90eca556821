"""Frames, marks and packed samples: what passes between processes."""

import os
import pickle
import socket
from array import array
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon import LazyImage, Sample, Status
from guerdon.scoring.cells import Abstained, Fault
from guerdon.scoring.channel import Channel
from guerdon.scoring.marks import Mark, Marks
from guerdon.scoring.messages import Piece, Whole, dump_replies, join_pieces, load_replies
from guerdon.scoring.packing import dump, load, pack_samples, unpack_samples


@pytest.fixture
def ends():
    mine, theirs = socket.socketpair()
    with mine, theirs:
        yield Channel(mine), Channel(theirs)


def test_frames_arrive_whole_and_in_order(ends):
    mine, theirs = ends
    frames = [b"", b"x", b"y" * 1000]
    for frame in frames:
        assert mine.send(frame)
    got: list[bytes] = []
    while len(got) < 3:
        assert theirs.wait()
        got += theirs.receive()
    assert got == frames
    assert not theirs.wait(0.01)
    assert mine.receive() == []


def test_a_frame_larger_than_the_socket_waits_without_blocking(ends):
    mine, theirs = ends
    frame = os.urandom(3_000_000)
    assert not mine.send(frame)
    assert mine.unsent
    mine.send(b"next")
    got: list[bytes] = []
    while len(got) < 2:
        mine.flush()
        got += theirs.receive()
    assert got == [frame, b"next"]
    assert not mine.unsent


def test_a_closed_end_is_an_error_even_in_a_frame(ends):
    mine, theirs = ends
    theirs.sock.send(b"\x05\0\0\0\0\0\0\0ab")
    theirs.close()
    with pytest.raises(EOFError):
        mine.receive()
    with pytest.raises(BrokenPipeError):
        mine.send(b"x")


def test_marks_are_seen_through_the_file():
    fd = Marks.make_file()
    writer, reader = Marks(fd), Marks(fd)
    os.close(fd)
    assert reader.read() == Mark(0, 0, 0, 0.0)
    writer.write(2**40, 3, 70_000)
    mark = reader.read()
    assert mark[:3] == (2**40, 3, 70_000)
    assert mark.since > 0
    writer.clear()
    assert reader.read()[:3] == (0, 0, 0)
    assert reader.read().since >= mark.since
    writer.close()
    reader.close()


any_text = st.text(st.characters(codec=None, exclude_categories=()), max_size=20)
ids = st.lists(st.integers(-(2**31), 2**31 - 1), max_size=5)
samples = st.builds(
    Sample,
    id=any_text,
    completion=any_text,
    prompt=st.lists(st.fixed_dictionaries({"role": st.just("user"), "content": any_text}), max_size=2),
    reference=st.dictionaries(any_text, st.integers() | any_text, max_size=2),
    completion_tokens=ids | ids.map(tuple) | ids.map(lambda x: array("i", x)) | st.lists(st.integers(), max_size=3),
    token_count=st.none() | st.integers(0, 100),
    truncated=st.booleans(),
    images=st.lists(any_text.map(LazyImage), max_size=2).map(tuple),
    metadata=st.dictionaries(any_text, st.floats(allow_nan=False), max_size=2).map(MappingProxyType),
    group_id=any_text,
    index=st.integers(0, 10),
    step=st.none() | st.integers(1, 10),
)


def plain(sample: Sample) -> list[object]:
    values = [getattr(sample, name) for name in Sample.__slots__]
    return [
        list(v) if name == "completion_tokens" else dict(v) if isinstance(v, MappingProxyType) else v
        for name, v in zip(Sample.__slots__, values, strict=True)
    ]


@given(st.lists(samples, min_size=1, max_size=4))
def test_samples_come_out_as_they_went_in(items):
    work = load(bytearray(dump(7, (0, 2), items)))
    assert work[:3] == (7, (0, 2), len(items))
    assert list(map(plain, unpack_samples(work.columns, work.contexts))) == list(map(plain, items))


def test_what_a_group_shares_travels_once():
    prompt, reference, images = [{"role": "user", "content": "x" * 1000}], {"answer": "B"}, (LazyImage("a.png"),)
    group = [Sample(f"g/{i}", "t", prompt, reference, images=images, index=i) for i in range(8)]
    _, contexts = pack_samples(group)
    assert len(contexts) < 1500
    unpacked = unpack_samples(*pack_samples(group))
    assert all(sample.images is unpacked[0].images for sample in unpacked)
    apart = [Sample(f"g/{i}", "t", list(prompt), reference, images=images, index=i) for i in range(8)]
    assert list(map(plain, unpack_samples(*pack_samples(apart)))) == list(map(plain, group))


def test_subclasses_and_odd_values_still_travel():
    class Text(str):
        __slots__ = ()

    sample = Sample("g/0", "t", completion_tokens=[2**40], images=("not lazy",), index=0)  # type: ignore[arg-type]
    assert plain(unpack_samples(*pack_samples([sample]))[0]) == plain(sample)
    counted = Sample("g/0", "t", token_count=np.int64(3))  # type: ignore[arg-type]
    work = load(dump(1, (0,), [counted]))
    assert isinstance(work.columns, bytes)
    assert unpack_samples(work.columns, work.contexts)[0].token_count == 3
    many = Sample("g/0", "t", completion_tokens=np.array([1, 2**40]))
    assert list(unpack_samples(*pack_samples([many]))[0].completion_tokens) == [1, 2**40]
    few = Sample("g/0", "t", completion_tokens=np.arange(3))
    assert list(unpack_samples(*pack_samples([few]))[0].completion_tokens) == [0, 1, 2]
    with pytest.raises((AttributeError, pickle.PicklingError)):  # a local class
        dump(1, (0,), [Sample("g/0", Text("t"))])


def test_replies_arrive_as_they_were_sent():
    piece = Piece(1, 0, 2, [0.5, Abstained("away")], [0.1, 0.2], plain=False)
    whole = Whole(2, [[0.5], [Fault(Status.ERROR, "x", "why")]], [[0.1], [0.2]], plain=False)
    assert load_replies(dump_replies([piece, whole])) == [piece, whole]
    assert whole.pieces((0, 3)) == [
        Piece(2, 0, 0, [0.5], [0.1], plain=True),
        Piece(2, 3, 0, [Fault(Status.ERROR, "x", "why")], [0.2], plain=False),
    ]


def test_pieces_that_follow_each_other_are_joined():
    def piece(job, component, first, value, plain=True):
        return Piece(job, component, first, [value], [0.1], plain)

    pieces = [
        piece(1, 0, 0, 0.0),
        piece(1, 0, 1, 0.1, False),
        piece(1, 0, 3, 0.3),
        piece(1, 1, 4, 0.4),
        piece(2, 1, 5, 0.5),
    ]
    assert join_pieces(pieces) == [
        Piece(1, 0, 0, [0.0, 0.1], [0.1, 0.1], plain=False),
        piece(1, 0, 3, 0.3),
        piece(1, 1, 4, 0.4),
        piece(2, 1, 5, 0.5),
    ]
    assert join_pieces([]) == []
