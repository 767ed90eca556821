"""A job server's client in memory: what Ray's would answer, and connections that drop."""

from types import SimpleNamespace


class Server:
    """Jobs by id. Logs grow by a chunk whenever they are asked for."""

    def __init__(self):
        self.jobs = {}
        self.asked = []
        self.dropped = []

    def submit_job(self, **asked):
        self.asked.append(asked)
        name = asked["submission_id"]
        if self.dropped:
            failure, taken = self.dropped.pop(0)
            if not taken:
                raise failure
            self.add(name, asked["metadata"], asked["entrypoint"])
            raise failure
        self.add(name, asked["metadata"], asked["entrypoint"])
        return name

    def add(self, name, metadata=None, entrypoint="true", status="RUNNING", code=None):
        self.jobs[name] = SimpleNamespace(
            submission_id=name,
            metadata=metadata,
            entrypoint=entrypoint,
            status=status,
            message=None,
            start_time=len(self.jobs) + 1,
            end_time=None,
            driver_exit_code=code,
        )

    def end(self, name, status, code=None):
        self.jobs[name].status = status
        self.jobs[name].driver_exit_code = code

    def get_job_info(self, name):
        if name not in self.jobs:
            raise RuntimeError(f"Request failed with status code 404: Job {name} does not exist")
        return self.jobs[name]

    def list_jobs(self):
        return list(self.jobs.values())

    def stop_job(self, name):
        self.end(name, "STOPPED")
        return True
