"""A bank's webhook: takes events, and remembers which."""

import http.server
import json
import threading


class Hooks:
    def __init__(self, refused=0):
        """The first `refused` events are answered 503. They come again."""
        self.ids, self.refused = set(), refused
        hooks = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                hooks.refused -= 1
                if hooks.refused < 0:
                    hooks.ids.add(event["id"])
                self.send_response(204 if hooks.refused < 0 else 503)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{server.server_port}/events"
