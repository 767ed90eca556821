import pytest
from pydantic import ValidationError
from tests.core.review.built_runs import build_run

from guerdon import Record, Status
from guerdon.ledger import Ledger
from guerdon.view.search import SIZE, Search, find


@pytest.fixture(scope="module")
def ledger(folder):
    return Ledger(folder / "ledger")


def test_everything_is_found_the_last_steps_first(ledger):
    found = find(ledger, Search())
    samples = found.rows.columns["samples"]
    assert (found.groups, found.hits) == (40 + 4 * 12, 40 * 4 + 4 * 12)
    assert len({(phase, sampling) for phase, sampling in zip(samples["phase"], samples["sampling"], strict=True)}) > 1
    assert all(key.split("/")[2] == "5" for key in found.matches)


def test_pages_hold_every_match_once(ledger):
    search = Search(phase="train", component="shape", low=0.5)
    first = find(ledger, search)
    pages = [find(ledger, search.model_copy(update={"page": page})) for page in range(-(-first.groups // SIZE))]
    matches = [key for page in pages for key in page.matches]
    records = ledger.records(phase="train", components=["shape"]).to_pylist()
    expected = {f"train/sampled/{row['step']}/{row['sample_id']}" for row in records if row["value"] >= 0.5}
    assert len(matches) == len(set(matches)) == first.hits
    assert set(matches) == expected


def test_groups_come_whole_and_evaluations_side_by_side(ledger):
    train = find(ledger, Search(phase="train", step=2, component="shape", low=0.5)).rows.columns["samples"]
    assert len(train["id"]) % 4 == 0
    held_out = find(ledger, Search(phase="eval", sampling="greedy", step=5)).rows.columns["samples"]
    assert sorted(set(held_out["step"])) == [0, 5]


def test_a_status_is_found(ledger):
    found = find(ledger, Search(phase="train", status="abstain"))
    records = ledger.records(phase="train").to_pylist()
    assert found.hits == len({(r["step"], r["sample_id"]) for r in records if r["status"] == "abstain"})


@pytest.mark.parametrize("text", ["PICTURE 1003?", "train-1003"])
def test_text_is_found_in_any_case(ledger, text):
    found = find(ledger, Search(text=text))
    assert found.hits
    assert all("train-1003" in key for key in found.matches)


@pytest.mark.parametrize("text", ["x' OR '1'='1", "'; DROP TABLE samples; --", "%", "a\0b", "\\'"])
def test_text_is_only_ever_text(ledger, text):
    for search in (Search(text=text), Search(component=text, low=0.0), Search(sample=text)):
        assert find(ledger, search).hits == 0
    assert find(ledger, Search()).hits


def test_quotes_in_names_are_found(tmp_path):
    def judge(sample, component, phase, step):
        return Record(sample.id, component, Status.OK, 1.0)

    folder = build_run(tmp_path / "run", chances={"it's": None}, outcome=None, judge=judge, steps=1, evaluations=())
    assert find(Ledger(folder / "ledger"), Search(component="it's", low=1.0)).hits == 24


def test_one_sample_brings_its_group(ledger):
    found = find(ledger, Search(phase="train", sampling="sampled", step=2, sample="train-1017/1"))
    assert found.matches == ("train/sampled/2/train-1017/1",)
    assert found.rows.columns["samples"]["id"] == [f"train-1017/{k}" for k in range(4)]


def test_beyond_the_last_page_is_nothing(ledger):
    found = find(ledger, Search(page=1000))
    assert (found.matches, found.rows.columns["samples"]["id"]) == ((), [])


@pytest.mark.parametrize(
    "fields",
    [{"phase": "x"}, {"low": float("nan")}, {"page": -1}, {"step": 2**40}, {"text": "x" * 501}, {"where": "true"}],
)
def test_what_is_no_search_is_refused(fields):
    with pytest.raises(ValidationError):
        Search(**fields)
