"""Manifests: each wrong line is named with file, number and field."""

import base64
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guerdon import DataError, LazyImage
from guerdon.manifest import read_manifest

TEXT = {"role": "user", "content": "how many?"}


def write(folder, *lines: object):
    path = folder / "train.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return path


def with_content(*parts: object) -> dict:
    return {"id": "p", "messages": [{"role": "user", "content": list(parts)}]}


def test_text_one_image_and_several(tmp_path):
    image, text = {"type": "image", "image": "img/a.png"}, {"type": "text", "text": "?"}
    url = f"data:image/png;base64,{base64.b64encode(b'x').decode()}"
    path = write(
        tmp_path,
        {"id": "t", "messages": [{"role": "system", "content": "be brief"}, TEXT]},
        {**with_content(image, text), "reference": {"type": "exact", "answer": "3"}, "metadata": {"kind": 1}},
        "",
        {"id": "n", "messages": [{"role": "user", "content": [image, {"type": "image", "image": url}, text]}]},
    )
    plain, one, several = read_manifest(path)
    assert [prompt.modality for prompt in (plain, one, several)] == ["text", "image", "images"]
    assert (plain.reference, plain.metadata, plain.images) == ({}, {}, ())
    assert one.reference["answer"] == "3"
    assert one.metadata == {"kind": 1}
    assert one.images == (LazyImage(str(tmp_path / "img/a.png")),)
    assert several.images == (LazyImage(str(tmp_path / "img/a.png")), LazyImage(url))
    assert several.messages[0]["content"][2] == text


@pytest.mark.parametrize(
    ("source", "kept"),
    [("/abs/a.png", True), ("https://x/a", True), ("s3://b/a", True), ("file:///a", True), ("a:1.png", False)],
)
def test_only_relative_paths_are_joined_to_the_folder(source, kept, tmp_path):
    (prompt,) = read_manifest(write(tmp_path, with_content({"type": "image", "image": source})))
    assert prompt.images[0].source == (source if kept else str(tmp_path / source))


def test_several_turns_of_context_keep_their_order(tmp_path):
    turns = [TEXT, {"role": "assistant", "content": "three"}, {"role": "user", "content": "sure?"}]
    (prompt,) = read_manifest(write(tmp_path, {"id": "p", "messages": turns}))
    assert prompt.messages == turns


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "is no JSON"),
        ('{"id": "p", "messages": [], "reference": {"x": NaN}}', "is no JSON: NaN is no JSON number"),
        ('{"id": "p", "messages": [{"role": "user", "content": "\\ud800"}]}', "holds a lone surrogate"),
        ("[" * 100_000, "is no JSON"),
        ("[1]", "a line has id and messages, and may have reference and metadata; found list"),
        ({"id": "p"}, "found ['id']"),
        ({"id": "p", "messages": [TEXT], "answer": 1}, "found ['answer', 'id', 'messages']"),
        ({"id": 3, "messages": [TEXT]}, "id must be a non-empty string; found 3"),
        ({"id": "", "messages": [TEXT]}, "id must be a non-empty string; found ''"),
        ({"id": "p", "messages": []}, "messages must be a non-empty list; found []"),
        ({"id": "p", "messages": "hi"}, "messages must be a non-empty list; found 'hi'"),
        ({"id": "p", "messages": [TEXT], "reference": "3"}, "reference must be an object; found '3'"),
        ({"id": "p", "messages": [TEXT], "metadata": [1]}, "metadata must be an object; found [1]"),
        ({"id": "p", "messages": ["hi"]}, "a message has role and content and nothing else; found 'hi'"),
        ({"id": "p", "messages": [{**TEXT, "tool_calls": []}]}, "role and content and nothing else"),
        ({"id": "p", "messages": [{"role": "tool", "content": "x"}]}, "tools are not supported"),
        ({"id": "p", "messages": [{"role": "user", "content": None}]}, "content must be text or a list of parts"),
        ({"id": "p", "messages": [{"role": "user", "content": {"type": "text"}}]}, "content must be text or a list"),
        ({"id": "p", "messages": [TEXT, {"role": "assistant", "content": "3"}]}, "the last message is the assistant's"),
        (with_content({"type": "video", "video": "a.mp4"}), "video is not supported"),
        (with_content({"type": "image", "image": 3}), "a content part is"),
        (with_content({"type": "text"}), "a content part is"),
        (with_content("hi"), "a content part is"),
    ],
)
def test_a_wrong_line_is_named(line, said, tmp_path):
    path = write(tmp_path, {"id": "first", "messages": [TEXT]}, line)
    with pytest.raises(DataError) as caught:
        read_manifest(path)
    assert str(caught.value).startswith(f"{path}:2")
    assert said in str(caught.value)
    assert len(str(caught.value)) < 500


def test_an_id_that_stands_twice(tmp_path):
    path = write(tmp_path, {"id": "p", "messages": [TEXT]}, {"id": "p", "messages": [TEXT]})
    with pytest.raises(DataError, match="the id 'p' stands twice; ids identify prompts in the ledger"):
        read_manifest(path)


def test_an_empty_or_unreadable_file(tmp_path):
    with pytest.raises(DataError, match="holds no prompts"):
        read_manifest(write(tmp_path, "", "  "))
    with pytest.raises(DataError, match=r"cannot be read: .*No such file"):
        read_manifest(tmp_path / "gone.jsonl")
    (tmp_path / "bad.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(DataError, match="cannot be read: 'utf-8'"):
        read_manifest(tmp_path / "bad.jsonl")


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), min_size=1, max_size=5))
def test_any_text_survives_however_json_writes_it(tmp_path_factory, texts):
    """U+2028 and its like may stand in a JSON string as they are; they end no line."""
    folder = tmp_path_factory.mktemp("manifest")
    rows = [{"id": f"p{i}", "messages": [{"role": "user", "content": text}]} for i, text in enumerate(texts)]
    for ascii_only in (True, False):
        path = write(folder, *(json.dumps(row, ensure_ascii=ascii_only) for row in rows))
        assert [prompt.messages[0]["content"] for prompt in read_manifest(path)] == texts
