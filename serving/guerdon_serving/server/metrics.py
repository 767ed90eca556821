"""Counters in Prometheus's text form."""

from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

BUCKETS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 55)


class Metrics:
    """What ``/metrics`` shows. A registry of its own, so that several servers fit in one process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)  # memory, CPU and open files of this process
        self._requests = Counter("guerdon_requests", "Requests answered", ["route", "status"], registry=self.registry)
        self._seconds = Histogram(
            "guerdon_request_seconds",
            "Time to the end of the answer",
            ["route"],
            buckets=BUCKETS,
            registry=self.registry,
        )
        self._prompt = Counter("guerdon_prompt_tokens", "Tokens read", ["model"], registry=self.registry)
        self._completion = Counter("guerdon_completion_tokens", "Tokens written", ["model"], registry=self.registry)
        self._in_flight = Gauge("guerdon_in_flight", "Chat requests under way", registry=self.registry)
        self._start = Gauge("guerdon_start_seconds", "What starting took", ["phase"], registry=self.registry)

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count an answered request."""
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def completed(self, model: str, prompt: int, completion: int) -> None:
        """Count the tokens of a completion."""
        self._prompt.labels(model).inc(prompt)
        self._completion.labels(model).inc(completion)

    def render(self, in_flight: int, start: Mapping[str, float]) -> bytes:
        """Return the page.

        Args:
            in_flight: chat requests under way.
            start: phase of the start to the seconds that it took.
        """
        self._in_flight.set(in_flight)
        for phase, seconds in start.items():
            self._start.labels(phase).set(seconds)
        return bytes(generate_latest(self.registry))
