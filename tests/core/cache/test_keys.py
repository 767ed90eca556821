"""What a key depends on, and what it does not."""

import base64
import io
import sys

import pytest
from PIL import Image

from guerdon import LazyImage, Sample, load_plugins
from guerdon.cache.keys import SampleKeys, component_digest


def png(colour):
    buffer = io.BytesIO()
    Image.new("RGB", (2, 2), (colour, 0, 0)).save(buffer, "PNG")
    return buffer.getvalue()


def digest(**fields):
    base = {"prompt": [{"role": "user", "content": "why"}], "reference": {"answer": 1}, "metadata": {"k": [1]}}
    sample = Sample(**({"id": "a", "completion": "text"} | base | fields))
    return SampleKeys().of_group([sample])[0]


@pytest.mark.parametrize(
    "fields",
    [
        {"completion": "text "},
        {"prompt": [{"role": "user", "content": "how"}]},
        {"prompt": [{"role": "system", "content": "why"}]},
        {"prompt": [{"role": "user", "content": [{"type": "text", "text": "why"}]}]},
        {"reference": {"answer": 2}},
        {"reference": {"answer": 1.0}},
        {"reference": {"answer": "1"}},
        {"metadata": {"k": [2]}},
        {"completion_tokens": (1, 2)},
        {"completion_tokens": (12,)},
        {"token_count": 4},
        {"truncated": True},
        {"step": 3},
        {"images": (LazyImage("data:image/png;base64," + base64.b64encode(png(1)).decode()),)},
    ],
)
def test_every_input_counts(fields):
    assert digest(**fields) != digest()


def test_names_and_places_do_not_count():
    assert digest(id="other", group_id="g", index=5) == digest()


def test_a_picture_counts_by_content(tmp_path):
    def prompt(place):
        return [{"role": "user", "content": [{"type": "image", "image": place}]}]

    place, other = tmp_path / "a.png", tmp_path / "b.png"
    place.write_bytes(png(1))
    other.write_bytes(png(1))
    url = "data:image/png;base64," + base64.b64encode(png(1)).decode()
    same = {digest(prompt=prompt(one), images=(LazyImage(str(one)),)) for one in (place, other, url)}
    assert len(same) == 1
    other.write_bytes(png(2))
    assert digest(prompt=prompt("b"), images=(LazyImage(str(other)),)) not in same


def test_what_cannot_be_read_has_no_key(tmp_path):
    def keys(**fields):
        return SampleKeys().of_group([Sample("a", "text", **fields)])

    assert keys(images=(LazyImage(str(tmp_path / "gone.png")),)) is None
    assert keys(reference={"answer": object()}) is None
    assert keys(metadata={"x": {1, 2}}) is None


def test_a_key_of_a_text_that_is_no_unicode():
    assert digest(completion="\ud800") != digest(completion="\ud801")


def test_fields_count_but_not_those_that_only_weigh(plugins):
    counts = plugins.entry("counts").reward
    base = component_digest(counts(), plugins)
    assert base is not None
    assert component_digest(counts(weight=0.3, role="monitor", timeout_s=9, min_spread=0.1), plugins) == base
    others = [counts(letter="b"), counts(missing="mask_sample"), counts(missing={"constant": 0.5})]
    assert len({base, *(component_digest(other, plugins) for other in others)}) == 4


def test_a_file_that_a_field_names_counts_by_content(plugins, tmp_path):
    table = tmp_path / "table.txt"
    reward = plugins.entry("counts").reward(table=str(table))
    digests = [component_digest(reward, plugins)]
    for content in ("one", "two"):
        table.write_text(content)
        digests.append(component_digest(reward, plugins))
    assert len(set(digests)) == 3


def test_a_changed_line_of_code_counts(load):
    before, after = load(), load("/ 10", "/ 11")
    assert component_digest(before.entry("counts").reward(), before) != component_digest(
        after.entry("counts").reward(), after
    )


def test_any_file_of_an_installed_package_counts(tmp_path, monkeypatch):
    package = tmp_path / "site" / "hashed_rewards"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "rules.txt").write_text("one")
    (package / "mine.py").write_text(
        "from guerdon import Reward\nclass Mine(Reward):\n    def score(self, sample):\n        return 1.0\n"
    )
    monkeypatch.syspath_prepend(tmp_path / "site")
    import hashed_rewards.mine

    reward = hashed_rewards.mine.Mine
    reward.name = "mine"
    plugins = load_plugins()
    first = component_digest(reward(), plugins)
    assert first == component_digest(reward(), plugins)
    (package / "rules.txt").write_text("two")
    assert component_digest(reward(), plugins) != first
    for name in ("hashed_rewards", "hashed_rewards.mine"):
        del sys.modules[name]


def test_what_asks_a_service_or_ranks_is_not_kept_unless_it_says_so(plugins):
    rewards = load_plugins()
    assert component_digest(rewards.entry("safety").reward(), rewards) is not None
    probe = rewards.entry("blind_probe").reward(reward={"use": "safety"})
    assert component_digest(probe, rewards) is None
    ranks = plugins.entry("ranks").reward
    assert component_digest(ranks(keep=False), plugins) is None
    assert component_digest(ranks(), plugins) is not None
