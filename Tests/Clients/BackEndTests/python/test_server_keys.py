"""The server's keys: when they are fetched, and what is refused."""

import json
import threading
import unittest
from http.client import BadStatusLine, IncompleteRead
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from project import JWKS, SERVER_URL, VECTORS

from card_companion_backend import KeysUnavailable, ServerKeys

KEYS = {key["name"]: key["jwk"] for key in VECTORS["serverKeys"]}
OLD, NEW = KEYS["server-signing"], KEYS["server-signing-next"]


class Server:
    """A server's keys, and a clock that a test moves."""

    def __init__(self, *keys):
        self.keys, self.fetches, self.seconds, self.failure = list(keys), 0, 0.0, None

    def fetch(self, url):
        assert url == f"{SERVER_URL}/.well-known/jwks.json"
        self.fetches += 1
        if self.failure:
            raise self.failure
        return json.dumps({"keys": self.keys}).encode()

    def client(self):
        return ServerKeys(SERVER_URL, fetch=self.fetch, clock=lambda: self.seconds)


class FetchingTests(unittest.TestCase):
    def test_known_keys_are_fetched_once(self):
        server = Server(OLD, NEW)
        keys = server.client()
        for _ in range(3):
            self.assertIsNotNone(keys.signing_key(OLD["kid"]))
            self.assertIsNotNone(keys.signing_key(NEW["kid"]))
        self.assertEqual(server.fetches, 1)

    def test_a_new_key_is_fetched(self):
        server = Server(OLD)
        keys = server.client()
        keys.signing_key(OLD["kid"])
        server.keys.append(NEW)
        server.seconds = 10
        self.assertIsNotNone(keys.signing_key(NEW["kid"]))
        self.assertEqual(server.fetches, 2)

    def test_an_unknown_key_is_not_fetched_again_and_again(self):
        server = Server(OLD)
        keys = server.client()
        for second in range(30):
            server.seconds = second
            for number in range(10):
                self.assertIsNone(keys.signing_key(f"unknown {number}"))
        self.assertEqual(server.fetches, 3)
        self.assertIsNotNone(keys.signing_key(OLD["kid"]))

    def test_a_withdrawn_key_does_not_count_for_long(self):
        server = Server(OLD)
        keys = server.client()
        self.assertIsNotNone(keys.signing_key(OLD["kid"]))
        server.keys = [NEW]
        server.seconds = 3599
        self.assertIsNotNone(keys.signing_key(OLD["kid"]))
        server.seconds = 3600
        self.assertIsNone(keys.signing_key(OLD["kid"]))

    def test_a_failure_counts_for_some_seconds(self):
        server = Server(OLD)
        keys = server.client()
        server.failure = ConnectionRefusedError("refused")
        for _ in range(3):
            with self.assertRaisesRegex(KeysUnavailable, "cannot be fetched from https://pin.example.com/.*: refused"):
                keys.signing_key(OLD["kid"])
        self.assertEqual(server.fetches, 1)
        server.failure, server.seconds = None, 10
        self.assertIsNotNone(keys.signing_key(OLD["kid"]))

    def test_an_answer_that_is_no_http_is_a_failure_to_fetch(self):
        for failure in (IncompleteRead(b""), BadStatusLine("x"), RecursionError("too deep")):
            server = Server(OLD)
            keys = server.client()
            server.failure = failure
            with self.assertRaises(KeysUnavailable):
                keys.signing_key(OLD["kid"])

    def test_known_keys_count_while_a_fetch_fails(self):
        server = Server(OLD)
        keys = server.client()
        keys.signing_key(OLD["kid"])
        server.failure, server.seconds = TimeoutError("late"), 100
        with self.assertRaises(KeysUnavailable):
            keys.signing_key("unknown")
        self.assertIsNotNone(keys.signing_key(OLD["kid"]))

    def test_threads_share_one_fetch(self):
        server = Server(OLD)
        keys = server.client()
        threads = [threading.Thread(target=keys.signing_key, args=(OLD["kid"],)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(server.fetches, 1)

    def test_the_first_encryption_key_is_used(self):
        server = Server(OLD, KEYS["server-encryption"])
        self.assertEqual(server.client().encryption_key()["kid"], KEYS["server-encryption"]["kid"])
        with self.assertRaisesRegex(KeysUnavailable, "has no key"):
            Server(OLD).client().encryption_key()


class RefusalTests(unittest.TestCase):
    def test_keys_for_something_else_are_unknown(self):
        self.assertIsNone(Server(KEYS["server-encryption"]).client().signing_key(KEYS["server-encryption"]["kid"]))

    def test_keys_that_cannot_be_read_are_refused(self):
        zero = "A" * 43
        for change in ({"kty": "RSA"}, {"crv": "P-384"}, {"alg": "ES384"}, {"x": zero, "y": zero}, {"x": "#"}, {"y": 1}):
            with self.subTest(change), self.assertRaisesRegex(KeysUnavailable, "cannot be read"):
                Server(OLD | change).client().signing_key(OLD["kid"])

    def test_answers_without_keys_are_refused(self):
        for content in (b"", b"<html>", b"[]", b"{}", b'{"keys":{}}', b'{"keys":[1]}', b"\xff"):
            keys = ServerKeys(SERVER_URL, fetch=lambda _, content=content: content)
            with self.subTest(content), self.assertRaises(KeysUnavailable):
                keys.signing_key(OLD["kid"])

    def test_only_https_and_this_device_are_allowed(self):
        for url in ("http://pin.example.com", "pin.example.com", "ftp://pin.example.com", "https://", "file:///keys", ""):
            with self.subTest(url), self.assertRaisesRegex(ValueError, "must begin with https://"):
                ServerKeys(url)
        for url in ("https://pin.example.com:8443", "http://127.0.0.1:8080", "http://localhost:8080/", "http://[::1]:8080"):
            ServerKeys(url)


class HTTPTests(unittest.TestCase):
    """The keys come over HTTP, from a server of this test."""

    def setUp(self):
        test = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                test.asked.append(self.path)
                self.send_response(test.status)
                self.send_header("Location", "/elsewhere")
                self.end_headers()
                self.wfile.write(test.content)

            def log_message(self, *_):
                pass

        self.asked, self.status, self.content = [], 200, JWKS
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()
        self.keys = ServerKeys(f"http://127.0.0.1:{self.server.server_port}/")

    def tearDown(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def test_keys_are_fetched(self):
        self.assertIsNotNone(self.keys.signing_key(OLD["kid"]))
        self.assertEqual(self.asked, ["/.well-known/jwks.json"])

    def test_other_answers_and_redirects_are_refused(self):
        for status in (204, 302, 307, 404, 500):
            self.status, self.content = status, b""
            keys = ServerKeys(f"http://127.0.0.1:{self.server.server_port}")
            with self.subTest(status), self.assertRaises(KeysUnavailable):
                keys.signing_key(OLD["kid"])
        self.assertEqual(set(self.asked), {"/.well-known/jwks.json"})

    def test_a_large_answer_is_refused(self):
        self.content = JWKS + b" " * (1 << 20)
        with self.assertRaisesRegex(KeysUnavailable, "more than 1048576 bytes"):
            self.keys.signing_key(OLD["kid"])


if __name__ == "__main__":
    unittest.main()
