"""Choosing tokens: greedy as transformers', sampled as the softmax says."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from guerdon_serving.model.generate import Row, _Choice, _nucleus, _RowsDone, generate
from guerdon_serving.model.prompting import Encoded, Prompter
from guerdon_serving.verify import verify_load

EMPTY = Encoded([0])


def choose(logits, **fields):
    """Return the token that a row of these settings gets, and what it was told."""
    told = []
    row = Row(EMPTY, None, max_tokens=1, on_token=told.append, **fields)
    scores = _Choice([row], ends=[99], forbidden=[1])(torch.zeros(1, 1), torch.tensor([logits]))
    assert scores.isfinite().sum() == 1
    assert int(scores.argmax()) == told[0].id
    return told[0]


@given(st.lists(st.floats(-9, 9), min_size=3, max_size=9))
def test_greedy_is_the_arg_max_of_what_is_allowed(logits):
    allowed = [value if token != 1 else -np.inf for token, value in enumerate(np.float32(logits))]
    assert choose(logits).id == int(np.argmax(allowed))


def test_log_probabilities_are_of_the_whole_vocabulary_at_temperature_1():
    logits = [0.0, 5.0, 1.0]
    chosen = choose(logits, temperature=9.0, seed=1, top_logprobs=2)
    expected = torch.log_softmax(torch.tensor(logits), -1)
    assert chosen.logprob == pytest.approx(float(expected[chosen.id]))
    assert [token for token, _ in chosen.top] == [1, 2]
    assert chosen.top[0][1] == pytest.approx(float(expected[1]))


def test_draws_follow_the_softmax():
    logits, temperature = [1.0, 8.0, 0.0, -0.5, 2.0], 1.5
    counts = np.bincount([choose(logits, temperature=temperature, seed=seed).id for seed in range(3000)], minlength=5)
    assert counts[1] == 0
    allowed = [0, 2, 3, 4]
    weights = np.exp(np.array(logits)[allowed] / temperature)
    assert chisquare(counts[allowed], 3000 * weights / weights.sum()).pvalue > 1e-3


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=8), st.floats(0.01, 1))
def test_the_nucleus_is_the_smallest_set_that_reaches_top_p(logits, top_p):
    kept = _nucleus(torch.tensor(logits, dtype=torch.float64), top_p).isfinite()
    probabilities = torch.softmax(torch.tensor(logits, dtype=torch.float64), -1)
    mass = float(probabilities[kept].sum())
    assert float(probabilities[kept].max()) == float(probabilities.max())
    assert mass >= min(top_p, 1.0) - 1e-9
    if top_p < 1:
        assert mass - float(probabilities[kept].min()) < top_p + 1e-9


def test_a_row_ends_once():
    told = []
    row = Row(EMPTY, None, max_tokens=1, on_end=told.append)
    row.end()
    row.end(ValueError("late"))
    assert told == [None]
    assert row.done


def test_done_rows_take_nothing_more_and_cancelled_rows_end():
    rows = [Row(EMPTY, None, max_tokens=2), Row(EMPTY, None, max_tokens=9)]
    choice = _Choice(rows, ends=[2], forbidden=[])
    choice(torch.zeros(2, 1), torch.tensor([[5.0, 0, 0], [0, 0, 5.0]]))
    assert [row.done for row in rows] == [False, True]
    choice(torch.zeros(2, 1), torch.tensor([[5.0, 0, 0], [5.0, 0, 0]]))
    assert [len(row.tokens) for row in rows] == [2, 1]
    assert _RowsDone(rows)(torch.zeros(2, 1), None).tolist() == [True, True]
    running = Row(EMPTY, None, max_tokens=9)
    assert _RowsDone([running])(torch.zeros(1, 1), None).tolist() == [False]
    running.cancelled = True
    assert _RowsDone([running])(torch.zeros(1, 1), None).tolist() == [True]


@pytest.mark.parametrize("name", ["text", "image", "images"])
def test_greedy_is_what_transformers_generates(bundle, prompts, name):
    loaded = verify_load(bundle.folder)
    text, images = prompts[name]
    messages = [{"role": "user", "content": [*({"type": "image"} for _ in images), {"type": "text", "text": text}]}]
    encoded = Prompter(bundle.base).encode(messages, images)
    generate(loaded.policy, [row := Row(encoded, bundle.id, max_tokens=20)])
    prompter = loaded.prompter
    inputs = prompter.processor(text=[prompter.render(messages)], images=images or None, return_tensors="pt")
    loaded.policy.model.set_adapter(bundle.id)
    sequence = loaded.policy.model.generate(
        **inputs,
        max_new_tokens=20,
        do_sample=False,
        suppress_tokens=bundle.facts.tokenizer.forbidden_ids,
        temperature=None,
        top_p=None,
        top_k=None,
    )
    assert [token.id for token in row.tokens] == sequence[0, inputs["input_ids"].shape[1] :].tolist()
