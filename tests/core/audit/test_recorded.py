import pytest
from benchmarks.audit_real import label_of, load, real_runs, save

from guerdon.audit import audit, read_history
from guerdon.audit.run import facts
from guerdon.review import open_run


def test_a_recorded_run_is_audited_like_its_ledger(hacked, tmp_path):
    history = read_history(open_run(hacked))
    save(history, tmp_path / "hacked-0.npz")
    assert facts(audit(load(tmp_path / "hacked-0.npz"))) == facts(audit(history))
    assert [label for label, _ in real_runs(tmp_path)] == ["hacked"]


@pytest.mark.parametrize(
    ("folder", "label"),
    [("a/honest-3/demo", "honest"), ("hacked-0", "hacked"), ("hacked-0/honest-1", "honest"), ("x", None)],
)
def test_the_folder_names_the_label(tmp_path, folder, label):
    assert label_of(tmp_path / folder) == label
