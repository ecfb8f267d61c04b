"""Clients of WebSockets that know nothing of our server: Python's websockets, and plain sockets for what it would never send.

The command-line argument names the function. Standard input is its arguments, as a JSON object of strings. Standard output is the
result, in the same format; lists are JSON texts.
"""

import asyncio
import base64
import json
import os
import socket
import ssl
import struct
import sys
import time

import h2.config
import h2.connection
import h2.events
import websockets.asyncio.client
import websockets.exceptions
import websockets.sync.client

# Longer than any limit that a test waits for.
PATIENCE_SECONDS = 180
# For what a test does before it makes a file.
FILE_SECONDS = 240
# For what is left of a connection that the server has closed.
REST_SECONDS = 5
PATH = "/ws2/validate"


def tls_context(protocol="http/1.1"):
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols([protocol])
    return context


# Python's websockets


def connect(arguments):
    secure = arguments.get("tls") == "yes"
    return websockets.sync.client.connect(
        f"{'wss' if secure else 'ws'}://127.0.0.1:{arguments['port']}{PATH}",
        ssl=tls_context() if secure else None,
        additional_headers=json.loads(arguments.get("headers", "{}")),
        origin=arguments.get("origin"),
        max_size=None,
        open_timeout=PATIENCE_SECONDS,
        close_timeout=PATIENCE_SECONDS,
        proxy=None,
    )


def speak(arguments):
    """Does the steps one after the other, then reads until the server closes. Each step is one of: text, json, binary (hex),
    textFragments (a list of texts), binaryFragments (a list of hex), ping, receive (how many messages), close (a code),
    closeWith (a code and a reason), drop."""
    try:
        socket = connect(arguments)
    except websockets.exceptions.InvalidStatus as error:
        return {
            "status": str(error.response.status_code),
            "retryAfter": error.response.headers.get("Retry-After", ""),
        }
    result = {"status": "101", "extensions": str(len(socket.protocol.extensions))}
    messages = []
    try:
        for step in json.loads(arguments["steps"]):
            if take(step, socket, messages):
                return result | {"messages": json.dumps(messages)}
    except websockets.exceptions.ConnectionClosed:
        pass
    try:
        while True:
            messages.append(described(socket.recv(timeout=PATIENCE_SECONDS)))
    except websockets.exceptions.ConnectionClosed:
        pass
    return result | {
        "messages": json.dumps(messages),
        "code": str(socket.protocol.close_code),
        "reason": socket.protocol.close_reason or "",
    }


def take(step, socket, messages):
    """Returns whether nothing more is to be done."""
    (kind, value), = step.items()
    if kind == "text":
        socket.send(value)
    elif kind == "json":
        socket.send(json.dumps(value))
    elif kind == "binary":
        socket.send(bytes.fromhex(value))
    elif kind == "textFragments":
        socket.send(iter(value))
    elif kind == "binaryFragments":
        socket.send(bytes.fromhex(part) for part in value)
    elif kind == "ping":
        assert socket.ping(value).wait(PATIENCE_SECONDS)
    elif kind == "receive":
        messages += [described(socket.recv(timeout=PATIENCE_SECONDS)) for _ in range(value)]
    elif kind == "close":
        socket.close(value)
    elif kind == "closeWith":
        socket.close(*value)
    elif kind == "drop":
        # The connection is lost: it ends without a close frame. The thread of websockets also has the socket.
        socket.socket.shutdown(2)
        return True
    else:
        raise ValueError(kind)
    return False


def described(message):
    return {"text": message} if isinstance(message, str) else {"binary": message.hex()}


def many(arguments):
    """Opens many sessions, lets all of them wait for each other, and ends them."""
    return asyncio.run(many_sessions(int(arguments["port"]), int(arguments["count"]), arguments["start"]))


async def many_sessions(port, count, start):
    everybody = asyncio.Barrier(count)
    narrow = asyncio.Semaphore(50)
    ended = []

    async def session():
        async with narrow:
            client = await websockets.asyncio.client.connect(
                f"ws://127.0.0.1:{port}{PATH}", compression=None, open_timeout=PATIENCE_SECONDS, proxy=None,
                ping_interval=None)
            await client.send(start)
            accepted = json.loads(await client.recv())["type"] == "ACCEPT"
        await everybody.wait()
        await client.send(json.dumps({"type": "FINISH", "sendResult": False}))
        closing = json.loads(await client.recv())
        await client.wait_closed()
        ended.append(accepted and closing["type"] == "CLOSE" and client.close_code == 1000)

    await asyncio.gather(*(session() for _ in range(count)))
    return {"ended": str(sum(ended))}


def starts(arguments):
    """Begins sessions at once, and counts the answers to START: ACCEPT, or the reason of CLOSE."""
    return asyncio.run(started(int(arguments["port"]), int(arguments["count"]), arguments["start"]))


async def started(port, count, start):
    async def answer():
        async with websockets.asyncio.client.connect(
            f"ws://127.0.0.1:{port}{PATH}", open_timeout=PATIENCE_SECONDS, proxy=None
        ) as client:
            await client.send(start)
            message = json.loads(await client.recv())
            return message.get("reason", message["type"])

    answers = await asyncio.gather(*(answer() for _ in range(count)))
    return {answer: str(answers.count(answer)) for answer in answers}


# Plain sockets


def open_socket(arguments):
    plain = socket.socket()
    if "receiveBuffer" in arguments:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, int(arguments["receiveBuffer"]))
    plain.settimeout(PATIENCE_SECONDS)
    plain.connect(("127.0.0.1", int(arguments["port"])))
    return tls_context().wrap_socket(plain) if arguments.get("tls") == "yes" else plain


def opening(arguments):
    key = base64.b64encode(os.urandom(16)).decode()
    return (
        f"GET {PATH} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
    ).encode()


def raw(arguments):
    """Opens a WebSocket, sends bytes (hex, or hex that is repeated), and reads frames until the end."""
    plain = open_socket(arguments)
    plain.sendall(bytes.fromhex(arguments.get("before", "")) + opening(arguments))
    head = b""
    for _ in range(int(arguments.get("answersBefore", "0")) + 1):
        while b"\r\n\r\n" not in head:
            head += plain.recv(1)
        status, head = head.split(b" ")[1], head.split(b"\r\n\r\n", 1)[1]
        if status != b"101":
            while b"}" not in head:
                head += plain.recv(1)
            head = head.split(b"}", 1)[1]
    try:
        for _ in range(int(arguments.get("repeat", "1"))):
            plain.sendall(bytes.fromhex(arguments["hex"]))
    except OSError:
        pass
    if arguments.get("halfClose") == "yes":
        plain.shutdown(socket.SHUT_WR)
    return {"frames": json.dumps(frames(received(plain)))}


def received(plain, ends=(ConnectionResetError,)):
    data = b""
    try:
        while chunk := plain.recv(65536):
            data += chunk
    except ends:
        pass
    return data


def frames(data):
    found = []
    while len(data) >= 2:
        (length,), start = (data[1:2], 2)
        if length == 126:
            length, start = struct.unpack(">H", data[2:4])[0], 4
        elif length == 127:
            length, start = struct.unpack(">Q", data[2:10])[0], 10
        found.append([data[0], data[start:start + length].hex()])
        data = data[start + length:]
    return found


def unread(arguments):
    """Sends a frame (hex), reads the answer, sends another one, and reads nothing more until the file says that the server has
    given up. Says how much had come. The kernel may never say that such a connection has ended."""
    plain = open_socket(arguments)
    plain.sendall(opening(arguments))
    head = b""
    while b"\r\n\r\n" not in head:
        head += plain.recv(1)
    plain.sendall(bytes.fromhex(arguments["hex"]))
    plain.recv(1)
    plain.sendall(bytes.fromhex(arguments["then"]))
    wait_for(arguments["file"])
    plain.settimeout(REST_SECONDS)
    return {"read": str(len(received(plain, (ConnectionResetError, TimeoutError))))}


def wait_for(path):
    end = time.monotonic() + FILE_SECONDS
    while not os.path.exists(path):
        assert time.monotonic() < end, "the file never came"
        time.sleep(0.05)


def openings(arguments):
    """Opens WebSockets one after the other, and counts the statuses."""
    sockets = [open_socket(arguments) for _ in range(int(arguments["count"]))]
    for plain in sockets:
        plain.sendall(opening(arguments))
    statuses = [plain.recv(12).decode()[-3:] for plain in sockets]
    return {status: str(statuses.count(status)) for status in statuses}


def request(arguments):
    """Sends a request as it is, and says what the first answer is, and whether the connection ends after it."""
    plain = open_socket(arguments)
    plain.sendall(arguments["request"].encode())
    answer = received(plain).decode(errors="replace")
    head, _, body = answer.partition("\r\n\r\n")
    lines = head.split("\r\n")
    fields = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])}
    return {
        "status": lines[0].split(" ")[1], "upgrade": fields.get("upgrade", ""), "type": fields.get("content-type", ""),
        "version": fields.get("sec-websocket-version", ""), "accept": fields.get("sec-websocket-accept", ""),
        "connection": fields.get("connection", ""), "body": body,
    }


def http2(arguments):
    """GET of the end point over HTTP/2."""
    plain = tls_context("h2").wrap_socket(socket.create_connection(("127.0.0.1", int(arguments["port"]))))
    plain.settimeout(PATIENCE_SECONDS)
    connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True, header_encoding="utf-8"))
    connection.initiate_connection()
    connection.send_headers(
        1, [(":method", "GET"), (":scheme", "https"), (":authority", "x"), (":path", PATH)], end_stream=True)
    plain.sendall(connection.data_to_send())
    status, body = "", b""
    while True:
        for event in connection.receive_data(plain.recv(65536)):
            if isinstance(event, h2.events.ResponseReceived):
                status = dict(event.headers)[":status"]
            elif isinstance(event, h2.events.DataReceived):
                body += event.data
            elif isinstance(event, h2.events.StreamEnded):
                return {"status": status, "body": body.decode()}
            elif isinstance(event, h2.events.StreamReset):
                return {"status": "reset"}
        plain.sendall(connection.data_to_send())


if __name__ == "__main__":
    functions = {f.__name__: f for f in (speak, many, starts, raw, unread, openings, request, http2)}
    print(json.dumps(functions[sys.argv[1]](json.load(sys.stdin))))
