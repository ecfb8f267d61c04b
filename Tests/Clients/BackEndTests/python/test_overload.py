"""A server that has too much to do: only its own answer lets a request be sent again, in the package and in the examples."""

import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.error import HTTPError

from project import JWKS, ROOT, SERVER_URL, private_key

from card_companion_backend import OverloadRetry, ServerKeys
from card_companion_backend.overload import seconds_to_wait
from card_companion_backend.server_keys import fetch
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

MEDIA_TYPE = "application/problem+json"
PROBLEM = json.dumps({"type": "urn:card-companion:problem:overloaded", "status": 503}).encode()
OVERLOADED = (503, {"Content-Type": MEDIA_TYPE, "Retry-After": "2"}, PROBLEM)
GOOD = (200, {"Content-Type": "application/json"}, b'{"errorCode": 0, "errorMessage": "Success"}')
OTHERS = {
    "another type": (503, OVERLOADED[1], b'{"type": "about:blank"}'), "no body": (503, OVERLOADED[1], b""),
    "another media type": (503, {"Content-Type": "application/json", "Retry-After": "1"}, PROBLEM),
    "429": (429, OVERLOADED[1], PROBLEM), "500": (500, OVERLOADED[1], PROBLEM),
}


def wait_after(status=503, content_type=MEDIA_TYPE, retry_after="2", body=PROBLEM, send_count=1):
    fields = {"content-type": content_type, "RETRY-AFTER": retry_after}
    return seconds_to_wait(status, {name: value for name, value in fields.items() if value is not None}, body, send_count)


class RuleTests(unittest.TestCase):
    def test_retry_after_counts_from_one_to_five_seconds(self):
        texts = {"1": 1, " 3 ": 3, "5": 5, "6": 5, "120": 5, "9" * 5000: 5, "0": 1}
        for text, seconds in texts.items():
            self.assertEqual(wait_after(retry_after=text), seconds, text)

    def test_a_retry_after_that_is_missing_or_cannot_be_read_counts_as_one(self):
        for text in (None, "", "-2", "+2", "1.5", "1_0", "soon", "²", "Wed, 21 Oct 2026 07:28:00 GMT"):
            self.assertEqual(wait_after(retry_after=text), 1, text)

    def test_the_third_answer_is_for_the_caller(self):
        self.assertEqual([wait_after(send_count=count) for count in (1, 2, 3, 4)], [2, 2, None, None])

    def test_the_media_type_can_have_parameters_and_capitals(self):
        for content_type in ("Application/Problem+JSON", f"{MEDIA_TYPE}; charset=utf-8"):
            self.assertEqual(wait_after(content_type=content_type), 2, content_type)

    def test_any_other_answer_is_for_the_caller(self):
        for changes in (
            {"status": 200}, {"status": 429}, {"status": 500}, {"content_type": None}, {"content_type": f"{MEDIA_TYPE}x"},
            {"content_type": "application/json"}, {"body": b""}, {"body": b"[]"}, {"body": b"{}"}, {"body": b"\xff"},
            {"body": b'{"type": 7}'}, {"body": b'{"type": "about:blank"}'}, {"body": PROBLEM.replace(b"loaded", b"loaded:x")},
        ):
            self.assertIsNone(wait_after(**changes), changes)

    def test_the_wait_is_between_half_and_one_and_a_half_of_the_seconds(self):
        for factor, seconds in ((min, 1), (max, 3)):
            waits = []
            self.assertTrue(OverloadRetry(sleep=waits.append, factor=factor).wait(*OVERLOADED, 1))
            self.assertEqual(waits, [seconds])
        waits = []
        for _ in range(1000):
            OverloadRetry(sleep=waits.append, factor=random.uniform).wait(*OVERLOADED, 1)
        self.assertTrue(all(1 <= wait <= 3 for wait in waits))
        self.assertGreater(len(set(waits)), 900)

    def test_nothing_is_waited_for_the_last_answer(self):
        waits = []
        self.assertFalse(OverloadRetry(sleep=waits.append).wait(*OVERLOADED, 3))
        self.assertEqual(waits, [])


class Server:
    """A server on this machine that gives these answers, the last one again and again."""

    def __init__(self, test, *answers):
        self.answers, self.requests = list(answers), []
        server = ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        test.addCleanup(server.server_close)
        test.addCleanup(thread.join)
        test.addCleanup(server.shutdown)
        self.url = f"http://127.0.0.1:{server.server_port}"

    def handler(own):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                own.requests.append((self.command, self.path, dict(self.headers), body))
                status, headers, content = own.answers.pop(0) if len(own.answers) > 1 else own.answers[0]
                self.send_response(status)
                for name, value in {**headers, "Content-Length": len(content)}.items():
                    self.send_header(name, str(value))
                self.end_headers()
                self.wfile.write(content)

            do_POST = do_PUT = do_GET

            def log_message(self, *_):
                pass

        return Handler


class SendingTests(unittest.TestCase):
    def setUp(self):
        self.waits = []
        self.retry = OverloadRetry(sleep=self.waits.append, factor=min)


class KeyTests(SendingTests):
    def test_keys_are_fetched_again(self):
        server = Server(self, OVERLOADED, OVERLOADED, (200, {}, JWKS))
        self.assertEqual(fetch(server.url, self.retry), JWKS)
        self.assertEqual((len(server.requests), self.waits), (3, [1, 1]))
        self.assertEqual(len({str(request) for request in server.requests}), 1)

    def test_the_third_answer_is_the_last(self):
        server = Server(self, OVERLOADED)
        with self.assertRaises(HTTPError) as raised:
            fetch(server.url, self.retry)
        self.assertEqual((raised.exception.code, len(server.requests), len(self.waits)), (503, 3, 2))

    def test_nothing_else_is_fetched_again(self):
        for name, answer in {**OTHERS, "201": (201, {}, JWKS)}.items():
            server = Server(self, answer)
            with self.assertRaises(OSError, msg=name):
                fetch(server.url, self.retry)
            self.assertEqual((len(server.requests), self.waits), (1, []), name)

    def test_the_fetch_of_a_bank_takes_only_a_url(self):
        self.assertIsNotNone(ServerKeys(SERVER_URL, fetch=lambda url: JWKS).encryption_key())


class ExampleTests(SendingTests):
    @classmethod
    def setUpClass(cls):
        hook, path = sys.excepthook, list(sys.path)
        sys.path.insert(0, str(ROOT / "examples"))
        try:
            import app
            import bank
        finally:
            sys.excepthook, sys.path[:] = hook, path
        cls.App, cls.Bank = app.App, bank.Bank
        cls.key = rsa.generate_private_key(65537, 2048)

    def folder(self):
        """A bank's folder of this test."""
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        folder = Path(holder.name)
        names = {"bankId": "B", "issuerKeyId": "k", "authenticationCodes": {"alice": "K7P2M9"}}
        (folder / "sandbox.json").write_text(json.dumps(names))
        (folder / "hmac.hex").write_text("ab" * 32)
        for name, key in {"issuer": private_key("back-end-ed25519"), "signing": self.key, "encryption": self.key}.items():
            pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
            (folder / f"{name}-key.pem").write_bytes(pem)
        return folder

    def bank(self, url):
        return self.Bank(url, self.folder(), self.retry)

    def post(self, server):
        return self.App(server.url, self.bank(server.url), "alice").post("pin-distribution/captcha", {"bankId": "B"})

    def put(self, server):
        return self.bank(server.url).call("PUT", "cardholders/dave", b'{"status": "ACTIVE"}')

    def test_the_app_sends_the_same_bytes_again(self):
        server = Server(self, OVERLOADED, OVERLOADED, GOOD)
        self.assertEqual(self.post(server)["errorCode"], 0)
        self.assertEqual((len(server.requests), self.waits), (3, [1, 1]))
        self.assertEqual({request[3] for request in server.requests}, {b'{"bankId": "B"}'})

    def test_the_app_gets_the_third_answer(self):
        server = Server(self, OVERLOADED)
        with self.assertRaises(HTTPError) as raised:
            self.post(server)
        self.assertEqual((raised.exception.code, len(server.requests)), (503, 3))

    def test_the_bank_signs_again(self):
        server = Server(self, OVERLOADED, OVERLOADED, GOOD)
        self.assertEqual(self.put(server)[1], GOOD[2])
        self.assertEqual((len(server.requests), self.waits), (3, [1, 1]))
        self.assertEqual(len({(method, path, body) for method, path, _, body in server.requests}), 1)
        inputs = {headers["Signature-Input"].partition("nonce=")[2] for _, _, headers, _ in server.requests}
        self.assertEqual(len(inputs), 3, "each has a nonce of its own")

    def test_the_bank_gets_the_third_answer(self):
        server = Server(self, OVERLOADED)
        with self.assertRaises(SystemExit) as raised:
            self.put(server)
        self.assertIn("503", str(raised.exception))
        self.assertIn("problem:overloaded", str(raised.exception))
        self.assertEqual(len(server.requests), 3)

    def test_nothing_else_is_sent_again(self):
        for name, answer in OTHERS.items():
            for send in (self.post, self.put):
                server = Server(self, answer)
                with self.assertRaises((HTTPError, SystemExit), msg=name):
                    send(server)
                self.assertEqual((len(server.requests), self.waits), (1, []), name)

    def script(self, name, server, *arguments):
        """Runs a script with a `sleep` that does not wait. Returns what it says on standard error, and the waits."""
        folder = self.folder()
        (folder / "bin").mkdir()
        sleep = folder / "bin" / "sleep"
        sleep.write_text(f'#!/bin/sh\necho "$1" >>"{folder}/waits"\n')
        sleep.chmod(0o755)
        (folder / "waits").touch()
        environment = os.environ | {"PATH": f"{folder}/bin{os.pathsep}{os.environ['PATH']}"}
        command = ["sh", str(ROOT / "examples" / name), server.url, str(folder), *arguments]
        result = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)
        self.assertEqual(result.returncode, 1, result.stderr)
        return result.stderr, [float(line) for line in (folder / "waits").read_text().split()]

    def test_the_script_of_the_app_sends_the_same_bytes_again(self):
        refused = (200, {"Content-Type": "application/json"}, b'{"errorCode": 203, "errorMessage": "made up"}')
        server = Server(self, OVERLOADED, OVERLOADED, refused)
        text, waits = self.script("first-pin.sh", server, "alice", "pin.png")
        self.assertIn("203 made up", text)
        self.assertEqual((len(server.requests), len({body for *_, body in server.requests})), (3, 1))
        self.assertTrue(len(waits) == 2 and all(1 <= wait <= 3 for wait in waits), waits)

    def test_the_script_of_the_bank_signs_again_and_gets_the_third_answer(self):
        for retry_after, low, high in ((None, 0.5, 1.5), ("soon", 0.5, 1.5), ("0", 0.5, 1.5), ("4", 2, 6), ("70", 2.5, 7.5)):
            fields = {"CONTENT-TYPE": f"{MEDIA_TYPE}; charset=utf-8"} | ({"retry-after": retry_after} if retry_after else {})
            server = Server(self, (503, fields, PROBLEM))
            text, waits = self.script("bank.sh", server)
            self.assertIn("problem:overloaded", text)
            self.assertEqual(len({headers["Signature"] for _, _, headers, _ in server.requests}), 3)
            self.assertTrue(len(waits) == 2 and all(low <= wait <= high for wait in waits), (retry_after, waits))

    def test_the_scripts_send_nothing_else_again(self):
        for name, answer in OTHERS.items():
            for script, arguments in (("bank.sh", []), ("first-pin.sh", ["alice", "pin.png"])):
                server = Server(self, answer)
                _, waits = self.script(script, server, *arguments)
                self.assertEqual((len(server.requests), waits), (1, []), name)


if __name__ == "__main__":
    unittest.main()
