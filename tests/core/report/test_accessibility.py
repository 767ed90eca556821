"""The page by the rules of axe-core, in both colour schemes."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from guerdon.report.page import write_report

RUN = (
    "axe.run(document).then((found) => ({passes: found.passes.length, violations: found.violations.map("
    "(one) => [one.id, one.impact, one.nodes.map((node) => node.html.slice(0, 200))])}))"
)


@pytest.fixture(scope="module")
def axe():
    spec = find_spec("axe_core_python")
    if spec is None or spec.origin is None:
        pytest.skip("axe-core is not here; install axe-core-python")
    return (Path(spec.origin).parent / "axe.min.js").read_text(encoding="utf-8")


def test_no_rule_is_broken_in_light_or_dark(browser, honest, axe, tmp_path):
    page = write_report(honest, tmp_path / "page.html", [f"base={honest}@first"])
    browser.call("Page.setBypassCSP", enabled=True)  # axe is no script of the page
    try:
        browser.open(page)
        browser.run(f"{axe}; 1")
        for theme in ("light", "dark"):
            browser.run(f"document.documentElement.dataset.theme = '{theme}'")
            found = browser.run(RUN)
            assert found["violations"] == []
            assert found["passes"] > 30
    finally:
        browser.call("Page.setBypassCSP", enabled=False)
