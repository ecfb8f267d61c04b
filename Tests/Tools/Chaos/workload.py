"""What clients do during the chaos, and the model of what must hold.

A worker has a cardholder for itself. If it does not know whether a request was served, it sends the same request again,
as a real client does, until it knows. So the model knows what the server has acknowledged, and every other answer than the
expected one is a violation.
"""

import itertools
import json
import random
import secrets
import threading
import time
from collections import defaultdict

from wire import TOLERANCE_SECONDS, AppKeys

FETCH, NOTIFY = "pin-distribution/captcha", "pin-distribution/notify"
TOKEN_FETCH, TOKEN_NOTIFY = "pin-distribution/token/captcha", "pin-distribution/token/notify"
DEFINE, TOKEN_DEFINE = "pin-definition/pin", "pin-definition/token/pin"
KEYPAD, KEYPAD_DEFINE = "pin-definition/keypad-coordinates", "pin-definition/token/pin-indexes"

SERVED, WRONG_CODE, NO_PIN, SPENT_HASH, SPENT_TOKEN, LOCKED = 0, 203, 303, 205, 210, 307
DEFINE_SPENT_HASH, DEFINE_SPENT_TOKEN = 141, 211
# The time of a hashMac or token is checked before it is looked for among those that were used.
TOO_OLD = {"pin-distribution": 200, "pin-definition": 121}
CLOCK_STEP_SECONDS = 100
STRANGER = 301
RETRY_LIMIT = 3
DEFINITIONS_PER_DAY = 100
RESOLVE_SECONDS = 240


class Stopped(Exception):
    """The run has ended before the answer was known."""


class Record:
    """What all clients have seen."""

    def __init__(self):
        self._lock = threading.Lock()
        self.requests = 0
        self.unanswered = 0
        self.violations = []
        self.served = []  # requests that were served and must never be again: (path, members, refusing code)
        self.expected_events = defaultdict(list)  # uniqueId: what must be reported, in order
        self.events = []  # in the order of the feed
        self.imported = {}  # uniqueId: result
        self.times = []  # (when it was sent, seconds, server) of each request but imports and waits for events
        self.stopping = threading.Event()

    def count(self, answer, server=None):
        """`server`: whose answer must come soon; None if it may take its time."""
        with self._lock:
            self.requests += 1
            if answer.status is None:
                self.unanswered += 1
            if server:
                self.times.append((time.monotonic() - answer.seconds, answer.seconds, server.name))

    def violation(self, text):
        with self._lock:
            self.violations.append(text)
        print(f"  VIOLATION {text}", flush=True)


class Holder:
    """A cardholder, and what the server has acknowledged about them."""

    def __init__(self, unique_id):
        self.unique_id = unique_id
        self.pin = None
        self.code = None
        self.version = 0
        # Wrong codes that were answered as such, and that may have been counted. An unknown one can arrive late, even
        # after an unlock.
        self.wrong, self.wrong_unknown = 0, 0
        self.definitions = 0


class Worker(threading.Thread):
    """Does one thing after the other with its cardholders."""

    def __init__(self, name, site, bank, record, seed, holders):
        super().__init__(name=name, daemon=True)
        self.site, self.bank, self.record = site, bank, record
        self.random = random.Random(seed)
        self.numbers = itertools.count()
        self.holders = [self.new_holder() for _ in range(holders)]
        self.retired = []
        self.keys = AppKeys()

    def run(self):
        try:
            while not self.record.stopping.is_set():
                holder = self.random.choice(self.holders)
                if holder.code is None:
                    self.put(holder)
                action = self.random.choice([
                    self.put, self.fetch_and_confirm, self.fetch_and_confirm, self.fetch_by_token, self.race,
                    self.wrong_codes, self.define, self.define_by_token, self.define_by_keypad, self.replay])
                action(holder)
                time.sleep(self.random.uniform(0, 0.1))
        except Stopped:
            pass
        except Exception as error:
            self.record.violation(f"{self.name}: {type(error).__name__}: {error}")
            raise

    # MARK: - Asking

    def server(self):
        return self.random.choice(self.site.servers)

    def ask(self, send):
        server = self.server()
        answer = send(server)
        self.record.count(answer, server)
        return answer

    def resolve(self, send):
        """Sends the same again until the outcome is known."""
        end, attempts = None, 0
        while True:
            answer = self.ask(send)
            attempts += 1
            if not answer.is_unknown:
                answer.attempts = attempts
                return answer
            if self.record.stopping.is_set():
                end = end or time.monotonic() + RESOLVE_SECONDS
                if time.monotonic() > end:
                    raise Stopped
            time.sleep(self.random.uniform(0.1, 0.5))

    def post(self, path, members):
        return self.resolve(lambda server: server.post(path, members))

    def expect(self, condition, holder, what, answer):
        if not condition:
            self.record.violation(
                f"{what}: {holder.unique_id} (PIN {'there' if holder.pin else 'erased'}, wrong codes {holder.wrong} to "
                f"{holder.wrong + holder.wrong_unknown}): HTTP {answer.status} {answer.body[:200]!r}")
        return condition

    # MARK: - The bank's back-end

    def put(self, holder):
        """A new PIN and a new code. The Idempotency-Key keeps a request that arrives late from doing anything."""
        pin, code = f"{self.random.randrange(10_000):04}", secrets.token_hex(4).upper()
        members = {
            "status": "ACTIVE", "channels": ["AC", "TOKEN"], "accessibility": "text", "pinVersion": holder.version + 1,
            "pin": self.bank.seal("pin", holder.unique_id, pin),
            "authenticationCode": self.bank.seal("authenticationCode", holder.unique_id, code)}
        key = secrets.token_hex(16)
        answer = self.resolve(
            lambda server: self.bank.cardholder(server, "PUT", holder.unique_id, members, key))
        if self.expect(answer.status in (200, 201) and answer.members.get("pin") == "taken", holder, "PUT", answer):
            holder.pin, holder.code, holder.version = pin, code, holder.version + 1
            holder.wrong = 0

    def unlock(self, holder):
        key = secrets.token_hex(16)
        answer = self.resolve(lambda server: self.bank.cardholder(
            server, "PATCH", holder.unique_id, {"authenticationFailures": 0}, key))
        if self.expect(answer.status == 200, holder, "PATCH", answer):
            holder.wrong = 0

    # MARK: - The app

    def fetch_members(self, holder, code=None):
        return self.bank.claim(holder.unique_id) | {
            "authCode": code or holder.code, "rsaPublicKey": self.keys.rsa, "formats": ["text"]}

    def may_be_locked(self, holder):
        return holder.wrong + holder.wrong_unknown >= RETRY_LIMIT

    def fetch_and_confirm(self, holder):
        members = self.fetch_members(holder)
        answer = self.post(FETCH, members)
        self.take(holder, answer, FETCH, members, SPENT_HASH, lambda session, key: (
            NOTIFY, {"bankId": self.bank.id, "uniqueId": holder.unique_id}
            | self.bank.confirmation(holder.unique_id, session, key)))

    def fetch_by_token(self, holder):
        signed = self.bank.token(holder.unique_id, "00", holder.code)
        members = signed | {"ecdhPublicKey": self.keys.ec, "formats": ["text"]}
        answer = self.post(TOKEN_FETCH, members)
        # A token is spent whatever its request's outcome.
        if answer.code != SPENT_TOKEN:
            self.record.served.append((TOKEN_FETCH, members, SPENT_TOKEN))
        self.take(holder, answer, TOKEN_FETCH, members, SPENT_TOKEN, lambda session, key: (
            TOKEN_NOTIFY, {"token": signed["token"]} | self.bank.confirmation(holder.unique_id, session, key)))

    def take(self, holder, answer, path, members, spent, notify):
        """Judges a fetch with the right code. If it has brought a PIN, confirms it or not."""
        if answer.code == LOCKED:
            self.expect(self.may_be_locked(holder), holder, "locked without a cause", answer)
            return self.unlock(holder)
        if answer.code == spent:
            # An attempt before was served, and its answer was lost.
            if self.expect(answer.attempts > 1, holder, "a fresh request was refused as spent", answer):
                self.may_have_served(holder)
            return
        if not self.expect(holder.wrong < RETRY_LIMIT, holder, "not locked after wrong codes", answer):
            holder.wrong = 0
            return
        if holder.pin is None:
            self.expect(answer.code == NO_PIN, holder, "a PIN after its erasure", answer)
            return
        if not self.expect(answer.code == SERVED, holder, "fetch", answer):
            return
        holder.wrong = 0
        if path == FETCH:
            self.record.served.append((path, members, spent))
        pin, key = self.keys.open(answer.members["pin"])
        self.expect(pin == holder.pin, holder, f"another PIN than the acknowledged one was delivered", answer)
        if self.random.random() < 0.6:
            self.confirm(holder, answer.members["sessionId"], *notify(answer.members["sessionId"], key))

    def may_have_served(self, holder):
        """The right code returns the count to zero, unless wrong codes whose answers were lost had locked before."""
        if holder.pin is None or holder.wrong >= RETRY_LIMIT:
            return
        if self.may_be_locked(holder):
            holder.wrong_unknown += holder.wrong
        holder.wrong = 0

    def confirm(self, holder, session, path, members):
        answer = self.post(path, members)
        if self.expect(answer.code == SERVED, holder, "notify", answer):
            self.record.expected_events[holder.unique_id].append(("pin.delivered", session))
            holder.pin = None

    def race(self, holder):
        """The same token to all servers at once: exactly one serves it."""
        members = self.bank.token(holder.unique_id, "00", holder.code) | {
            "ecdhPublicKey": self.keys.ec, "formats": ["text"]}
        answers = []
        threads = [
            threading.Thread(target=lambda server=server: answers.append(server.post(TOKEN_FETCH, members)))
            for server in self.site.servers for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for answer in answers:
            self.record.count(answer)
        judged = [answer for answer in answers if not answer.is_unknown and answer.code != SPENT_TOKEN]
        if len(judged) > 1:
            self.expect(False, holder, f"one IdTransaction served {len(judged)} times", judged[-1])
        last = self.post(TOKEN_FETCH, members)
        self.expect(
            last.code == SPENT_TOKEN or not judged, holder, "one IdTransaction served again after a race", last)
        self.record.served.append((TOKEN_FETCH, members, SPENT_TOKEN))
        self.may_have_served(holder)

    def wrong_codes(self, holder):
        """Wrong codes up to the lock, and one right code that must be refused."""
        if holder.pin is None:
            return
        for _ in range(self.random.randint(1, RETRY_LIMIT)):
            before = holder.wrong
            answer = self.ask(lambda server: server.post(FETCH, self.fetch_members(holder, "WRONG0")))
            if answer.is_unknown:
                holder.wrong_unknown += answer.status != 429
            elif answer.code == WRONG_CODE:
                holder.wrong += 1
                if not self.expect(before < RETRY_LIMIT, holder, "a wrong code was not counted", answer):
                    holder.wrong = 0
                if holder.wrong == RETRY_LIMIT and not holder.wrong_unknown:
                    self.record.expected_events[holder.unique_id].append(("authentication.locked", None))
            else:
                self.expect(
                    answer.code == LOCKED and self.may_be_locked(holder), holder, "wrong code", answer)
        if holder.wrong >= RETRY_LIMIT:
            answer = self.post(FETCH, self.fetch_members(holder))
            if self.expect(answer.code == LOCKED, holder, "not locked after wrong codes", answer):
                self.unlock(holder)
            holder.wrong = 0

    # MARK: - Definition

    def define(self, holder):
        claim, pin = self.bank.claim(holder.unique_id), f"{self.random.randrange(10_000):04}"
        sealed = self.bank.seal("pin", holder.unique_id, pin, claim["timestamp"], "RSA-OAEP-256")
        self.defined(holder, pin, DEFINE, claim | {"pin": sealed}, DEFINE_SPENT_HASH)

    def define_by_token(self, holder):
        if self.may_be_locked(holder):
            return
        signed, pin = self.bank.token(holder.unique_id, "02"), f"{self.random.randrange(10_000):04}"
        transaction = json.loads(signed["token"])["IdTransaction"]
        sealed = self.bank.seal("pin", holder.unique_id, pin, transaction)
        self.defined(holder, pin, TOKEN_DEFINE, signed | {"pin": sealed}, DEFINE_SPENT_TOKEN)

    def define_by_keypad(self, holder):
        """The keypad can be from one server, and the definition for another one."""
        if self.may_be_locked(holder):
            return
        answer = self.post(KEYPAD, {"bankId": self.bank.id, "uniqueId": holder.unique_id, "keypadSize": 12})
        if not self.expect(answer.code == SERVED, holder, "keypad", answer):
            return
        signed, pin = self.bank.token(holder.unique_id, "02"), f"{self.random.randrange(10_000):04}"
        indexes = ",".join(str(answer.members["keypad"].index(digit)) for digit in pin)
        keypad, transaction = answer.members["keypadId"], json.loads(signed["token"])["IdTransaction"]
        sealed = self.bank.seal("indexes", holder.unique_id, indexes, transaction, length=64, keypadId=keypad)
        members = signed | {"indexes": sealed, "keypadId": keypad}
        self.defined(holder, pin, KEYPAD_DEFINE, members, DEFINE_SPENT_TOKEN)

    def defined(self, holder, pin, path, members, spent):
        if holder.definitions >= DEFINITIONS_PER_DAY:
            return self.retire(holder)
        answer = self.post(path, members)
        if answer.code == 114:
            if self.expect(self.may_be_locked(holder), holder, "definition", answer):
                self.unlock(holder)
            return
        # Spent: an attempt before was served, and its answer was lost.
        if self.expect(
            answer.code == SERVED or (answer.code == spent and answer.attempts > 1), holder, "definition", answer):
            self.record.served.append((path, members, spent))
            self.record.expected_events[holder.unique_id].append(("pin.defined", pin))
            code_was_erased, holder.pin = holder.pin is None, pin
            holder.definitions += 1
            if code_was_erased:
                self.new_code(holder)

    def new_code(self, holder):
        """The code was erased with the PIN that was delivered."""
        code, key = secrets.token_hex(4).upper(), secrets.token_hex(16)
        members = {"authenticationCode": self.bank.seal("authenticationCode", holder.unique_id, code)}
        answer = self.resolve(
            lambda server: self.bank.cardholder(server, "PATCH", holder.unique_id, members, key))
        if self.expect(answer.status == 200, holder, "PATCH", answer):
            holder.code, holder.wrong = code, 0

    def retire(self, holder):
        """Goes on with another cardholder, because this one may define no more PINs today."""
        self.retired.append(holder)
        self.holders.remove(holder)
        self.holders.append(self.new_holder())

    def new_holder(self):
        return Holder(f"{self.name}-{next(self.numbers)}")

    # MARK: - Replay

    def replay(self, holder):
        """A request that was served before must be refused, by any server."""
        if self.record.served:
            check_replay(self.record, self.post, self.random.choice(self.record.served))


def check_replay(record, post, served):
    path, members, refusing = served
    answer = post(path, members)
    made = int(members["timestamp"] if "timestamp" in members else json.loads(members["token"])["Timestamp"])
    is_too_old = (
        answer.code == TOO_OLD[path.split("/")[0]] and time.time() - made > TOLERANCE_SECONDS - CLOCK_STEP_SECONDS)
    if answer.code != refusing and not is_too_old:
        record.violation(f"served twice: {path} {answer.body[:200]!r}")


class Importer(threading.Thread):
    """Imports lines, and remembers which were acknowledged."""

    def __init__(self, site, bank, record, seed, lines=100, prefix="import"):
        super().__init__(name=prefix, daemon=True)
        self.site, self.bank, self.record, self.lines = site, bank, record, lines
        self.random, self.prefix = random.Random(seed), prefix

    def run(self):
        batch = 0
        while not self.record.stopping.is_set():
            batch += 1
            members = [
                {"uniqueId": f"{self.prefix}-{batch}-{line}", "status": "ACTIVE", "freeField": f"{batch}.{line}"}
                for line in range(self.lines)]
            body = "\n".join(map(json.dumps, members)).encode()
            # If the last line is missing, some lines may be written: the same body again does no harm.
            while not self.send(body):
                if self.record.stopping.wait(0.5):
                    break
            self.record.stopping.wait(1)

    def send(self, body):
        server = self.random.choice(self.site.servers)
        answer = self.bank.call(server, "POST", "cardholders:import", body, "application/x-ndjson")
        self.record.count(answer)
        if answer.status != 200:
            return False
        committed = False
        for line in answer.body.splitlines():
            try:
                result = json.loads(line)
            except ValueError:
                break
            if result.get("result") in ("created", "replaced", "unchanged"):
                self.record.imported[result["uniqueId"]] = result["result"]
            committed = committed or result.get("committed") is True
        return committed


class Reader(threading.Thread):
    """Reads the events as a bank does: stores a page, then acknowledges it."""

    def __init__(self, site, bank, record, seed):
        super().__init__(name="reader", daemon=True)
        self.site, self.bank, self.record = site, bank, record
        self.random = random.Random(seed)
        self.cursor = "0"
        self.seen = set()

    def run(self):
        while not self.record.stopping.is_set():
            if not self.page(wait=2):
                time.sleep(0.3)

    def page(self, wait=0):
        """Reads a page; False if there is none, None if there was no answer."""
        server = self.random.choice(self.site.servers)
        answer = self.bank.call(server, "GET", f"events?after={self.cursor}&limit=500&wait={wait}")
        self.record.count(answer)
        if answer.status != 200:
            if not answer.is_unknown:
                self.record.violation(f"events after {self.cursor}: HTTP {answer.status} {answer.body[:200]!r}")
            return None
        for event in answer.members["events"]:
            if event["id"] in self.seen:
                self.record.violation(f"event {event['id']} came again after a later cursor")
            self.seen.add(event["id"])
            self.record.events.append(event)
        self.cursor = answer.members["next"]
        if answer.members["events"]:
            server = self.random.choice(self.site.servers)
            self.record.count(self.bank.call(server, "DELETE", f"events?upTo={self.cursor}"))
        return bool(answer.members["events"])


def stranger_fetch(bank, keys, name):
    """A fetch for a cardholder that does not exist. Each has an id of its own, as a claim cannot be sent twice."""
    return bank.claim_at(f"{name}-{secrets.token_hex(8)}", int(time.time())) | {
        "authCode": "00000000", "rsaPublicKey": keys.rsa, "formats": ["text"]}


class Flood:
    """Sends far more fetches than can be answered, for cardholders that do not exist: each spends its id in the database. It sends
    others at once when they are refused, as no honest client does."""

    CLIENTS = 96

    def __init__(self, site, bank, clients=CLIENTS):
        self.site, self.bank, self.keys = site, bank, AppKeys()
        self.stopping = threading.Event()
        self.sent = {server.name: 0 for server in site.servers}
        self.clients = [threading.Thread(target=self.send, args=(number,), daemon=True) for number in range(clients)]

    def start(self):
        for client in self.clients:
            client.start()

    def stop(self):
        self.stopping.set()
        for client in self.clients:
            client.join()

    def send(self, number):
        server = self.site.servers[number % len(self.site.servers)]
        while not self.stopping.is_set():
            members = stranger_fetch(self.bank, self.keys, f"flood-{number}")
            # A count that another thread has just changed may be lost, which does no harm.
            self.sent[server.name] += 1
            if server.post(FETCH, members, seconds=5).status is None:
                # It is away.
                self.stopping.wait(0.1)


class Probe(threading.Thread):
    """Fetches through one server again and again, so that it is known from when to when it served. Each fetch spends its id in the
    database. The cardholder does not exist, which is an answer, too."""

    def __init__(self, server, bank, record):
        super().__init__(name=f"probe-{server.name}", daemon=True)
        self.server, self.bank, self.record, self.keys = server, bank, record, AppKeys()
        self.successes = [time.monotonic()]

    def run(self):
        while not self.record.stopping.is_set():
            start = time.monotonic()
            answer = self.server.post(FETCH, stranger_fetch(self.bank, self.keys, f"probe-{self.server.name}"))
            self.record.count(answer, self.server)
            if answer.code == STRANGER:
                # The request was sent at `start`: the server served at least then.
                self.successes.append(start)
            time.sleep(0.3)

    def has_served_since(self, when):
        return self.successes[-1] > when

    def first_success_after(self, when):
        return next(success for success in self.successes if success > when)

    def longest_gap(self, start, end):
        """The longest time without a success in the interval."""
        points = [start, *[when for when in self.successes if start < when < end], end]
        return max(later - earlier for earlier, later in zip(points, points[1:]))
