"""Text from tokens: the pieces are the whole, characters are never cut, stop texts never leak."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon_serving.server.text import TextStream


class Bytes:
    """A tokenizer whose tokens are single bytes; 256 is special."""

    def decode(self, ids, *, skip_special_tokens):
        assert skip_special_tokens
        return bytes(token for token in ids if token < 256).decode(errors="replace")


def stream(text, stops=(), extra=()):
    decoder = TextStream(Bytes(), stops)
    pieces = []
    for token in [*text.encode(), *extra]:
        pieces.append(decoder.push(token))
        if decoder.stopped:
            break
    return [*pieces, decoder.finish()], decoder


@given(st.text(max_size=60))
def test_the_pieces_are_the_whole(text):
    pieces, decoder = stream(text, extra=[256])
    assert "".join(pieces) == text == decoder.text


@given(st.text("aäb€𝄞", max_size=30))
def test_a_character_of_several_bytes_is_sent_once_it_is_whole(text):
    assert all("\N{REPLACEMENT CHARACTER}" not in piece for piece in stream(text)[0])


def test_what_ends_in_the_middle_of_a_character_is_sent_at_last():
    pieces, _ = stream("a", extra=["€".encode()[0]])
    assert "".join(pieces) == "a\N{REPLACEMENT CHARACTER}"


@given(st.text("ab", max_size=40), st.lists(st.text("ab", min_size=1, max_size=4), min_size=1, max_size=3))
def test_stop_texts_cut_at_their_first_place_and_nothing_of_them_is_sent(text, stops):
    pieces, decoder = stream(text, stops)
    ends = [text.find(stop) + len(stop) for stop in stops if stop in text]
    if not ends:
        assert ("".join(pieces), decoder.stopped) == (text, False)
        return
    seen = text[: min(ends)]
    cut = min(seen.find(stop) for stop in stops if stop in seen)
    assert ("".join(pieces), decoder.stopped) == (text[:cut], True)


def test_a_beginning_of_a_stop_text_is_held_back_until_it_is_none():
    decoder = TextStream(Bytes(), ["</answer>"])
    assert [decoder.push(byte) for byte in b"a</b"] == ["a", "", "", "</b"]


@pytest.mark.parametrize("name", ["text", "image"])
def test_the_real_tokenizer_agrees(bundle, name):
    from guerdon_serving.model.prompting import Prompter

    tokenizer = Prompter(bundle.base).tokenizer
    ids = bundle.facts.probes[name].answer + tokenizer("naïve 東京 <think>box</think>").input_ids
    decoder = TextStream(tokenizer)
    pieces = [decoder.push(token) for token in ids]
    assert "".join(pieces) + decoder.finish() == tokenizer.decode(ids, skip_special_tokens=True)
