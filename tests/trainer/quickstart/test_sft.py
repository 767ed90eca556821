"""Two steps of training run, change the weights, and leave a folder that loads."""

import math

import pytest
import torch
from transformers import AutoModelForImageTextToText, AutoProcessor

from guerdon_trainer.quickstart import sft
from guerdon_trainer.quickstart.batches import encode
from guerdon_trainer.quickstart.mixture import draw_prompts
from guerdon_trainer.quickstart.sft import Settings, new_student, rate, train

PROMPTS = draw_prompts("eval", 24, seed=0)


@pytest.fixture(scope="module")
def student():
    return new_student(seed=0)


def test_two_steps_train_and_save(tmp_path, capsys):
    sft.main(["--out", str(tmp_path), "--steps", "2", "--batch", "8", "--evaluate", "20"])
    output = capsys.readouterr().out
    assert " parameters, " in output
    assert output.count("IoU") == 2
    model = AutoModelForImageTextToText.from_pretrained(tmp_path)
    processor = AutoProcessor.from_pretrained(tmp_path)
    assert model.dtype == torch.bfloat16
    assert model.generate(**encode(processor, PROMPTS[:4]), max_new_tokens=2).shape[0] == 4


def test_the_loss_is_finite_and_falls(student):
    losses = [loss for _, loss in train(student, Settings(steps=8, batch=8), report_every=1)]
    assert len(losses) == 8
    assert all(math.isfinite(loss) for loss in losses)
    assert losses[-1] < losses[0]


def test_a_loss_that_is_not_finite_stops_the_run(student, monkeypatch):
    monkeypatch.setattr(sft, "_step", lambda *_: math.nan)
    with pytest.raises(FloatingPointError, match=r"nan at step 1; lower --learning-rate"):
        next(train(student, Settings(steps=1, batch=2)))


def test_the_rate_warms_up_and_ends_low():
    rates = [rate(step, 400) for step in range(400)]
    assert rates[0] == pytest.approx(1 / 40)
    assert max(rates) <= 1
    assert rates[-1] == pytest.approx(0.05, abs=0.01)
