"""The engine: rows of base and adapters in one batch, none of them the worse for it."""

import threading

import pytest

from guerdon_serving.engine import Engine
from guerdon_serving.model.generate import Row
from guerdon_serving.verify import attach, verify_load


@pytest.fixture(scope="module")
def loaded(bundle, other_bundle):
    loaded = verify_load(bundle.folder)
    attach(other_bundle, loaded.policy)
    return loaded


@pytest.fixture
def engine(loaded):
    engine = Engine(loaded.policy, max_rows=4)
    yield engine
    engine.stop()
    assert not engine.alive


class Ended:
    """Collects what becomes of a row."""

    def __init__(self):
        self.event, self.error = threading.Event(), None

    def __call__(self, error):
        assert not self.event.is_set(), "ended twice"
        self.error = error
        self.event.set()

    def wait(self):
        assert self.event.wait(60)
        return self.error


@pytest.fixture
def make_row(loaded, prompts):
    def make(name="text", adapter=None, **fields):
        text, images = prompts[name]
        content = [*({"type": "image"} for _ in images), {"type": "text", "text": text}]
        encoded = loaded.prompter.encode([{"role": "user", "content": content}], images)
        return Row(encoded, adapter, on_end=Ended(), **({"max_tokens": 12} | fields))

    return make


def run(engine, *rows):
    for row in rows:
        engine.submit(row)
    for row in rows:
        assert row.on_end.wait() is None
    return [[token.id for token in row.tokens] for row in rows]


def test_a_mixed_batch_answers_as_each_alone(engine, make_row, bundle, other_bundle):
    kinds = [(name, adapter) for name in ("text", "image", "images") for adapter in (None, bundle.id, other_bundle.id)]
    alone = [run(engine, make_row(*kind))[0] for kind in kinds]
    engine.max_rows = len(kinds)
    assert run(engine, *(make_row(*kind) for kind in kinds)) == alone
    assert len({tuple(answer) for answer in alone}) > 5


def test_an_adapter_of_the_tower_gets_batches_of_its_own(engine, make_row, bundle, other_bundle, monkeypatch):
    batches = []
    complete = engine._complete
    monkeypatch.setattr(
        engine, "_complete", lambda batch: (batches.append([row.adapter for row in batch]), complete(batch))
    )
    monkeypatch.setitem(engine.policy.adapters, bundle.id, False)
    gate = threading.Event()
    engine.call(gate.wait)
    rows = [make_row("text", adapter) for adapter in (bundle.id, None, bundle.id, other_bundle.id)]
    for row in rows:
        engine.submit(row)
    gate.set()
    assert [row.on_end.wait() for row in rows] == [None] * 4
    assert batches == [[bundle.id, bundle.id], [None, other_bundle.id]]


def test_rows_end_at_their_own_limits(engine, make_row, bundle):
    answers = run(engine, *(make_row("text", bundle.id, max_tokens=limit) for limit in (1, 3, 12)))
    assert [len(answer) for answer in answers[:2]] == [1, 3]
    assert answers[2][:3] == answers[1]
    assert answers[1][:1] == answers[0]


def test_a_seed_draws_the_same_in_any_company(engine, make_row, bundle):
    hot = {"temperature": 2.0, "seed": 11}
    alone = run(engine, make_row("text", bundle.id, **hot))
    company = run(engine, make_row("images", None, seed=3, temperature=1.0), make_row("text", bundle.id, **hot))
    other = run(engine, make_row("text", bundle.id, temperature=2.0, seed=12))
    assert company[1] == alone[0] != other[0]


def test_a_small_nucleus_is_greedy(engine, make_row, bundle):
    greedy, drawn = run(engine, make_row("text", bundle.id), make_row("text", bundle.id, temperature=1.0, top_p=1e-6))
    assert drawn == greedy


def test_forbidden_tokens_are_never_drawn(engine, make_row, bundle, loaded):
    rows = [make_row("text", None, temperature=5.0, seed=seed, max_tokens=40) for seed in range(4)]
    drawn = {token for answer in run(engine, *rows) for token in answer}
    assert len(drawn) > 40
    assert not drawn & set(loaded.bundle.facts.tokenizer.forbidden_ids)


def test_a_cancelled_row_ends_early_and_alone(engine, make_row, bundle):
    row = make_row("text", None, max_tokens=10_000, temperature=5.0)
    row.on_token = lambda _: setattr(row, "cancelled", len(row.tokens) >= 3)
    other = make_row("text", bundle.id)
    run(engine, row, other)
    assert len(row.tokens) == 3
    assert len(other.tokens) > 3


def test_a_row_cancelled_while_waiting_never_starts(engine, make_row):
    gate = threading.Event()
    engine.call(gate.wait)
    engine.submit(row := make_row())
    row.cancelled = True
    gate.set()
    assert row.on_end.wait() is None
    assert row.tokens == []


def test_a_failing_batch_fails_its_rows_and_nothing_else(engine, make_row, caplog):
    engine.submit(bad := make_row("text", "no such adapter"))
    assert isinstance(bad.on_end.wait(), Exception)
    assert "a batch of 1 rows failed" in caplog.text
    assert run(engine, make_row())[0]


def test_calls_run_between_batches_and_their_errors_come_back(engine):
    assert engine.call(lambda: threading.current_thread().name).result(10) == "guerdon-engine"
    with pytest.raises(ZeroDivisionError):
        engine.call(lambda: 1 / 0).result(10)


def test_stopping_completes_what_was_handed_in(loaded, make_row):
    engine = Engine(loaded.policy, max_rows=1)
    rows = [make_row() for _ in range(3)]
    for row in rows:
        engine.submit(row)
    engine.stop()
    assert all(row.done and row.tokens for row in rows)
