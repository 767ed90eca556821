"""Training batches: a pure function of seed and step, so that a resumed run needs the step alone."""

from guerdon.manifest import Prompt
from guerdon_trainer.seeds import step_batch
from guerdon_trainer.skyrl.data import StepBatches, as_row

PROMPTS = [Prompt(f"p{i}", [{"role": "user", "content": f"{i}?"}], {}, {}, ()) for i in range(10)]


def batches(**changes) -> StepBatches:
    return StepBatches(PROMPTS, **({"size": 3, "steps": 7, "seed": 1} | changes))


def ids(rows) -> list[list[str]]:
    return [[row["uid"] for row in batch] for batch in rows]


def test_a_row_is_what_skyrl_reads():
    row = as_row(PROMPTS[2])
    assert row == {
        "prompt": PROMPTS[2].messages,
        "env_class": "guerdon",
        "env_extras": {"prompt": PROMPTS[2]},
        "uid": "p2",
    }


def test_batch_k_is_that_of_step_k():
    expected = [[p.id for p in step_batch(PROMPTS, size=3, step=step, seed=1)] for step in range(1, 8)]
    assert ids(batches()) == expected
    assert len(batches()) == 7
    assert ids(batches(seed=2)) != expected


def test_a_resumed_run_goes_on_where_the_checkpoint_was():
    whole = ids(batches())
    begun = batches()
    iterator = iter(begun)
    first = [next(iterator) for _ in range(3)]
    state = begun.state_dict()
    assert state == {"steps_done": 3}
    resumed = batches()
    resumed.load_state_dict(state)
    assert ids(first) + ids(resumed) == whole


def test_a_finished_one_hands_out_nothing():
    done = batches()
    assert len(list(done)) == 7
    assert list(done) == []
