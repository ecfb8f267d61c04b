"""Runs the tests' scripts without a start of Python for each of them.

    python3 server.py SOCKET

It listens at the path SOCKET, and writes a line when it does. Each connection sends one JSON object: script, command and input. A
process of its own, which has the libraries already, runs the script as if somebody had started it with the command and this
standard input. The answer is a JSON object: the exit status and the standard output. The end of this process's own standard input
ends it.
"""

import contextlib
import gc
import importlib
import io
import json
import os
import runpy
import select
import socketserver
import sys
import traceback

# What takes longest to load in the scripts. It is loaded once, before the processes.
LIBRARIES = [
    "asn1crypto.cms", "asyncio", "cryptography.hazmat.primitives.asymmetric.ec", "cryptography.hazmat.primitives.asymmetric.rsa",
    "cryptography.hazmat.primitives.ciphers.aead", "cryptography.hazmat.primitives.serialization.pkcs12", "cryptography.x509",
    "h2.connection", "jwcrypto.jwe", "psec.pinblock", "psec.tr31", "websockets.asyncio.client",
]


class Question(socketserver.StreamRequestHandler):
    def handle(self):
        question = json.load(self.rfile)
        output = io.StringIO()
        status = 0
        sys.argv = [question["script"], question["command"]]
        sys.path.insert(0, os.path.dirname(question["script"]))
        sys.stdin = io.StringIO(question["input"])
        try:
            with contextlib.redirect_stdout(output):
                runpy.run_path(question["script"], run_name="__main__")
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
        except BaseException:  # it is the answer
            traceback.print_exc()
            status = 1
        self.wfile.write(json.dumps({"status": status, "output": output.getvalue()}).encode())


class Server(socketserver.ForkingMixIn, socketserver.UnixStreamServer):
    max_children = 64
    request_queue_size = 64

    def service_actions(self):
        super().service_actions()
        if select.select([sys.stdin], [], [], 0)[0] and not sys.stdin.buffer.read1():
            sys.exit()


def main():
    with Server(sys.argv[1], Question) as server:
        for name in LIBRARIES:
            importlib.import_module(name)
        # The processes need not look for garbage in the libraries.
        gc.freeze()
        print("listening", flush=True)
        try:
            server.serve_forever(poll_interval=0.5)
        finally:
            os.unlink(sys.argv[1])


if __name__ == "__main__":
    main()
