"""A server with its sandbox: one of our own in a temporary folder, or one that is running."""

import contextlib
import os
import re
import subprocess
import time
from pathlib import Path

START_SECONDS = 110
STOP_SECONDS = 30


class ServerFailed(Exception):
    pass


@contextlib.contextmanager
def sandbox_server(arguments, folder):
    """The base URL and the sandbox's folder. A server of our own is stopped at the end."""
    if not arguments.program:
        yield arguments.url, arguments.sandbox
        return
    data, log = Path(folder) / "data", Path(folder) / "server.log"
    environment = os.environ | {"DATA_DIRECTORY": str(data), "HTTP_PORT": "0"}
    with open(log, "wb") as output:
        process = subprocess.Popen(
            [arguments.program, "serve"], env=environment, stdin=subprocess.DEVNULL,
            stdout=output, stderr=subprocess.STDOUT)
    try:
        yield address(process, log), str(data / "sandbox")
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()


def address(process, log):
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if found := re.search(r"Listening url=(http://\S+)", log.read_text()):
            return found[1]
        time.sleep(0.05)
    reason = "ended" if process.poll() is not None else f"did not start within {START_SECONDS} seconds"
    raise ServerFailed(f"the server {reason}. Its log:\n{log.read_text()[-4000:]}")
