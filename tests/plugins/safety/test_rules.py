"""The files of rules."""

import re

import pytest
import re2

from guerdon_plugins.safety.checks import CHECKS
from guerdon_plugins.safety.published import published
from guerdon_plugins.safety.rules import CATEGORIES, RuleFile, builtin_rules
from guerdon_plugins.safety.scanner import Scanner

FILES = builtin_rules()
RULES = [(file, rule) for file in FILES for rule in file.expanded()]


def test_there_is_one_file_for_each_category():
    assert sorted(file.category for file in FILES) == sorted(CATEGORIES)


def test_ids_are_unique():
    ids = [rule.id for _, rule in RULES]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("rule", [rule for _, rule in RULES], ids=lambda rule: rule.id)
def test_a_rule_compiles_and_says_what_it_is_about(rule):
    assert len(rule.about) > 5
    for pattern in rule.patterns:
        assert re2.compile(pattern).search("") is None
        assert "{{" not in pattern.replace("{{[^", "").replace(r"\{\{", "")


def test_every_check_is_used_and_every_named_check_exists():
    named = {rule.check for _, rule in RULES if rule.check}
    assert named == set(CHECKS)


def test_every_definition_is_used():
    for file in FILES:
        texts = [text for rule in file.rules for text in rule.patterns]
        contexts = [rule.requires for rule in file.rules] + [rule.unless for rule in file.rules]
        texts += [text for context in contexts for _, text in context if text]
        used = set(re.findall(r"\{\{(\w+)\}\}", "\n".join([*texts, *file.define.values()])))
        assert used >= set(file.define)


def rules_of(*patterns, **fields):
    rule = {"id": "one", "about": "A test.", "patterns": patterns, **fields.pop("rule", {})}
    return RuleFile.model_validate({"category": "url", "version": 1, "rules": [rule], **fields})


def found(file, text):
    return [text[slice(*finding.span)] for finding in Scanner([file]).scan(text)]


def test_a_space_is_a_gap_and_a_slot_is_filled():
    file = rules_of("{{a}} b[ c]d", define={"a": "x|y"}, space="-{1,2}")
    (rule,) = file.expanded()
    assert rule.patterns == ("x|y(?:-{1,2})b[ c]d",)


def test_slots_nest():
    file = rules_of("{{outer}}", define={"outer": "<{{inner}}>", "inner": "z+"})
    assert found(file, "a <zzz> b") == ["<zzz>"]


def test_context_requires_and_excuses():
    near = rules_of("bad", rule={"requires": {"near": "very"}})
    assert found(near, "very bad") == ["bad"]
    assert found(near, "bad") == []
    before = rules_of("bad", rule={"unless": {"before": r"not\s$"}})
    assert found(before, "not bad, bad") == ["bad"]
    sentence = rules_of("bad", rule={"unless": {"sentence": "joke"}})
    assert found(sentence, "A joke: bad. But bad") == ["bad"]
    inside = rules_of("ba+d", rule={"unless": {"inside": "aa"}})
    assert found(inside, "baad bad") == ["bad"]


def test_a_named_value_and_a_check():
    file = rules_of(r"ip (?P<value>\d+\.\d+\.\d+\.\d+)", rule={"check": "public_ip"})
    assert found(file, "ip 93.184.217.12, ip 10.0.0.1") == ["ip 93.184.217.12"]


def test_quotable_phrases_are_excused_where_they_are_explained():
    file = rules_of("obey me", rule={"quotable": True})
    assert found(file, 'An attack says "obey me now" in white.') == []
    assert found(file, "An attack says obey me now.") == ["obey me"]
    assert found(file, 'It says "obey me now".') == ["obey me"]


def test_views():
    file = rules_of("obey", rule={"views": ["leet"]})
    assert found(file, "0b3y") == ["0b3y"]
    assert found(file, "obey") == []


def test_published_values_are_sorted_into_their_lists():
    lists = published()
    assert all(card.isdigit() and 13 <= len(card) <= 19 for card in lists.cards)
    assert all(host == host.lower() for host in lists.shorteners | lists.static_hosts)
    assert "NO" in lists.iban_countries
