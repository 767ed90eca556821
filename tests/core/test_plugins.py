"""The plugin seam: what is found, what is refused, and what is said about it."""

import pickle
import subprocess
import sys

import pytest

from guerdon import ConfigError, PluginError, load_plugins
from guerdon.config import build_config
from guerdon.plugins import InlineFile

REWARD = '''
from typing import ClassVar
from guerdon import Reward, hookimpl

class {cls}(Reward):
    """Counts."""
    name: ClassVar[str] = "{name}"
    api_version: ClassVar[int] = {api}
    least: int = 3
    def score(self, sample):
        return float(len(sample.completion) >= self.least)

@hookimpl
def register_rewards(register):
    register({cls})
'''


def source(name: str = "counts", cls: str = "Counts", api: int = 1) -> str:
    return REWARD.format(name=name, cls=cls, api=api)


@pytest.fixture
def write(tmp_path):
    def write(text: str, name: str = "mine.py"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Put a package with an entry point on sys.path, as an installer would."""

    def install(module: str, text: str, *, name: str = "theirs", distribution: str = "their-rewards"):
        site = tmp_path / "site"
        info = site / f"{distribution.replace('-', '_')}-2.5.dist-info"
        info.mkdir(parents=True)
        (site / f"{module}.py").write_text(text)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 2.5\n")
        (info / "entry_points.txt").write_text(f"[guerdon]\n{name} = {module}\n")
        monkeypatch.syspath_prepend(site)
        monkeypatch.delitem(sys.modules, module, raising=False)

    return install


def test_the_built_in_rewards_come_through_the_same_hook():
    plugins = load_plugins()
    assert {"correctness", "format", "grounding", "judge", "length", "safety"} <= plugins.rewards.keys()
    assert plugins.failures == ()
    for name, entry in plugins.rewards.items():
        assert entry.reward.name == name
        assert entry.origin == "guerdon"
        assert entry.version != "unknown"
        assert len(entry.code_hash) == 64


def test_a_file_is_loaded_with_its_hash_as_version(write):
    path = write(source())
    plugins = load_plugins([path])
    entry = plugins.entry("counts")
    assert entry.origin == str(path)
    assert entry.version == f"file@{entry.code_hash[:12]}"
    assert entry.code_hash == InlineFile(str(path), path.read_bytes()).digest
    assert entry.reward.__module__ == f"guerdon_inline_{entry.code_hash[:16]}"
    assert plugins.files == (InlineFile(str(path), path.read_bytes()),)


def test_the_class_stays_the_same_as_long_as_the_file_does(write):
    first = load_plugins([write(source())]).entry("counts").reward
    again = load_plugins([write(source(), "copy.py")]).entry("counts").reward
    other = load_plugins([write(source() + "\n# changed\n")]).entry("counts").reward
    assert again is first
    assert other is not first


def test_objects_of_a_file_pickle_into_another_process(write):
    path = write(source())
    reward = load_plugins([path]).entry("counts").reward(least=7)
    code = (
        "import pickle, sys; from guerdon.plugins import InlineFile\n"
        "file, reward = pickle.load(sys.stdin.buffer)\n"
        "pickle.loads(file).load(); again = pickle.loads(reward)\n"
        "sys.stdout.write(f'{type(again).__module__} {again.least}')"
    )
    file = pickle.dumps(InlineFile(str(path), path.read_bytes()))
    path.unlink()  # it travels by content
    done = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps((file, pickle.dumps(reward))), capture_output=True, check=True
    )
    assert done.stdout.decode() == f"{type(reward).__module__} 7"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import no_such_package", "fails to import: ModuleNotFoundError: No module named 'no_such_package'"),
        ("def f(:", "fails to import: SyntaxError"),
        ("1 / 0", "fails to import: ZeroDivisionError: division by zero"),
        ("import sys; sys.exit(3)", "fails to import: SystemExit: 3"),
        ("class NotAPlugin: pass", "implements no hook; write `@hookimpl` above `def register_rewards(register)`"),
        (source().replace("@hookimpl", ""), "implements no hook"),
        (source().replace("def register_rewards", "def register_reward"), "unknown hook"),
        (source().replace("(register):", "(registry):"), "registry"),
        (source().replace("register(Counts)", "register(3)"), "registers 3, which is no subclass of guerdon.Reward"),
        (source().replace("register(Counts)", "register(int)"), "<class 'int'>, which is no subclass"),
        (source().replace("register(Counts)", "1 / 0"), "register_rewards fails: ZeroDivisionError"),
        (source().replace('    name: ClassVar[str] = "counts"\n', ""), "Counts has no name; add `name: ClassVar[str]"),
        (source(name=""), "Counts has no name"),
        (source(api=2), "Counts is for API version 2, this guerdon has 1"),
        (source(name="length"), "two plugins register the reward 'length': guerdon and "),
    ],
)
def test_a_file_that_is_no_plugin_says_why(text, said, write):
    path = write(text)
    with pytest.raises(PluginError) as caught:
        load_plugins([path])
    assert said in str(caught.value)
    assert "mine.py" in str(caught.value) or "unknown hook" in said
    module = InlineFile(str(path), text.encode()).module_name
    assert (module in sys.modules) is ("fails to import" not in said), "a half-imported module must not stay"


def test_a_misspelt_hook_lists_those_that_exist(write):
    path = write(source().replace("def register_rewards", "def register_reward"))
    with pytest.raises(PluginError, match=r"'register_reward'.*Hooks: register_rewards, group_scored"):
        load_plugins([path])


def test_two_files_with_one_name_and_one_file_twice(write):
    first, second = write(source()), write(source(cls="Other"), "other.py")
    with pytest.raises(PluginError, match=r"two plugins register the reward 'counts': .*mine\.py and .*other\.py"):
        load_plugins([first, second])
    with pytest.raises(PluginError, match=r"mine\.py is listed twice, also as .*mine\.py; remove one"):
        load_plugins([first, first])
    with pytest.raises(PluginError, match=r"copy\.py is listed twice, also as .*mine\.py"):
        load_plugins([first, write(source(), "copy.py")])


def test_a_missing_file_and_a_folder(tmp_path):
    with pytest.raises(PluginError, match=r"gone\.py cannot be read: No such file or directory; `plugins:` lists"):
        load_plugins([tmp_path / "gone.py"])
    with pytest.raises(PluginError, match="cannot be read: Is a directory"):
        load_plugins([tmp_path])


def test_an_installed_package_is_found_by_its_entry_point(installed):
    installed("their_rewards", source("theirs", "Theirs"))
    entry = load_plugins().entry("theirs")
    assert (entry.origin, entry.version) == ("their-rewards", "2.5")


def test_an_installed_package_that_fails_is_kept_with_a_warning_and_named_when_missed(installed, caplog):
    installed("their_rewards", "import no_such_package")
    plugins = load_plugins()
    (failure,) = plugins.failures
    assert (failure.entry_point, failure.origin) == ("theirs", "their-rewards")
    assert failure.error == "ModuleNotFoundError: No module named 'no_such_package'"
    assert "plugin 'theirs' of their-rewards failed to load" in caplog.text
    assert "length" in plugins.rewards
    with pytest.raises(ConfigError, match="Plugin 'theirs' of their-rewards failed to load: ModuleNotFoundError"):
        plugins.entry("counts")


def test_an_installed_package_that_claims_a_built_in_name_is_refused(installed):
    installed("their_rewards", source("length", "Theirs"))
    with pytest.raises(PluginError, match="two plugins register the reward 'length': guerdon and their-rewards:theirs"):
        load_plugins()


def test_an_unknown_reward_names_the_nearest_and_all_installed():
    with pytest.raises(ConfigError) as caught:
        load_plugins().entry("grouding")
    assert str(caught.value).startswith("no reward named 'grouding'. Did you mean 'grounding'? Installed: ")
    assert "correctness, format, grounding, judge, length, safety" in str(caught.value)
    with pytest.raises(ConfigError, match=r"no reward named 'xyzzy'\. Installed: "):
        load_plugins().entry("xyzzy")


def test_a_component_may_use_a_reward_of_a_file(write):
    data = {
        "run": {"name": "t"},
        "model": {"name_or_path": "./m"},
        "data": {"train_manifest": "t.jsonl"},
        "plugins": [str(write(source()))],
        "outcome": "mine",
        "rewards": {"mine": {"use": "counts", "least": 9}},
    }
    config, plugins = build_config(data)
    assert config.rewards["mine"].least == 9
    assert plugins.entry("counts").reward is type(config.rewards["mine"])
    data["rewards"]["mine"]["lest"] = 1
    with pytest.raises(ConfigError, match=r"rewards\.mine\.lest: no such field"):
        build_config(data)
