"""Tests that are known to be unsettled, left out of `make test` until they are put right. Remove lines, add none."""

UNSETTLED = (
    "tests/core/scoring/test_limits.py",  # written for a form of the worker that is under way
    "test_each_sample_and_component_has_its_record_whatever_happens",  # the same
    "test_every_fault_gives_its_status_and_harms_no_other",  # passes alone, not on a busy machine
    "tests/cases/test_handout.py",  # 214 of 220: four maths cases ran into their deadline on a busy machine
    "test_a_killed_run_resumes_and_ends_the_same",  # the extra evaluation on resume is mended, not yet seen green
    "tests/core/scoring/test_wire.py",
)


def pytest_collection_modifyitems(config, items):
    """Leave out what is listed, and say so."""
    out = [item for item in items if any(name in item.nodeid for name in UNSETTLED)]
    if out:
        config.hook.pytest_deselected(items=out)
        items[:] = [item for item in items if item not in set(out)]
