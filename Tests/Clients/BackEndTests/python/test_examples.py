"""What the examples say if something is missing: one line, and no traceback."""

import json
import secrets
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from project import ROOT, private_key

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

EXAMPLES = ROOT / "examples"
ARGUMENTS = {"app.py": 4, "bank.py": 2, "own_bank.py": 3, "receiver.py": 2, "verify_audit.py": 2}
PATIENCE_SECONDS = 120
# Nobody listens there: the port is held by this process, which does not listen.
HELD = socket.socket()
HELD.bind(("127.0.0.1", 0))
NOBODY = f"http://127.0.0.1:{HELD.getsockname()[1]}"


def run(name, *arguments, options=()):
    command = [sys.executable, "-B", *options, str(EXAMPLES / name), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)


class ExampleTests(unittest.TestCase):
    def check(self, result, status, *words):
        """One line on standard error that has these words, and this status."""
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)


class ArgumentTests(ExampleTests):
    def test_help(self):
        for name, count in ARGUMENTS.items():
            with self.subTest(name):
                result = run(name, "--help")
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                self.assertIn(f"usage: {name}", result.stdout)
                self.assertIn(f"python3 examples/{name}", result.stdout + (EXAMPLES / name).read_text())

    def test_missing_arguments(self):
        for name in ARGUMENTS.keys() - {"verify_audit.py"}:
            with self.subTest(name):
                self.check(run(name), 2, f"{name}: ", "are required: url", "--help")

    def test_wrong_arguments(self):
        self.check(run("bank.py", "127.0.0.1:8080", "."), 2, "must begin with http:// or https://")
        for port in ("x", "65536", "-"):
            self.check(run("receiver.py", NOBODY, port), 2, "must be a number from 0 to 65535")
        self.check(run("receiver.py", "http://pin.example.com", "0"), 1, "must begin with https://")

    def test_missing_packages(self):
        """Without site-packages."""
        for name in ARGUMENTS:
            with self.subTest(name):
                status = 2 if name == "verify_audit.py" else 1
                self.check(run(name, "x", options=["-S"]), status, f"{name}: ", "is missing: run 'pip install cryptography")


class FileAndServerTests(ExampleTests):
    """With a bank's folder of this test, and a server that is another one."""

    @classmethod
    def setUpClass(cls):
        cls.key = rsa.generate_private_key(65537, 2048)

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        names = {"bankId": "B", "issuerKeyId": "k", "authenticationCodes": {"alice": "K7P2M9"}}
        (self.folder / "sandbox.json").write_text(json.dumps(names))
        (self.folder / "hmac.hex").write_text(secrets.token_hex(32))
        for name, key in {"issuer": private_key("back-end-ed25519"), "signing": self.key, "encryption": self.key}.items():
            pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
            (self.folder / f"{name}-key.pem").write_bytes(pem)

    def serve(self, status, content):
        """A server that answers everything so."""

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_POST = do_PUT = do_GET

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}"

    def app(self, url, cardholder="alice", image=None):
        return run("app.py", url, self.folder, cardholder, image or self.folder / "pin.png")

    def test_missing_folder_and_files(self):
        self.check(run("bank.py", NOBODY, self.folder / "none"), 1, "bank.py: ", "none/sandbox.json: No such file or directory")
        (self.folder / "signing-key.pem").unlink()
        self.check(self.app(NOBODY), 1, "app.py: ", "signing-key.pem: No such file or directory")

    def test_files_that_are_wrong(self):
        for name, content in {"sandbox.json": "no JSON", "hmac.hex": "no hex", "issuer-key.pem": "no key"}.items():
            path = self.folder / name
            before = path.read_bytes()
            path.write_text(content)
            with self.subTest(name):
                self.check(run("bank.py", NOBODY, self.folder), 1, f"the bank's files in {self.folder} cannot be used")
            path.write_bytes(before)
        (self.folder / "sandbox.json").write_text("{}")
        self.check(run("bank.py", NOBODY, self.folder), 1, "bankId")

    def test_unknown_cardholder(self):
        self.check(self.app(NOBODY, cardholder="zoe"), 1, "has no cardholder zoe: name one of alice")

    def test_an_image_that_cannot_be_written(self):
        self.check(self.app(NOBODY, image=self.folder / "none" / "pin.png"), 1, "none/pin.png: No such file or directory")

    def test_nobody_listens(self):
        self.check(run("bank.py", NOBODY, self.folder), 1, "bank.py: ", "Connection refused")
        self.check(self.app(NOBODY), 1, "app.py: ", "Connection refused", "make run")
        self.check(run("own_bank.py", NOBODY, self.folder, self.folder / "pin.png"), 1, "own_bank.py: ", "Connection refused")

    def test_a_port_in_use(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.check(run("receiver.py", NOBODY, listener.getsockname()[1]), 1, "receiver.py: the port is in use")

    def test_another_server_answers(self):
        url = self.serve(404, b"<html>\nnot found\n</html>")
        self.check(run("bank.py", url, self.folder), 1, "cannot be fetched", "Not Found")
        self.check(self.app(url), 1, "answered 404", "card-companion")
        url = self.serve(200, b"<html>\n</html>")
        self.check(run("bank.py", url, self.folder), 1, "cannot be fetched")
        self.check(self.app(url), 1, "is not JSON", "card-companion")

    def test_an_answer_that_is_no_success(self):
        url = self.serve(200, b'{"errorCode": 110, "errorMessage": "made up"}')
        self.check(self.app(url), 1, "pin-distribution/captcha", "110", "made up")
        self.check(self.app(self.serve(200, b"[]")), 1, "the answer is no success: []")


if __name__ == "__main__":
    unittest.main()
