import numpy as np
import pytest

from guerdon import Record, Status
from guerdon.advantage import AdvantageConfig
from guerdon.ledger import Ledger
from guerdon.review.shares import read_constant_groups, read_shares

RULES = {
    "sum": AdvantageConfig(advantage="sum"),
    "gdpo": AdvantageConfig(advantage="gdpo"),
    "product": AdvantageConfig(advantage="product"),
}


@pytest.mark.parametrize("mode", RULES)
def test_shares_sum_to_one(built, tmp_path, mode):
    folder = built.build_run(tmp_path / "run", rule=RULES[mode], evaluations=())
    shares = read_shares(Ledger(folder / "ledger"), additive=mode != "product")
    assert sum(share.of_update for share in shares.values()) == pytest.approx(1.0)
    if mode == "product":
        assert all(share.of_reward is None for share in shares.values())
    else:
        assert sum(share.of_reward for share in shares.values()) == pytest.approx(1.0)


def test_the_share_of_the_reward_is_the_covariance_within_groups(honest):
    ledger = Ledger(honest / "ledger")
    samples = {(row["step"], row["sample_id"]): row for row in ledger.samples(phase="train").to_pylist()}
    together, whole = 0.0, 0.0
    groups = {}
    for row in ledger.records(phase="train", components=["answer"]).to_pylist():
        total = samples[row["step"], row["sample_id"]]["total"]
        groups.setdefault((row["step"], row["group_id"]), []).append((row["contribution"], total))
    for pairs in groups.values():
        parts, totals = np.array(pairs).T
        together += ((parts - parts.mean()) * (totals - totals.mean())).sum()
        whole += ((totals - totals.mean()) ** 2).sum()
    assert read_shares(ledger, additive=True)["answer"].of_reward == pytest.approx(together / whole)


def test_a_component_that_never_differs_has_no_share(built, tmp_path):
    chances = {"answer": built.flat(0.5), "shape": built.flat(1.0)}
    folder = built.build_run(tmp_path / "run", chances=chances, evaluations=())
    share = read_shares(Ledger(folder / "ledger"), additive=True)["shape"]
    assert (share.of_reward, share.of_update) == (0.0, 0.0)


def test_where_nothing_differs_there_are_no_shares(built, tmp_path):
    folder = built.build_run(tmp_path / "run", chances={"answer": built.flat(1.0)}, evaluations=())
    share = read_shares(Ledger(folder / "ledger"), additive=True)["answer"]
    assert (share.of_reward, share.of_update) == (None, None)


def constant_run(built, folder, values):
    """The outcome has one value for each group, by the number of its prompt."""

    def judge(sample, component, phase, step):
        number = int(sample.group_id[-1])
        return Record(sample.id, component, Status.OK, values[number % len(values)])

    return built.build_run(folder, chances={"answer": built.flat(0.5)}, judge=judge, evaluations=(), steps=2)


def test_constant_groups_are_told_apart(built, tmp_path):
    ledger = Ledger(constant_run(built, tmp_path / "run", [0.0, 1.0]) / "ledger")
    found = read_constant_groups(ledger, "answer", 0.5)
    assert [(one.step, one.groups, one.constant) for one in found] == [(1, 6, 6), (2, 6, 6)]
    assert all(one.all_right == 3 and one.all_wrong == 3 for one in found)


def test_without_an_outcome_right_and_wrong_are_not_counted(built, tmp_path):
    ledger = Ledger(constant_run(built, tmp_path / "run", [1.0]) / "ledger")
    (first, _) = read_constant_groups(ledger, None, 0.5)
    assert (first.constant, first.all_right, first.all_wrong) == (6, 0, 0)
    (first, _) = read_constant_groups(ledger, "answer", float("inf"))
    assert (first.all_right, first.all_wrong) == (0, 6)


def test_a_component_with_an_odd_name_is_no_trouble(built, tmp_path):
    name = "it's {odd}?"
    folder = built.build_run(tmp_path / "run", chances={name: built.flat(0.5)}, outcome=name, evaluations=(), steps=1)
    (first,) = read_constant_groups(Ledger(folder / "ledger"), name, 0.5)
    assert first.groups == 6
