"""Drives headless Chromium with the DevTools protocol, over a pipe: it needs nothing but the standard library."""

import base64
import json
import os
import select
import subprocess
import tempfile

ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--hide-scrollbars", "--remote-debugging-pipe"]
OPEN_LIMIT_SECONDS = 120
ANSWER_LIMIT_SECONDS = 180
STOP_LIMIT_SECONDS = 60


class Chromium:
    """A browser with one tab. Use it in a `with` statement."""

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        # Chromium reads commands from file descriptor 3, and writes answers to 4.
        redirect = f'exec chromium "$@" 3<&{commands} 4>&{answers}'
        self.process = subprocess.Popen(
            ["sh", "-c", redirect, "sh", *ARGUMENTS, f"--user-data-dir={self.profile.name}", "about:blank"],
            pass_fds=(commands, answers), stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self.last_id, self.session, self.events, self.buffer = 0, None, [], b""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        return self

    def __exit__(self, *_):
        os.close(self.commands)
        self.process.terminate()
        self.process.wait(STOP_LIMIT_SECONDS)
        os.close(self.answers)
        self.profile.cleanup()

    def send(self, method, **parameters):
        """Sends a command and returns its result. Events that come before it are kept."""
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": parameters}
        message |= {"sessionId": self.session} if self.session else {}
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") != self.last_id:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']['message']}")
            else:
                return answer["result"]

    def read(self):
        while b"\0" not in self.buffer:
            if not select.select([self.answers], [], [], ANSWER_LIMIT_SECONDS)[0]:
                raise TimeoutError(f"Chromium has not answered for {ANSWER_LIMIT_SECONDS} seconds")
            read = os.read(self.answers, 1 << 16)
            if not read:
                raise RuntimeError("Chromium has ended")
            self.buffer += read
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def open(self, url, ready, width=1400, height=1000, scheme="light"):
        """Opens a URL in a window of this size and colour scheme, and waits until the expression `ready` is true."""
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.send("Page.navigate", url=url)
        self.evaluate(f"""new Promise((done, fail) => {{
            const end = Date.now() + {1000 * OPEN_LIMIT_SECONDS};
            const ask = () => {ready} ? done() : Date.now() > end ? fail(document.body.innerText) : setTimeout(ask, 20);
            ask();
        }})""")

    def evaluate(self, expression):
        """The value of a JavaScript expression, or of its promise."""
        answer = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['result'].get('value', answer['exceptionDetails'])}")
        return answer["result"].get("value")

    def press(self, key, text=""):
        """Presses and releases a key, such as Tab or a."""
        more = {"text": text} if text else {}
        code = {"Tab": 9, "Enter": 13}.get(key, 0)
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **more)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot")["data"]))

    def complaints(self):
        """What the browser has reported: errors and warnings of scripts, styles, requests and policies."""
        logged = [event["params"]["entry"]["text"] for event in self.events if event["method"] == "Log.entryAdded"]
        thrown = [event["params"] for event in self.events if event["method"] == "Runtime.exceptionThrown"]
        written = [event["params"] for event in self.events if event["method"] == "Runtime.consoleAPICalled"]
        return logged + thrown + written
