import json

import pytest

from guerdon import Record, Status
from guerdon.report.page import write_report

HOSTILE = (
    "<script>window.hit = 'script'</script>",
    "<img src=x onerror=\"window.hit = 'error'\">",
    "<svg onload=\"window.hit = 'load'\"><a href=\"javascript:window.hit='link'\">click</a></svg>",
    "[click](javascript:window.hit='markdown')",
    "</script></pre><iframe srcdoc=\"<script>parent.hit='frame'</script>\"></iframe>",
    "safe \u202e reversed \u2066 isolated \u200b hidden \U000e0041 tag \x1b[31m colour",
    "{{data}} ${window.hit='template'} `backtick`",
    "x" * 1_000_000,
)


@pytest.fixture(scope="module")
def page(honest, tmp_path_factory):
    return write_report(honest, tmp_path_factory.mktemp("page") / "page.html")


@pytest.fixture
def opened(browser, page):
    browser.open(page)
    return browser


def rows(browser):
    return browser.run("[...document.querySelectorAll('tr[data-sample]')].map((row) => row.innerText)")


def count(browser):
    return browser.run("document.querySelector('.count').textContent")


def choose(browser, label, value):
    browser.run(
        f"(() => {{ const node = document.querySelector('[aria-label={json.dumps(label)}]'); node.value = "
        f"{json.dumps(value)}; node.dispatchEvent(new Event(node.tagName === 'SELECT' ? 'change' : 'input')); }})()"
    )


def current(browser):
    return browser.run("document.querySelector('.sample-head bdi').innerText")


def quiet(browser):
    """No message, no error, and no request but for the file itself."""
    assert browser.seen("Runtime.exceptionThrown") == []
    assert browser.seen("Runtime.consoleAPICalled") == []
    assert browser.seen("Log.entryAdded") == []
    asked = [event["request"]["url"] for event in browser.seen("Network.requestWillBeSent")]
    assert [url for url in asked if not url.startswith(("data:", "file://"))] == []
    assert len([url for url in asked if url.startswith("file://")]) == 1


def test_the_page_opens_from_a_file_without_network_or_errors(opened):
    assert opened.run("document.querySelector('h1').textContent") == "made-up training report"
    titles = opened.run("[...document.querySelectorAll('h2')].map((node) => node.textContent)")
    assert titles == [
        "In plain words",
        "Alarms",
        "Held-out prompts, before and after",
        "Outcome against proxies",
        "Components",
        "Pass rate by prompt",
        "Training health",
        "Samples",
        "About this page",
    ]
    quiet(opened)


def test_curves_are_drawn_for_every_component_and_measure(opened):
    assert opened.run("document.querySelectorAll('#components .card').length") == 3
    assert opened.run("document.querySelectorAll('#components .card svg.chart path.line').length") == 9
    assert opened.run("document.querySelectorAll('#proxies svg.chart path.line').length") == 4
    captions = opened.run("[...document.querySelectorAll('#health figcaption')].map((node) => node.textContent)")
    assert "KL to the starting model" in captions
    assert "completion length, tokens" in captions


def test_a_chart_tells_its_values_to_the_keyboard(opened):
    opened.run("document.querySelector('#proxies svg.chart').focus()")
    opened.press("ArrowRight")
    assert opened.run("document.querySelector('#proxies .readout').textContent").startswith("step 1: answer (outcome)")
    opened.press("ArrowRight")
    assert opened.run("document.querySelector('#proxies .readout').textContent").startswith("step 2: ")


def test_held_out_rows_show_interval_and_verdict(opened):
    text = opened.run("document.querySelector('#held-out .comparison').innerText")
    assert "not powered" in text
    assert "all 12" in text
    assert opened.run("document.querySelectorAll('#held-out .interval .whisker').length") > 10


def test_filters_narrow_the_list(opened):
    assert count(opened) == "1 to 25 of 168 samples"
    choose(opened, "Set", "training")
    assert count(opened) == "1 to 25 of 120 samples"
    choose(opened, "Step", "3")
    assert count(opened) == "1 to 24 of 24 samples"
    choose(opened, "Component", "boxes")
    choose(opened, "Status", "abstain")
    shown = rows(opened)
    assert 0 < len(shown) < 24
    assert all("abstain" in row for row in shown)
    opened.run("[...document.querySelectorAll('.filters button')].find((node) => node.textContent === 'Clear').click()")
    assert count(opened) == "1 to 25 of 168 samples"


def test_a_score_range_filters_by_component(opened):
    choose(opened, "Component", "shape")
    choose(opened, "Score from", "0.5")
    positive = opened.run("Number(document.querySelector('.count').textContent.match(/of (\\d+)/)[1])")
    choose(opened, "Score from", "")
    choose(opened, "Score to", "0.5")
    negative = opened.run("Number(document.querySelector('.count').textContent.match(/of (\\d+)/)[1])")
    assert positive > 0
    assert negative > 0
    assert positive + negative == 168


def test_search_finds_text_of_prompts_and_completions(opened):
    choose(opened, "Search prompt and completion", "PICTURE 3?")
    shown = rows(opened)
    assert len(shown) == 4
    assert all("what is in picture 3?" in row for row in shown)
    choose(opened, "Search prompt and completion", "no such text")
    assert count(opened) == "No sample passes the filters."


def test_presets_show_what_changed_since_before(opened):
    press = "document.querySelector('[data-preset={}]').click()"
    opened.run(press.format("better"))
    better = rows(opened)
    assert better
    assert all(row.split("\t")[0] == "5" and float(row.split("\t")[3]) == 1.0 for row in better)
    opened.run(press.format("paid"))
    assert all("training" in row and float(row.split("\t")[3]) == 0.0 for row in rows(opened))
    assert opened.run("document.querySelector('[data-preset=paid]').getAttribute('aria-pressed')") == "true"


def test_filtering_is_quick_enough_to_type_in(opened):
    took = opened.run(
        "(() => { const start = performance.now(); const node = document.getElementById('search');"
        " node.value = 'answer'; node.dispatchEvent(new Event('input')); return performance.now() - start; })()"
    )
    assert took < 2000  # it takes a few milliseconds; the bound is for machines under load


def test_columns_sort_both_ways(opened):
    press = "[...document.querySelectorAll('.samples th button')].at(-1).click()"
    opened.run(press)
    numbers = "[...document.querySelectorAll('tr[data-sample] td:last-child')].map((cell) => cell.innerText)"
    falling = [float(text.replace("−", "-").replace("±", "")) for text in opened.run(numbers)]
    assert falling == sorted(falling, reverse=True)
    opened.run(press)
    assert opened.run("document.querySelector('.samples th:last-child').getAttribute('aria-sort')") == "ascending"
    assert opened.run(numbers)[0] == "–"


def test_the_list_has_pages(opened):
    opened.run("[...document.querySelectorAll('.pager button')].at(-1).click()")
    assert count(opened) == "26 to 50 of 168 samples"


def test_keys_move_through_samples_and_groups(opened):
    first = current(opened)
    opened.press("j")
    assert current(opened) != first
    opened.press("k")
    assert current(opened) == first
    choose(opened, "Set", "training")
    opened.press("j")
    member = current(opened)
    assert member.endswith("/0")
    opened.press("]")
    assert current(opened) == member.replace("/0", "/1")
    opened.press("[")
    assert current(opened) == member
    opened.press("/")
    assert opened.run("document.activeElement.id") == "search"
    opened.press("j")  # now it is text
    assert current(opened) == member


def test_arrows_move_the_focus_in_the_list(opened):
    opened.run("document.querySelector('tr[data-sample][tabindex=\"0\"]').focus()")
    opened.press("ArrowDown")
    opened.press("ArrowDown")
    assert opened.run("document.activeElement.getAttribute('aria-selected')") == "true"
    assert opened.run("[...document.querySelectorAll('tr[data-sample]')].indexOf(document.activeElement)") == 2


def test_a_sample_shows_everything_that_was_said(opened):
    opened.run("location.hash = '#sample=' + encodeURIComponent('train/sampled/2/train-1013/1')")
    opened.wait("document.querySelector('.sample-head bdi').innerText === 'train-1013/1'")
    text = opened.run("document.getElementById('detail').innerText")
    for part in (
        "what is in picture 1013?",
        "<answer>",
        "answer is",
        "boxes is",
        "shape is",
        "advantage",
        "4 completions",
    ):
        assert part in text
    assert opened.run("document.querySelectorAll('#detail .sibling').length") == 4
    assert opened.run("document.querySelectorAll('#detail .sibling[aria-current=true]').length") == 1
    assert opened.run("document.querySelector('#detail mark').title") == "evidence of answer"
    quiet(opened)


def test_a_held_out_sample_stands_beside_its_other_evaluations(opened):
    opened.run("location.hash = '#sample=' + encodeURIComponent('eval/greedy/5/eval-0001/0')")
    opened.wait("document.querySelector('.sample-head bdi').innerText === 'eval-0001/0'")
    labels = opened.run("[...document.querySelectorAll('#detail .sibling .label')].map((node) => node.innerText)")
    assert labels == ["step 0", "step 5"]


def test_an_address_leads_to_its_sample(browser, page):
    browser.open(page, "#sample=train%2Fsampled%2F2%2Ftrain-1013%2F1")
    assert current(browser) == "train-1013/1"
    assert browser.run("scrollY") > 0


def test_boxes_are_drawn_within_a_pixel(opened):
    opened.run("location.hash = '#sample=' + encodeURIComponent('train/sampled/2/train-1013/1')")
    opened.wait("document.querySelector('.picture rect.box') !== null")
    measure = (
        "(() => { const edges = (node) => { const {left, top, right, bottom} = node.getBoundingClientRect(); return "
        "[left, top, right, bottom]; }; const boxes = [...document.querySelectorAll('.picture rect.box')];"
        # Geometry without the stroke, which the bounding rectangle of an SVG shape leaves out as well.
        "return {image: edges(document.querySelector('.picture image')), kinds: boxes.map((box) => "
        "box.classList[1]), boxes: boxes.map(edges)}; })()"
    )
    seen = opened.run(measure)
    left, top, right, bottom = seen["image"]
    scale_x, scale_y = (right - left) / 40, (bottom - top) / 30
    assert scale_x > 3
    truth = {"true": (6.0, 8.0, 22.5, 20.0), "predicted": (4.0, 6.0, 20.0, 24.0)}
    assert seen["kinds"] == ["true", "predicted"]
    for kind, drawn in zip(seen["kinds"], seen["boxes"], strict=True):
        x1, y1, x2, y2 = truth[kind]
        expected = (left + x1 * scale_x, top + y1 * scale_y, left + x2 * scale_x, top + y2 * scale_y)
        assert drawn == pytest.approx(expected, abs=1.0)
    opened.press("b")
    assert opened.run("getComputedStyle(document.querySelector('.picture rect.box')).display") == "none"
    opened.press("b")
    assert opened.run("getComputedStyle(document.querySelector('.picture rect.box')).display") != "none"


def test_light_and_dark_can_be_chosen(opened):
    colour = "getComputedStyle(document.body).backgroundColor"
    before = opened.run(colour)
    opened.run("document.querySelector('.theme').click()")
    assert opened.run(colour) != before


def test_print_leaves_out_what_cannot_be_pressed(opened):
    opened.run("document.documentElement.dataset.theme = 'dark'")
    opened.call("Emulation.setEmulatedMedia", media="print")
    try:
        shown = "['nav', '.filters', '.pager'].map((one) => getComputedStyle(document.querySelector(one)).display)"
        assert opened.run(shown) == ["none"] * 3
        assert opened.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert opened.run("getComputedStyle(document.getElementById('detail')).maxHeight") == "none"
    finally:
        opened.call("Emulation.setEmulatedMedia", media="")


@pytest.fixture(scope="module")
def hostile(built, tmp_path_factory):
    def judge(sample, component, phase, step):
        evil = HOSTILE[sample.index]
        evidence = {"span": [0, 5], "quoted": evil, "predicted": [[0, 0, 1e300, evil]], "true": "x"}
        return Record(sample.id, component, Status.OK, float(sample.index % 2), evil[:3000], evidence)

    folder = built.build_run(
        tmp_path_factory.mktemp("hostile") / "run",
        chances={"<img src=x onerror=window.hit=1>": built.flat(0.5)},
        outcome="<img src=x onerror=window.hit=1>",
        judge=judge,
        write=lambda name, _: HOSTILE[int(name.rpartition("/")[2])],
        group=len(HOSTILE),
        prompts=2,
        steps=1,
        evaluations=(),
    )
    return write_report(folder)


def test_hostile_text_stays_text(browser, hostile):
    browser.open(hostile)
    for _ in HOSTILE:
        browser.run("document.querySelectorAll('details').forEach((node) => { node.open = true; })")
        browser.run(
            "[...document.querySelectorAll('#detail button')]"
            ".forEach((node) => /Show all/.test(node.innerText) && node.click())"
        )
        assert browser.run("window.hit ?? null") is None
        browser.press("j")
    assert (
        browser.run("document.querySelectorAll('#app iframe, #app script, #app img, #app a[href^=javascript]').length")
        == 0
    )
    assert browser.run("document.scripts.length") == 3
    quiet(browser)


def test_characters_that_hide_or_turn_text_are_written_out(browser, hostile):
    browser.open(hostile, "#sample=train%2Fsampled%2F1%2Ftrain-1002%2F5")
    shown = browser.run("document.querySelector('#detail .completion').innerText")
    for code in ("U+202E", "U+2066", "U+200B", "U+E0041", "U+001B"):
        assert code in shown
    assert "\u202e" not in browser.run("document.body.innerText")


def test_a_line_of_a_megabyte_is_cut_until_asked_for(browser, hostile):
    browser.open(hostile, "#sample=train%2Fsampled%2F1%2Ftrain-1002%2F7")
    assert browser.run("document.querySelector('#detail .completion').textContent.length") < 5000
    assert "further characters are in the ledger" in browser.run("document.getElementById('detail').innerText")
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")


def test_a_hack_is_seen_at_a_glance(browser, built, tmp_path):
    chances = {"answer": built.flat(0.4), "shape": built.rises(0.1, 0.95)}
    folder = built.build_run(tmp_path / "run", chances=chances, steps=30, prompts=16, group=8, evaluations=())
    browser.open(write_report(folder))
    assert "reward hack" in browser.run("document.querySelector('#words li.warning').innerText")
    ends = browser.run(
        "[...document.querySelectorAll('#proxies path.line')].map((node) => { const points = node.getAttribute('d')"
        ".match(/[\\d.]+ [\\d.]+/g).map((pair) => Number(pair.split(' ')[1])); return points[0] - points.at(-1); })"
    )
    outcome, shape = ends[:2]
    assert shape > 150  # pixels upwards, of 320
    assert abs(outcome) < 40
