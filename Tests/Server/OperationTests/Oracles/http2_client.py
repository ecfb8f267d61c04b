"""A client of HTTP/2 with Python's h2, which knows nothing of our server.

The command-line argument names the function. Standard input is its arguments, as a JSON object of strings. Standard
output is the result, in the same format.
"""

import contextlib
import json
import os
import signal
import socket
import ssl
import struct
import sys
import time
from random import Random

import h2.config
import h2.connection
import h2.events
import h2.exceptions
import h2.settings
import hpack

# Longer than any limit that a test waits for.
PATIENCE_SECONDS = 180


class Connection:
    """One connection. The events of its streams are kept: {stream: {"status", "body", "reset"}}."""

    def __init__(self, port, window=None):
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.set_alpn_protocols(["h2"])
        self.socket = context.wrap_socket(socket.create_connection(("127.0.0.1", int(port))))
        assert self.socket.selected_alpn_protocol() == "h2"
        self.authority = f"127.0.0.1:{port}"
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True, header_encoding="utf-8"))
        self.streams = {}
        self.goaway = False
        self.isClosed = False
        self.h2.initiate_connection()
        if window is not None:
            self.h2.update_settings({h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: window})
        self.flush()

    def flush(self):
        data = self.h2.data_to_send()
        if data:
            try:
                self.socket.sendall(data)
            except OSError:
                self.isClosed = True

    def request(self, method, path, body=None, announced=None, fields=()):
        """Begins a request. If 'announced' is given, its body has this length, and only 'body' of it is sent."""
        stream = self.h2.get_next_available_stream_id()
        headers = [(":method", method), (":scheme", "https"), (":authority", self.authority), (":path", path)]
        headers += fields
        if body is not None:
            length = len(body) if announced is None else announced
            headers.append(("content-length", str(length)))
            if not any(name == "content-type" for name, _ in fields):
                headers.append(("content-type", "application/json"))
        self.h2.send_headers(stream, headers, end_stream=body is None)
        if body is not None:
            self.h2.send_data(stream, body, end_stream=announced is None)
        self.streams[stream] = {"status": "", "body": b"", "reset": False, "ended": False}
        self.flush()
        return stream

    def read_until(self, isDone, seconds=PATIENCE_SECONDS):
        """Reads until a condition holds, the connection ends, or the time is over."""
        end = time.monotonic() + seconds
        while not self.isClosed and not isDone():
            left = end - time.monotonic()
            if left <= 0:
                return
            self.socket.settimeout(left)
            try:
                data = self.read_frame()
            except TimeoutError:
                return
            if not data:
                self.isClosed = True
                return
            try:
                for event in self.h2.receive_data(data):
                    self.receive(event)
            except h2.exceptions.ProtocolError:
                # This library takes nothing after GOAWAY, not even the PING that comes with it.
                if not self.goaway:
                    raise
            self.flush()

    def read_frame(self):
        """One frame, so that an error in it costs no event of the frames before (RFC 9113 section 4.1)."""
        head = self.read_exactly(9)
        return head and head + self.read_exactly(int.from_bytes(head[:3]))

    def read_exactly(self, count):
        data = b""
        while len(data) < count:
            try:
                part = self.socket.recv(count - len(data))
            except TimeoutError:
                raise
            except OSError:
                part = b""
            if not part:
                return b""
            data += part
        return data

    def receive(self, event):
        stream = self.streams.get(getattr(event, "stream_id", None))
        match event:
            case h2.events.ResponseReceived():
                stream["status"] = dict(event.headers)[":status"]
            case h2.events.DataReceived():
                stream["body"] += event.data
                self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            case h2.events.StreamEnded():
                stream["ended"] = True
            case h2.events.StreamReset():
                stream["reset"] = True
            case h2.events.ConnectionTerminated():
                self.goaway = True

    def isOver(self, stream):
        return self.streams[stream]["ended"] or self.streams[stream]["reset"]

    def wait_for(self, stream):
        self.read_until(lambda: self.isOver(stream))
        return self.streams[stream]


def post(arguments):
    """Two requests at once on one connection: the health check, and a post of JSON."""
    connection = Connection(arguments["port"])
    health = connection.request("GET", "/health/live")
    posted = connection.request("POST", arguments["path"], arguments["body"].encode())
    health, posted = connection.wait_for(health), connection.wait_for(posted)
    return {"health": health["status"], "status": posted["status"], "body": posted["body"].decode()}


def hosts(arguments):
    """A request with fields Host beside :authority. This library would not send two that differ."""
    connection = Connection(arguments["port"])
    connection.h2.config.validate_outbound_headers = False
    connection.h2.config.normalize_outbound_headers = False
    fields = [("host", host) for host in arguments["hosts"].split()]
    answer = connection.wait_for(connection.request("GET", "/health/live", fields=fields))
    return {"status": answer["status"], "body": answer["body"].decode()}


def slow_body(arguments):
    """A body that does not come, and another request on the same connection afterwards."""
    connection = Connection(arguments["port"])
    slow = connection.request("POST", "/v1/pin-distribution/captcha", b"{", announced=5)
    wasReset = connection.wait_for(slow)["reset"]
    other = connection.wait_for(connection.request("GET", "/health/live"))
    return {"reset": str(wasReset), "other": other["status"]}


def many(arguments):
    """Streams that stay open, and after they end one more: how many the server has reset."""
    connection = Connection(arguments["port"])
    streams = [
        connection.request("POST", "/v1/pin-distribution/captcha", b"{", announced=5)
        for _ in range(int(arguments["count"]))
    ]
    reset = lambda: [stream for stream in streams if connection.streams[stream]["reset"]]
    connection.read_until(lambda: len(reset()) >= int(arguments["expected"]))
    # What is reset too would come now.
    connection.read_until(lambda: False, seconds=1)
    refused = len(reset())
    for stream in streams:
        if not connection.streams[stream]["reset"]:
            connection.h2.reset_stream(stream)
    connection.flush()
    # The server may still be busy with the ends of those streams.
    deadline = time.monotonic() + 30
    while not (after := connection.wait_for(connection.request("GET", "/health/live")))["status"]:
        if time.monotonic() > deadline:
            break
        time.sleep(0.1)
    return {"refused": str(refused), "after": after["status"]}


def silent(arguments):
    """A connection without a request, whose client does not answer either. Returns whether the server closes it."""
    connection = Connection(arguments["port"])
    if arguments["first"] == "request":
        connection.wait_for(connection.request("GET", "/health/live"))
    connection.socket.settimeout(PATIENCE_SECONDS)
    while connection.socket.recv(65536):
        pass
    return {"closed": "True"}


def frame(kind, flags, stream, payload=b""):
    """The bytes of a frame (RFC 9113 section 4.1)."""
    return len(payload).to_bytes(3) + bytes([kind, flags]) + stream.to_bytes(4) + payload


def flood(arguments):
    """Frames that cost the sender nothing, 20,000 at most. Returns whether the server ends the connection because of them:
    much earlier than an idle one."""
    connection = Connection(arguments["port"])
    headers = hpack.Encoder().encode(
        [(":method", "POST"), (":scheme", "https"), (":authority", "x"), (":path", "/v1/pin-distribution/captcha")])
    data, head, reset, settings, ping, continuation = 0, 1, 3, 4, 6, 9
    end_headers = 4
    kinds = {
        "requests that are taken back": lambda stream: frame(head, end_headers, stream, headers)
        + frame(reset, 0, stream, (8).to_bytes(4)),
        "pings": lambda stream: frame(ping, 0, 0, bytes(8)),
        "settings": lambda stream: frame(settings, 0, 0),
        "headers without an end": lambda stream: frame(head, 0, 1, headers) if stream == 1
        else frame(continuation, 0, 1),
        "empty data": lambda stream: frame(head, end_headers, 1, headers) if stream == 1 else frame(data, 0, 1),
    }
    connection.socket.settimeout(180)
    try:
        for number in range(20_000):
            connection.socket.sendall(kinds[arguments["kind"]](2 * number + 1))
        while connection.socket.recv(65536):
            pass
        return {"ended": "True"}
    except (ConnectionError, ssl.SSLError):
        return {"ended": "True"}
    except TimeoutError:
        return {"ended": "False"}


def frames(arguments):
    """Connections with frames that are wrong in all ways, one after the other. Says whether another client is served afterwards."""
    random = Random(int(arguments["seed"]))
    for _ in range(int(arguments["count"])):
        connection = Connection(arguments["port"])
        try:
            connection.socket.sendall(b"".join(FrameMaker(random).frames()))
            # Python reads nothing more from TLS after this, only the encrypted bytes.
            connection.socket.shutdown(socket.SHUT_WR)
            connection.socket.settimeout(PATIENCE_SECONDS)
            while connection.socket.recv(65536):
                pass
        except TimeoutError:
            return {"other": "a connection stays open"}
        except OSError:
            pass  # the server has closed the connection
        finally:
            connection.socket.close()
    other = Connection(arguments["port"])
    return {"other": other.wait_for(other.request("GET", "/health/live"))["status"]}


class FrameMaker:
    """Frames of one connection: right ones, ones with odd values, and ones that random bytes have changed."""

    KINDS = [0, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    FLAGS = [0, 0x1, 0x4, 0x4, 0x5, 0x5, 0x8 | 0x5, 0x20 | 0x5]
    STREAMS = [0, 1, 1, 1, 3, 3, 5, 7, 2, 2**31 - 1]
    NUMBERS = [0, 1, 100, 16_384, 65_535, 2**24, 2**31 - 1, 2**32 - 1]
    ODD_FIELDS = [
        [("Upper", "case")], [("connection", "close")], [("te", "gzip")], [(":path", "/")], [(":unknown", "x")], [("", "empty")],
        [("content-length", "-1")], [("content-length", "7")], [("host", "other.example")], [("a", "x" * 9000)], [("a", "\r\nb: c")],
        [("transfer-encoding", "chunked")], [("cookie", "a")] * 200, [("expect", "100-continue")],
    ]

    def __init__(self, random):
        self.random = random
        self.encoder = hpack.Encoder()

    def frames(self):
        for _ in range(self.random.randrange(1, 20)):
            kind = self.random.choice(self.KINDS) if self.random.random() < 0.95 else self.random.randrange(256)
            flags = self.random.choice(self.FLAGS) if self.random.random() < 0.9 else self.random.randrange(256)
            data = bytearray(frame(kind, flags, self.random.choice(self.STREAMS), self.payload(kind)))
            for _ in range(self.random.choice([0, 0, 0, 0, 1, 3])):
                data[self.random.randrange(len(data))] = self.random.randrange(256)
            yield bytes(data)

    def payload(self, kind):
        number = self.random.choice(self.NUMBERS).to_bytes(4)
        match kind:
            case 0:
                return self.random.choice([b"", b"{", b"{}", b"\0" * 5, self.random.randbytes(self.random.randrange(20_000))])
            case 1:
                return self.fields()
            case 2:
                return number + self.random.randbytes(1)
            case 3 | 8:
                return number
            case 4:
                return b"".join(
                    self.random.randrange(10).to_bytes(2) + self.random.choice(self.NUMBERS).to_bytes(4)
                    for _ in range(self.random.randrange(5)))
            case 5:
                return number + self.fields()
            case 6:
                return self.random.randbytes(self.random.choice([8, 8, 8, 7, 0]))
            case 7:
                return number + self.random.choice(self.NUMBERS).to_bytes(4) + self.random.randbytes(self.random.randrange(9))
            case 9:
                return self.fields()[self.random.randrange(10):]
            case _:
                return self.random.randbytes(self.random.randrange(50))

    def fields(self):
        method, path = self.random.choice(
            [("GET", "/health/live"), ("GET", "/health/ready"), ("POST", "/v1/pin-distribution/captcha"), ("X", "*"), ("HEAD", "/")])
        fields = [(":method", method), (":scheme", "https"), (":authority", "x"), (":path", path)]
        fields += [("content-type", "application/json"), ("content-length", "2")] if method == "POST" else []
        if self.random.random() < 0.3:
            fields += self.random.choice(self.ODD_FIELDS)
        if self.random.random() < 0.1:
            fields.pop(self.random.randrange(len(fields)))
        if self.random.random() < 0.1:
            self.random.shuffle(fields)
        return self.encoder.encode(fields)


def broken_off(arguments):
    """A request whose client breaks off when there is a file "go". If "announced" is given, its body is not complete."""
    connection = Connection(arguments["port"])
    body = arguments.get("body")
    fields = [(name.lower(), value) for name, value in json.loads(arguments["fields"]).items()]
    stream = connection.request(
        arguments["method"], arguments["path"], body and body.encode(), arguments.get("announced"), fields)
    while not os.path.exists(arguments["go"]):
        time.sleep(0.05)
    match arguments["how"]:
        case "reset of the stream":
            connection.h2.reset_stream(stream)
            connection.wait_for(connection.request("GET", "/health/live"))
        case "wrong frame":
            connection.socket.sendall(frame(0, 0, 0, b"data of no stream"))
            connection.read_until(lambda: False)
        case "reset of the connection":
            connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.socket.close()
            # The server takes a second connection of an address when it has seen the end of the first one.
            end = time.monotonic() + PATIENCE_SECONDS
            while time.monotonic() < end:
                with contextlib.suppress(OSError):
                    Connection(arguments["port"])
                    break
                time.sleep(0.1)
    return {}


def unread(arguments):
    """A hundred requests whose answers the client does not take, and one of somebody else."""
    greedy = Connection(arguments["port"], window=0)
    for _ in range(100):
        greedy.request("GET", "/health/live")
    other = Connection(arguments["port"])
    return {"other": other.wait_for(other.request("GET", "/health/live"))["status"]}


def hoard(arguments):
    """Requests whose answers the client does not take, although its windows are as large as can be. Returns whether the server reads
    all of them: many more than small buffers hold answers."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
    raw.settimeout(PATIENCE_SECONDS)
    raw.connect(("127.0.0.1", int(arguments["port"])))
    connection = context.wrap_socket(raw)
    headers, settings, window_update = 1, 4, 8
    most = 2**31 - 1
    initial_window_size = 4
    # Without an index, so that each request can have the same bytes.
    head = hpack.Encoder().encode(
        [hpack.NeverIndexedHeaderTuple(name, value) for name, value in [
            (":method", "GET"), (":scheme", "https"), (":authority", "x"), (":path", arguments["path"])]])
    connection.sendall(
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        + frame(settings, 0, 0, initial_window_size.to_bytes(2) + most.to_bytes(4))
        + frame(window_update, 0, 0, (most - 65_535).to_bytes(4)))
    ended = 0b101
    connection.settimeout(5)
    try:
        for first in range(0, 100_000, 50):
            connection.sendall(b"".join(frame(headers, ended, 2 * number + 1, head) for number in range(first, first + 50)))
            # Time for answers: the server ends a connection that has more than a hundred open streams.
            time.sleep(0.02)
    except (TimeoutError, ConnectionError, ssl.SSLError) as error:
        return {"read": "False", "why": f"{type(error).__name__} after {first}"}
    return {"read": "True"}


def drain(arguments):
    """Stops the server while a connection is open: the next request is answered, and the client is asked to go."""
    connection = Connection(arguments["port"])
    before = connection.wait_for(connection.request("GET", "/health/ready"))
    beforeGoAway = connection.goaway
    # The server may still be busy with the end of that answer.
    time.sleep(1)
    os.kill(int(arguments["process"]), signal.SIGTERM)
    time.sleep(1)
    after = connection.wait_for(connection.request("GET", "/health/live"))
    connection.read_until(lambda: connection.goaway)
    return {
        "before": before["status"], "beforeGoAway": str(beforeGoAway), "after": after["status"],
        "goaway": str(connection.goaway),
    }


if __name__ == "__main__":
    questions = [post, hosts, slow_body, many, silent, flood, frames, broken_off, unread, hoard, drain]
    question = {question.__name__: question for question in questions}[sys.argv[1]]
    json.dump(question(json.load(sys.stdin)), sys.stdout)
