"""What Ray's job server knows of runs. Every answer of the server becomes a `Job`."""

from dataclasses import dataclass
from typing import Any

from guerdon import RunError

RUN = "guerdon_run"
"""The key of the run's name in a job's metadata."""

STOPPED_CODE = 143
"""Exit code of a job that was stopped: 128 + SIGTERM, which is what Ray sends."""

OVER = frozenset({"SUCCEEDED", "FAILED", "STOPPED"})


@dataclass(frozen=True, slots=True)
class Job:
    """A submission."""

    id: str
    run: str | None
    """``run.name``; None if guerdon did not submit it."""

    status: str
    """PENDING, RUNNING, SUCCEEDED, FAILED or STOPPED."""

    message: str
    started_ms: int | None
    """Unix time in milliseconds."""

    ended_ms: int | None
    code: int | None
    """The exit code; None while it runs."""

    entrypoint: str = ""

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.status in OVER


def connect(address: str | None) -> Any:
    """Return Ray's client for an address, which is passed on untouched.

    Args:
        address: ``http://host:8265``, ``host:8265``, ``sagemaker_ray://cluster/namespace`` with AWS's
            toolkit installed, or whatever else Ray's client takes; None is RAY_API_SERVER_ADDRESS,
            RAY_ADDRESS or this machine.

    Raises:
        RunError: nothing answers there, or nothing installed knows the scheme.
    """
    from ray.job_submission import JobSubmissionClient

    try:
        return JobSubmissionClient(address)
    except (OSError, RuntimeError, ValueError, AssertionError) as error:
        reason = " ".join(str(error).split())
        raise RunError(f"no Ray job server at {address or 'this machine'}: {reason}. {_remedy(address)}") from error


def _remedy(address: str | None) -> str:
    if address and address.startswith("sagemaker_ray://"):
        return "That scheme needs AWS's package: pip install toolkit-for-ray-on-sagemaker-ai"
    return "Is the cluster up, and port 8265 forwarded (kubectl port-forward svc/NAME-head-svc 8265)?"


def job(client: Any, submission_id: str) -> Job:
    """Return what the server knows of a submission.

    Raises:
        RunError: it knows none of that id; those that it knows are listed.
        OSError: the server cannot be reached.
    """
    try:
        return _read(client.get_job_info(submission_id))
    except RuntimeError as error:
        if "404" not in str(error) and "does not exist" not in str(error):
            raise
        known = ", ".join(job.id for job in list_jobs(client)) or "none"
        raise RunError(f"no job {submission_id!r} at this address; it knows {known}") from error


def list_jobs(client: Any) -> list[Job]:
    """Return all submissions, oldest first."""
    found = [_read(details) for details in client.list_jobs() if details.submission_id]
    return sorted(found, key=lambda job: (job.started_ms or 2**63, job.id))


def jobs_of(client: Any, run: str) -> list[Job]:
    """Return the submissions of a run, oldest first."""
    return [job for job in list_jobs(client) if job.run == run]


def stop(client: Any, submission_id: str) -> Job:
    """Ask a job to stop: SIGTERM, and SIGKILL where that does not help. Return what it was when asked.

    Raises:
        RunError: no such job, or it has ended already.
    """
    found = job(client, submission_id)
    if found.over:
        raise RunError(f"job {submission_id} has ended already: {found.status}")
    client.stop_job(submission_id)
    return found


def _read(details: Any) -> Job:
    status = str(getattr(details.status, "value", details.status))
    return Job(
        details.submission_id,
        (details.metadata or {}).get(RUN),
        status,
        details.message or "",
        details.start_time,
        details.end_time,
        _code(status, details.driver_exit_code),
        details.entrypoint,
    )


def _code(status: str, driver: int | None) -> int | None:
    if status not in OVER:
        return None
    if status == "SUCCEEDED":
        return 0
    return STOPPED_CODE if status == "STOPPED" else abs(driver or 1)
