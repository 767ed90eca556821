"""Which checkpoints count: those that SkyRL has committed."""

from guerdon_trainer.checkpoint import MARKER, committed_step, drop_uncommitted


def test_without_marker_nothing_is_committed(tmp_path):
    assert committed_step(tmp_path / "gone") == 0
    assert committed_step(tmp_path) == 0
    (tmp_path / MARKER).write_text("")
    assert committed_step(tmp_path) == 0
    (tmp_path / MARKER).write_text("12\n")
    assert committed_step(tmp_path) == 12


def test_what_a_killed_save_left_is_removed_and_nothing_else(tmp_path):
    for step in (1, 2, 3, 10):
        (tmp_path / f"global_step_{step}" / "policy").mkdir(parents=True)
    (tmp_path / MARKER).write_text("2")
    drop_uncommitted(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["global_step_1", "global_step_2", MARKER]
    drop_uncommitted(tmp_path)
    assert committed_step(tmp_path) == 2


def test_without_marker_every_folder_is_half_written(tmp_path):
    (tmp_path / "global_step_5").mkdir()
    drop_uncommitted(tmp_path)
    assert list(tmp_path.iterdir()) == []
    drop_uncommitted(tmp_path / "gone")
