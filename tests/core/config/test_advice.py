"""Advice: given on values that the field knows to be wrong, and on no others."""

import pytest

from guerdon.config import advice


@pytest.mark.parametrize("rate", [5e-6, 1e-5, 2e-3])
def test_a_usual_configuration_needs_none(rate, config):
    assert advice(config(algorithm__learning_rate=rate)) == []


@pytest.mark.parametrize(("rate", "better"), [(1e-6, "1e-05"), (4.9e-6, "4.9e-05")])
def test_a_rate_for_full_tuning_is_pointed_out(rate, better, config):
    (line,) = advice(config(algorithm__learning_rate=rate))
    assert line.startswith(f"algorithm.learning_rate {rate:g} is a rate for full tuning")
    assert line.endswith(f"try {better}")


def test_dropout_is_pointed_out(config):
    (line,) = advice(config(adapter__dropout=0.05))
    assert line.startswith("adapter.dropout 0.05 makes the trainer's log-probabilities differ from the rollout's")
    assert line.endswith("set 0")


def test_advice_adds_up(config):
    assert len(advice(config(adapter__dropout=0.05, algorithm__learning_rate=1e-6))) == 2
