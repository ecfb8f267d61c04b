"""The webhook receiver, as a WSGI application of a real server."""

import http.client
import json
import logging
import threading
import unittest
from wsgiref.simple_server import WSGIRequestHandler, make_server

from project import ANY_AGE_SECONDS, JWKS, SERVER_URL, VECTORS, Lines, webhook

from card_companion_backend import ServerKeys, SignatureVerifier, WebhookReceiver

PATIENCE_SECONDS = 60


class QuietHandler(WSGIRequestHandler):
    def log_message(self, *_):
        pass


class ReceiverTests(unittest.TestCase):
    def setUp(self):
        self.event = webhook("an event")
        self.events, self.failure, self.fetch = [], None, lambda _: JWKS
        verifier = SignatureVerifier(ServerKeys(SERVER_URL, fetch=lambda url: self.fetch(url)), ANY_AGE_SECONDS)
        receiver = WebhookReceiver(self.event.url, verifier, self.take, body_limit_bytes=1000)
        self.server = make_server("127.0.0.1", 0, receiver, handler_class=QuietHandler)
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()
        logging.disable(logging.CRITICAL)

    def tearDown(self):
        logging.disable(logging.NOTSET)
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def take(self, event):
        if self.failure:
            raise self.failure
        self.events.append(event)

    def send(self, body, fields=(), method="POST", path="/events"):
        """Sends a request, and returns the status of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_port, timeout=PATIENCE_SECONDS)
        connection.putrequest(method, path)
        for name, value in fields:
            connection.putheader(name, value)
        connection.endheaders(body)
        # The rest of a body is not coming.
        connection.sock.shutdown(1)
        try:
            return connection.getresponse().status
        finally:
            connection.close()

    def send_event(self, vector=None, body=None, **options):
        vector = vector or self.event
        body = body or vector.body.encode()
        return self.send(body, [*Lines(vector.fields).items(), ("Content-Length", str(len(body)))], **options)

    def test_an_event_is_taken(self):
        self.assertEqual(self.send_event(), 204)
        self.assertEqual(self.events, [json.loads(self.event.body)])

    def test_the_registered_url_counts_not_that_of_the_request(self):
        """A proxy can pass it on to another path."""
        self.assertEqual(self.send_event(path="/behind/the/proxy"), 204)

    def test_an_event_of_somebody_else_is_refused(self):
        refused = 0
        for vector in VECTORS["webhooks"]:
            if vector["verdict"] == "invalid" and vector["url"] == self.event.url:
                with self.subTest(vector["name"]):
                    self.assertEqual(self.send_event(webhook(vector["name"])), 401)
                    refused += 1
        self.assertGreater(refused, 30)
        self.assertEqual(self.events, [])

    def test_an_unsigned_request_is_refused(self):
        self.assertEqual(self.send(b"{}", [("Content-Length", "2")]), 401)

    def test_a_large_body_is_refused_unread(self):
        for length in ("1001", "99999999999999999999999999"):
            self.assertEqual(self.send(b"", [*Lines(self.event.fields).items(), ("Content-Length", length)]), 413)

    def test_a_body_without_a_right_length_is_refused(self):
        for fields in ([], [("Content-Length", "x")], [("Content-Length", "-1")], [("Content-Length", "+2")],
                       [("Content-Length", "2"), ("Transfer-Encoding", "chunked")]):
            with self.subTest(fields):
                self.assertEqual(self.send(b"", fields), 411)

    def test_a_body_that_is_cut_off_is_refused(self):
        body = self.event.body.encode()
        self.assertEqual(self.send(body[:-1], [*Lines(self.event.fields).items(), ("Content-Length", str(len(body)))]), 400)
        self.assertEqual(self.events, [])

    def test_other_methods_are_refused(self):
        for method in ("GET", "PUT", "DELETE"):
            self.assertEqual(self.send(b"", [("Content-Length", "0")], method=method), 405)

    def test_an_event_that_was_not_taken_comes_again(self):
        self.failure = RuntimeError("the database is down")
        logging.disable(logging.NOTSET)
        with self.assertLogs("card_companion_backend.webhook", "ERROR"):
            self.assertEqual(self.send_event(), 500)
        self.failure = None
        self.assertEqual(self.send_event(), 204)

    def test_without_the_servers_keys_the_event_comes_again(self):
        def fail(_):
            raise ConnectionRefusedError("refused")

        self.fetch = fail
        logging.disable(logging.NOTSET)
        with self.assertLogs("card_companion_backend.webhook", "ERROR") as lines:
            self.assertEqual(self.send_event(), 503)
        self.assertIn("refused", lines.output[0])

    def test_the_log_says_why_and_not_what(self):
        logging.disable(logging.NOTSET)
        with self.assertLogs("card_companion_backend.webhook", "WARNING") as lines:
            self.assertEqual(self.send_event(body=self.event.body.replace("DEMOBANK", "OTHERS-SECRET").encode()), 401)
        self.assertIn("Content-Digest does not match", lines.output[0])
        self.assertNotIn("OTHERS-SECRET", lines.output[0])


if __name__ == "__main__":
    unittest.main()
