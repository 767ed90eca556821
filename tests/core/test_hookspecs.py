"""The hooks: few, typed, and documented."""

import inspect

import pluggy
import pytest

from guerdon import hookimpl
from guerdon.hookspecs import PROJECT, Hooks

SPECS = {name: value for name, value in vars(Hooks).items() if not name.startswith("_")}


def test_at_most_five_hooks_all_typed_and_documented():
    assert list(SPECS) == ["register_rewards", "group_scored", "register_commands", "explain_config"]
    for name, spec in SPECS.items():
        assert inspect.getdoc(spec), name
        parameters = list(inspect.signature(spec).parameters.values())[1:]
        assert all(p.annotation is not p.empty for p in parameters), name


@pytest.fixture
def manager():
    made = pluggy.PluginManager(PROJECT)
    made.add_hookspecs(Hooks)
    return made


def test_answers_come_back_from_every_plugin_that_has_one(manager):
    class First:
        @hookimpl
        def explain_config(self, config):
            return {"run.name": f"name={config}"}

    class Second:
        @hookimpl
        def explain_config(self):
            return {"run.seed": "seed"}

    manager.register(First())
    manager.register(Second())
    assert manager.hook.explain_config(config="c") == [{"run.seed": "seed"}, {"run.name": "name=c"}]
    assert manager.hook.group_scored(scored=None) == []


def test_an_argument_that_the_spec_does_not_know_is_refused(manager):
    class Wrong:
        @hookimpl
        def group_scored(self, score): ...

    with pytest.raises(pluggy.PluginValidationError, match="score"):
        manager.register(Wrong())
