"""Firefox as the system has it, driven by WebDriver BiDi over a web socket: no driver is needed."""

import asyncio
import json
import os
import re
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tornado.websocket import websocket_connect

NAMES = ("firefox-esr", "firefox")
SECONDS = 60  # until it listens, or answers: a busy machine is slow
LISTENING = re.compile(r"WebDriver BiDi listening on (ws://\S+)")


def find():
    """Its path; None where there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Firefox:
    """One window of a Firefox that runs."""

    def __init__(self, address):
        self._loop, self._n_sent = asyncio.new_event_loop(), 0
        self.requests, self.troubles = [], []
        self._socket = self._wait(websocket_connect, f"{address}/session", max_message_size=2**26)
        self._ask("session.new", capabilities={})
        self._ask("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
        tree = self._ask("browsingContext.getTree")
        self._window = tree["contexts"][0]["context"]

    def open(self, path, *, width=1280, height=900):
        """Show a file."""
        size = {"width": width, "height": height}
        self._ask("browsingContext.setViewport", context=self._window, viewport=size)
        url = Path(path).as_uri()
        self._ask("browsingContext.navigate", context=self._window, url=url, wait="complete")

    def run(self, code):
        """What a JavaScript function of this body returns, by way of JSON."""
        expression = f"JSON.stringify((() => {{ {code} }})() ?? null)"
        target = {"context": self._window}
        given = {"expression": expression, "target": target, "awaitPromise": False}
        answer = self._ask("script.evaluate", **given)
        if answer["type"] != "success":
            raise AssertionError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    def close(self):
        self._socket.close()
        while self._wait(self._socket.read_message) is not None:
            pass  # until the other side has closed it too
        self._loop.close()

    def _ask(self, method, **given):
        self._n_sent += 1
        asked = {"id": self._n_sent, "method": method, "params": given}
        self._wait(self._socket.write_message, json.dumps(asked))
        while True:
            told = json.loads(self._wait(self._socket.read_message))
            if told.get("id") == self._n_sent:
                if told["type"] == "error":
                    raise AssertionError(told["message"])
                return told["result"]
            self._note(told)

    def _note(self, event):
        if event["method"] == "log.entryAdded":
            self.troubles.append(event["params"]["text"])
        elif event["method"] == "network.beforeRequestSent":
            self.requests.append(event["params"]["request"]["url"])

    def _wait(self, begin, *given, **options):
        async def within():
            return await asyncio.wait_for(begin(*given, **options), SECONDS)

        return self._loop.run_until_complete(within())


@contextmanager
def running(path):
    """A Firefox without a display, and with a profile of its own."""
    with TemporaryDirectory(prefix="firefox") as profile:
        command = [path, "--headless", "--no-remote", "--profile", profile]
        with subprocess.Popen(
            [*command, "--remote-debugging-port", "0"],
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "HOME": profile},
        ) as process:
            try:
                found = next(filter(None, map(LISTENING.search, process.stderr)), None)
                assert found, "Firefox ended before it listened"
                firefox = Firefox(found[1])
                yield firefox
                firefox.close()
            finally:
                process.terminate()
