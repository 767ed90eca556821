"""The live page in Chromium."""

import json

import pytest


@pytest.fixture
def opened(browser, address):
    browser.visit(address)
    return browser


def choose(browser, label, value):
    browser.run(f"document.querySelector('[aria-label={json.dumps(label)}]').value = {json.dumps(value)}")


def search(browser, expected):
    browser.run("document.querySelector('.live button[type=submit]').click()")
    browser.wait(f"/{expected}/.test(document.querySelector('.live output').textContent)")


def quiet(browser, address):
    """No message, no error, and no request but to the server."""
    assert browser.seen("Runtime.exceptionThrown") == []
    assert browser.seen("Log.entryAdded") == []
    asked = [event["request"]["url"] for event in browser.seen("Network.requestWillBeSent")]
    assert [url for url in asked if not url.startswith(("data:", address))] == []


def test_it_is_the_page_of_the_report(opened, address):
    assert opened.run("document.querySelector('h1').textContent") == "made-up training report"
    titles = opened.run("[...document.querySelectorAll('h2')].map((node) => node.textContent)")
    assert {"In plain words", "Alarms", "Components", "Pass rate by prompt", "Training health", "Samples"} < set(titles)
    quiet(opened, address)


def test_the_whole_ledger_is_searched(opened, address):
    choose(opened, "Set in the whole ledger", "train/sampled")
    choose(opened, "Step in the whole ledger", "2")
    search(opened, "32 samples in 8 groups match")
    assert opened.run("document.querySelector('.pager .count').textContent").startswith("32 samples in 8 groups")
    assert opened.run("document.querySelectorAll('tr[data-sample]').length") == 25
    choose(opened, "Search the whole ledger", "no such text")
    search(opened, "No sample of the ledger is like that")
    quiet(opened, address)


def test_there_are_pages(opened):
    before = opened.run("document.querySelector('.sample-head bdi').innerText")
    opened.run("document.querySelectorAll('.live .pager button')[1].click()")
    opened.wait("/groups 21 to 40/.test(document.querySelector('.live output').textContent)")
    assert opened.run("document.querySelector('.sample-head bdi').innerText") != before


def test_the_keys_move_what_the_search_found(opened):
    choose(opened, "Set in the whole ledger", "train/sampled")
    search(opened, "160 samples")
    first = opened.run("document.querySelector('.sample-head bdi').innerText")
    opened.press("j")
    assert opened.run("document.querySelector('.sample-head bdi').innerText") != first
    opened.press("k")
    assert opened.run("document.querySelector('.sample-head bdi').innerText") == first


def test_an_address_leads_to_a_sample_that_is_not_there_yet(opened):
    opened.run("location.hash = '#sample=' + encodeURIComponent('train/sampled/1/train-1008/2')")
    opened.wait("document.querySelector('.sample-head bdi').innerText === 'train-1008/2'")
    assert opened.run("document.querySelectorAll('#detail .sibling').length") == 4
