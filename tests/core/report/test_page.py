import base64
import gzip
import hashlib
import json
import math
import re

import pytest

from guerdon.report.page import SCRIPTS, STYLES, pack, page, write_report
from guerdon.report.plain import plain
from guerdon.review import Estimate


def block(text, name):
    return re.search(rf'<script type="application/octet-stream" id="{name}">([^<]*)</script>', text)[1]


def unpacked(text, name="data"):
    return json.loads(gzip.decompress(base64.b64decode(block(text, name))))


@pytest.fixture(scope="module")
def written(honest, tmp_path_factory):
    path = write_report(honest, tmp_path_factory.mktemp("page") / "page.html")
    return path.read_text(encoding="utf-8")


def test_the_page_lies_in_the_run_folder(built, tmp_path):
    folder = built.build_run(tmp_path / "run", steps=1, evaluations=())
    assert write_report(folder) == folder / "report.html"
    assert sorted(path.name for path in folder.iterdir()) == ["ledger", "report.html", "run.json"]


def test_the_page_holds_everything_it_needs(written):
    data, pictures = unpacked(written), unpacked(written, "pictures")
    assert data["run"]["name"] == "made-up"
    assert {one["name"] for one in data["components"]} == {"answer", "boxes", "shape"}
    assert len(data["rows"]["samples"]["id"]) == 168
    assert data["curves"]["components"]["answer"]["steps"] == [1, 2, 3, 4, 5]
    assert data["curves"]["held_out"]["greedy"]["answer"]["steps"] == [0, 5]
    assert data["curves"]["health"]["kl"]["values"][0] == 0.01
    assert data["left_out"]["pictures"] == 0
    shown = {name for prompt in data["rows"]["prompts"] for name in prompt["images"]}
    assert set(pictures) == shown
    assert all(one["url"].startswith("data:image/png;base64,") for one in pictures.values())


def test_no_address_outside_the_file_is_asked(written):
    assert not re.search(r"""(src|href)\s*=\s*["'](?!#)""", written)
    addresses = set(re.findall(r"https?://[^\s\"'<>)]+", written))
    assert addresses == {"http://www.w3.org/2000/svg"}  # a name, not an address


def test_the_policy_allows_our_own_script_and_style_by_hash_alone(written):
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', written)[1]
    script = re.findall(r"<script>(.*?)</script>", written, re.DOTALL)
    style = re.findall(r"<style>(.*?)</style>", written, re.DOTALL)
    assert len(script) == len(style) == 1
    for kind, text in (("script", script[0]), ("style", style[0])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "trusted-types 'none'" in policy


def test_no_markup_is_ever_made_from_text():
    text = page(SCRIPTS, "x", {}, {})
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "srcdoc"):
        assert way not in text


def test_a_title_is_escaped_and_fills_no_slot():
    text = page(SCRIPTS, "<script>alert(1)</script>{{data}}", {}, {})
    assert "<title>&lt;script&gt;alert(1)&lt;/script&gt;{{data}} · guerdon</title>" in text


def test_hostile_text_stands_in_no_block(built, tmp_path):
    folder = built.build_run(
        tmp_path / "run", write=lambda *_: "</script><script>alert(1)</script>", steps=1, evaluations=()
    )
    text = write_report(folder).read_text(encoding="utf-8")
    assert "alert(1)" not in text
    assert unpacked(text)["rows"]["samples"]["completion"][0] == "</script><script>alert(1)</script>"


def test_the_same_ledger_gives_the_same_page(honest, tmp_path):
    first, second = (write_report(honest, tmp_path / name).read_bytes() for name in ("a.html", "b.html"))
    assert first == second


def test_what_is_not_finite_is_null():
    assert plain({"a": [math.nan, math.inf, 0.1234567891], "b": Estimate(math.nan, 0.0, 1.0, 0.5, 3, 3)}) == {
        "a": [None, None, 0.123457],
        "b": {"value": None, "low": 0.0, "high": 1.0, "standard_error": 0.5, "prompts": 3, "clusters": 3},
    }
    with pytest.raises(ValueError, match="Out of range"):
        pack(math.nan)


@pytest.mark.parametrize("changes", [{"outcome": None}, {"steps": 0, "evaluations": (0,)}, {"evaluations": ()}])
def test_runs_with_little_in_them_have_a_page(built, tmp_path, changes):
    data = unpacked(write_report(built.build_run(tmp_path / "run", **changes)).read_text(encoding="utf-8"))
    assert data["overview"]
    assert data["held_out"] == [] or data["run"]["outcome"] is None


def test_every_asset_is_used(written):
    from importlib.resources import files

    assets = {entry.name for entry in (files("guerdon.report") / "assets").iterdir()}
    assert assets == {*SCRIPTS, *STYLES, "page.html", "reweight.js", "live.js"}
