"""How groups are cut, and what is left of a job."""

from guerdon import Sample, Status
from guerdon.scoring.cells import Fault, Scored
from guerdon.scoring.jobs import Component, Job, Plan, Ticket, alone, infrastructure, remains
from guerdon.scoring.retry import combine, repeatable, score_inline
from guerdon.scoring.slots import death

ONE = Component("one", 1.0, whole=False, group=False, asynchronous=False)
BATCH = Component("batch", 2.0, whole=True, group=False, asynchronous=False)
GROUP = Component("group", 2.0, whole=True, group=True, asynchronous=False)
ASYNC = Component("async", 1.0, whole=False, group=False, asynchronous=True)
FAULT = Fault(Status.ERROR, "ValueError", "it broke")


def ticket(size: int, components: int) -> Ticket:
    return Ticket.of([Sample(f"g/{i}", "") for i in range(size)], components, lambda _: None)


def shapes(size: int, *components: Component) -> list[tuple[tuple[int, ...], list[int]]]:
    made = Plan(components).cut(ticket(size, len(components)))
    return [(job.components, list(job.indices)) for job in made]


def test_small_groups_are_one_job_but_for_async():
    assert shapes(3, ONE, GROUP, BATCH) == [((0, 1, 2), [0, 1, 2])]
    assert shapes(2, ONE, ASYNC, GROUP) == [((1,), [0, 1]), ((0, 2), [0, 1])]


def test_large_groups_are_sliced_where_samples_stand_alone():
    assert shapes(40, ONE, GROUP) == [
        ((1,), list(range(40))),
        ((0,), list(range(16))),
        ((0,), list(range(16, 32))),
        ((0,), list(range(32, 40))),
    ]
    assert shapes(40, GROUP) == [((0,), list(range(40)))]


def test_every_cell_is_in_exactly_one_job():
    components = (ONE, ASYNC, GROUP, BATCH)
    cells = [(k, i) for ks, indices in shapes(50, *components) for k in ks for i in indices]
    assert sorted(cells) == [(k, i) for k in range(4) for i in range(50)]


def test_what_remains_is_neither_settled_nor_tried_again():
    work = ticket(4, 2)
    job = Job(work, (0, 1), range(4))
    assert job.left == 8
    work.lay_out()
    work.cells[0] = [0.5, None, 0.5, None]
    work.first[0, 1] = FAULT
    left = remains(job, blameless=False)
    assert [(j.components, list(j.indices), j.losses) for j in left] == [((0,), [3], 1), ((1,), [0, 1, 2, 3], 1)]
    assert [j.losses for j in remains(job, blameless=True)] == [0, 0]
    assert [list(j.indices) for j in alone(left[1], ONE)] == [[0], [1], [2], [3]]
    assert alone(left[1], GROUP) == [left[1]]
    again = Job(work, (0,), [1], retry=True)
    assert [list(j.indices) for j in remains(again, blameless=True)] == [[1]]


def test_a_call_may_take_its_samples_time():
    assert ONE.allowed_s(8) == 1.0
    assert GROUP.allowed_s(8) == 16.0


def test_the_second_attempt_stands():
    lost = infrastructure("no worker")
    assert combine(FAULT, lost) is lost
    assert combine(FAULT, FAULT).reason == "it broke (again on a fresh worker)"
    assert combine(FAULT, death(3)).reason.endswith("exit code 3 (at first: it broke)")
    assert combine(FAULT, 0.5) == Scored(0.5, "a fresh worker scored it; at first: it broke", "", {})
    kept = combine(FAULT, Scored(0.5, "half", '{"a": 1}', {"m": 1.0}))
    assert kept == Scored(0.5, "half (a fresh worker scored it; at first: it broke)", '{"a": 1}', {"m": 1.0})
    assert repeatable(FAULT)
    assert not repeatable(lost)
    assert repeatable(lost, together=True)  # one call spoke for several samples: it may be a sibling's
    assert not repeatable(0.5, together=True)
    assert not repeatable(0.5)


def test_deaths_are_named():
    assert death(-11).kind == "SIGSEGV"
    assert "run out of memory" in death(-9).reason
    assert death(-63).kind == "signal 63"
    assert death(0).reason == "the reward ended its process, exit code 0"


def test_inline_groups_are_called_again_as_one(make):
    from guerdon.scoring.calls import IN_CALLER, Caller

    def samples(*completions: str) -> list[Sample]:
        return [Sample(f"g/{i}", text) for i, text in enumerate(completions)]

    column, calls = score_inline(Caller(make("obedient_group"), IN_CALLER), samples("raise", "y"), group=True)
    assert calls == 1
    assert len(column.latencies) == 2
    assert [c.reason for c in column.cells] == ["ValueError: first line second line (again on a second call)"] * 2
    column, calls = score_inline(Caller(make("obedient_batch"), IN_CALLER), samples("raise", "float"), group=False)
    assert calls == 2
    assert column.cells[0].kind == "ValueError"
    assert column.cells[1].value == 0.5
