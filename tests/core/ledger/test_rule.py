import json
import math
from dataclasses import replace

import pytest

from guerdon import LedgerError
from guerdon.advantage import AdvantageConfig
from guerdon.ledger import SCHEMA_VERSION
from guerdon.ledger.rule import dump_rule, load_rule, rule_of


def test_a_rule_comes_back_as_it_was(batch):
    rule = rule_of(batch(1, rule=AdvantageConfig(advantage="gate", gates={"shape": "answer"})))
    assert load_rule(dump_rule(rule), "here") == rule
    assert [component.role for component in rule.components] == ["train", "train", "monitor"]


def test_infinite_bounds_are_valid_json(batch):
    rule = rule_of(batch(1))
    open_ended = replace(rule, components=tuple(replace(c, low=-math.inf, high=math.inf) for c in rule.components))
    text = dump_rule(open_ended)
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert load_rule(text, "here") == open_ended


def test_fields_of_the_algorithm_section_that_are_no_part_of_the_rule_are_left_out(batch):
    class Algorithm(AdvantageConfig):
        learning_rate: float = 1e-6

    rule = rule_of(batch(1, rule=Algorithm(advantage="sum")))
    assert type(rule.advantage) is AdvantageConfig
    assert rule.advantage == AdvantageConfig(advantage="sum")


def test_another_version_is_refused_with_the_remedy():
    with pytest.raises(LedgerError, match=rf"here has ledger schema 99, this guerdon reads {SCHEMA_VERSION}.*run.json"):
        load_rule(b'{"schema": 99}', "here")
