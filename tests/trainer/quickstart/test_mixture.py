"""The mixture has the promised shares, balances and repeatability."""

from collections import Counter

import pytest

from guerdon_trainer.quickstart.mixture import SHARES, draw_prompts, kind_counts


def test_shares_add_up():
    assert sum(SHARES.values()) == pytest.approx(1)


@pytest.mark.parametrize("count", [*range(130), 400, 1000, 28_800])
def test_counts_add_up_and_are_never_negative(count):
    counts = kind_counts(count)
    assert sum(counts.values()) == count
    assert min(counts.values()) >= 0
    assert all(counts[kind] % 2 == 0 for kind in ("yes_no", "nth_color", "same_color"))


def test_shares_of_the_modalities():
    modalities = Counter(prompt.modality for prompt in draw_prompts("train", 400, seed=0))
    assert modalities == {"image": 300, "images": 48, "text": 52}


def test_a_negative_count_is_refused():
    with pytest.raises(ValueError, match="-3 prompts; ask for 0 or more"):
        draw_prompts("train", -3, seed=0)


@pytest.mark.parametrize("pool", ["train", "eval", "test"])
def test_yes_and_no_are_balanced_for_each_text(pool):
    answers = Counter(
        (prompt.text, prompt.answer) for prompt in draw_prompts(pool, 400, seed=3) if prompt.kind == "yes_no"
    )
    texts = {text for text, _ in answers}
    assert len(texts) > 10
    assert all(answers[text, "yes"] == answers[text, "no"] for text in texts)


def test_questions_about_two_pictures_are_balanced():
    prompts = draw_prompts("train", 400, seed=1)
    nth = Counter(prompt.text for prompt in prompts if prompt.kind == "nth_color")
    same = Counter(prompt.answer for prompt in prompts if prompt.kind == "same_color")
    assert nth == {"what color is the first shape?": 10, "what color is the second shape?": 10}
    assert same == {"yes": 14, "no": 14}


def test_two_pictures_are_never_one_and_differ_where_asked_apart():
    for prompt in draw_prompts("eval", 400, seed=2):
        if prompt.modality == "images":
            first, second = prompt.pictures
            assert first.key != second.key
            assert prompt.kind == "same_color" or first.colour != second.colour


def test_no_prompt_comes_twice_while_there_are_others():
    prompts = draw_prompts("train", 400, seed=0)
    sums = [prompt.text for prompt in prompts if prompt.kind == "sum"]
    assert len(set(sums)) == len(sums)
    letters = [prompt.pictures for prompt in prompts if prompt.kind == "letter"]
    assert len(set(letters)) == len(letters)


def test_more_prompts_than_questions_start_over():
    sums = Counter(prompt.text for prompt in draw_prompts("sft", 2000, seed=0) if prompt.kind == "sum")
    assert len(sums) == 100
    assert set(sums.values()) == {2, 3}


def test_the_seed_decides():
    first, again, other = (draw_prompts("train", 50, seed=seed) for seed in (5, 5, 6))
    assert first == again
    assert first != other
