"""Runs as Ray jobs: submit, follow, stop, and reconnect, at any address that Ray's own client takes."""

from guerdon_trainer.jobs.client import Job, connect, job, jobs_of, list_jobs, stop
from guerdon_trainer.jobs.log import follow
from guerdon_trainer.jobs.package import staged
from guerdon_trainer.jobs.submission import Submission, prepare, submit

__all__ = [
    "Job",
    "Submission",
    "connect",
    "follow",
    "job",
    "jobs_of",
    "list_jobs",
    "prepare",
    "staged",
    "stop",
    "submit",
]
