"""What the page shows beside curves and samples: alarms, histograms, scatter, pass rates, other evaluations."""

import json

import pytest

from guerdon.report.page import write_report

EVIL = "<iframe>&amp;<script>alert(1)</script>"


@pytest.fixture(scope="module")
def hacked(built, tmp_path_factory):
    folder = tmp_path_factory.mktemp("hacked")
    chances = {"answer": built.rises(0.7, 0.2), "shape": built.rises(0.1, 0.95)}
    run = built.build_run(
        folder / "run",
        chances=chances,
        steps=40,
        prompts=6,
        group=4,
        evaluations=(0, 40),
        metrics=lambda _: {"kl": 0.01},
    )
    base = built.build_run(
        folder / "base", chances={"answer": built.flat(0.1), "shape": built.flat(0.1)}, steps=0, evaluations=(0,)
    )
    return write_report(run, folder / "page.html", [f"{EVIL}={base}"])


@pytest.fixture
def opened(browser, hacked):
    browser.open(hacked)
    return browser


def total(browser):
    return int(browser.run("document.querySelector('.count').textContent").split()[-2])


def test_an_alarm_names_its_onset_and_leads_to_samples(opened):
    first = opened.run("document.querySelector('#alarms .finding').innerText")
    assert first.startswith("alarm proxy climbs without the outcome")
    assert "raised at step" in first
    assert "begins about step" in first
    assert "of 7 alarms in force" in opened.run("document.querySelector('#alarms .warning').innerText")
    assert opened.run("document.querySelectorAll('#alarms .finding').length") == 7
    opened.run("document.querySelector('#alarms .examples a').click()")
    wanted = opened.run("document.querySelector('#alarms .examples a').innerText").partition(": ")[2]
    opened.wait(f"document.querySelector('.sample-head bdi').innerText === {json.dumps(wanted)}")


def test_an_onset_is_marked_in_the_charts(opened):
    begun = opened.run("document.getElementById('alarms').innerText").count("begins about step")
    assert opened.run("document.querySelectorAll('#proxies line.onset').length") == begun
    marked = "[...document.querySelectorAll('#components .card')].filter((card) => card.querySelector('line.onset'))"
    assert opened.run(f"{marked}.map((card) => card.querySelector('h3').innerText)")[-1] == "shape demo:shape"


def test_scores_of_each_step_are_drawn_as_a_field(opened):
    cells = opened.run(
        "[...document.querySelectorAll('#components .card')].map((card) => "
        "[...card.querySelectorAll('.histogram rect title')].map((node) => node.textContent))"
    )
    assert len(cells) == 2
    assert all(len({cell.partition(":")[0] for cell in card}) == 40 for card in cells)
    assert any(cell.startswith("step 1: ") and "score 0 to 0.05" in cell for cell in cells[1])


def test_a_bubble_selects_its_samples_by_key(opened):
    every = total(opened)
    opened.run("document.querySelector('.scatter .bubble[tabindex=\"0\"]').focus()")
    opened.press("ArrowRight")
    label = opened.run("document.activeElement.getAttribute('aria-label')")
    opened.press("Enter")
    assert total(opened) == int(label.split()[0]) < every
    assert "selected" in opened.run("document.querySelector('.scatter-part output').innerText")
    opened.run("[...document.querySelectorAll('.scatter-part button')].at(-1).click()")
    assert total(opened) == every


def test_a_frame_selects_what_lies_in_it(opened):
    every = total(opened)
    box = opened.run(
        "(() => { const node = document.querySelector('.scatter'); node.scrollIntoView({block: 'center'}); "
        "const {left, top, width, height} = node.getBoundingClientRect(); return [left, top, width, height]; })()"
    )
    left, top, width, height = box
    for kind, x, y in (
        ("mousePressed", left + 0.6 * width, top + 2),
        ("mouseMoved", left + 0.8 * width, top + 0.3 * height),
        ("mouseReleased", left + width - 2, top + 0.5 * height),
    ):
        opened.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)
    assert 0 < total(opened) < every
    scores = "[...document.querySelectorAll('tr[data-sample]')].map((row) => row.innerText.split('\\t').slice(3, 5))"
    assert {tuple(map(float, pair)) for pair in opened.run(scores)} == {(1.0, 1.0)}
    opened.run("[...document.querySelectorAll('.filters button')].find((node) => node.textContent === 'Clear').click()")
    assert total(opened) == every


def test_prompts_are_sorted_by_their_pass_rate(opened):
    heads = opened.run("[...document.querySelectorAll('#profile h3')].map((node) => node.innerText)")
    assert heads == ["Training", "Held-out sampled"]
    rows = opened.run(
        "[...document.querySelectorAll('#profile tbody tr')].map((row) => [...row.cells].map((cell) => "
        "cell.innerText.trim()))"
    )
    assert rows[0][:2] == ["all sources", "steps 1 to 8"]
    for row in rows:
        assert sum(map(int, row[5:])) == int(row[2])


def test_other_evaluations_stand_beside_the_run(opened):
    assert opened.run("document.querySelectorAll('#against .conclusion').length") == 3
    heads = opened.run(
        "[...document.querySelectorAll('#against table')[0].tHead.rows[0].cells].map((c) => c.innerText)"
    )
    assert heads == ["component", EVIL, "before training (step 0)", "after training (step 40)"]
    assert opened.run("document.querySelectorAll('#app iframe, #app script').length") == 0
    assert opened.seen("Runtime.exceptionThrown") == []
    assert opened.seen("Log.entryAdded") == []
