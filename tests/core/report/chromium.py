"""Chromium for tests, over its debugging pipe."""

import base64
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time

import pytest

# Takes the two ends of the pipes to where Chromium looks for them, then becomes Chromium.
START = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execvp(sys.argv[3], sys.argv[3:])"
)

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--window-size=1400,1000",
    "--remote-debugging-pipe",
)


class Browser:
    """Chromium over its debugging pipe (DevTools protocol), one page at a time."""

    def __init__(self, program, profile, patience_s=120.0):
        to_browser, ours = os.pipe()
        theirs, from_browser = os.pipe()
        command = [sys.executable, "-c", START, str(to_browser), str(from_browser), program, *FLAGS]
        self.process = subprocess.Popen(
            [*command, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._in, self._out = ours, theirs
        self._rest, self._number, self._patience_s = b"", 0, patience_s
        self._session = None
        self.events = []
        target = self._page()
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def _page(self):
        return next(one for one in self.call("Target.getTargets")["targetInfos"] if one["type"] == "page")["targetId"]

    def call(self, method, **params):
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._in, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def _read(self):
        end = time.monotonic() + self._patience_s
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._out], [], [], max(0.0, end - time.monotonic()))
            assert ready, "Chromium does not answer"
            chunk = os.read(self._out, 1 << 16)
            assert chunk, "Chromium has ended"
            self._rest += chunk
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)

    def open(self, path, fragment=""):
        """Load a file and wait until the page has drawn itself."""
        self.call("Page.navigate", url="about:blank")
        self.events.clear()
        self.call("Page.navigate", url=path.as_uri() + fragment)
        self.wait("location.protocol === 'file:' && document.querySelector('#app:not([aria-busy])') !== null")

    def visit(self, address):
        """Load a page of a server and wait until it has drawn itself."""
        self.call("Page.navigate", url="about:blank")
        self.events.clear()
        self.call("Page.navigate", url=address)
        self.wait("location.protocol === 'http:' && document.querySelector('#app:not([aria-busy])') !== null")

    def wait(self, condition):
        end = time.monotonic() + self._patience_s
        while not self.run(condition):
            assert time.monotonic() < end, f"never came true: {condition}"
            time.sleep(0.05)

    def run(self, expression):
        """Evaluate JavaScript and return its value as JSON data."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def press(self, key):
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def seen(self, method):
        """Return the parameters of all events of a kind since the page was opened."""
        self.run("1")  # events come before the answer
        return [event["params"] for event in self.events if event.get("method") == method]

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def close(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self._in)
        os.close(self._out)


def start(profile):
    """Start a browser, or skip the test where there is none."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no Chromium here; install it, for instance with `apt-get install chromium`")
    return Browser(program, profile)
