"""A bank's program for 'card-companion forward': gets the PVV of each PIN that a cardholder has defined, and gives it to the host.

    card-companion forward --bank MYBANK --at-once 4 -- /usr/bin/python3 /opt/bank/to_host.py \\
        https://pin.example.com /opt/bank/files --key pvk --cards /opt/bank/cards.json --host /var/lib/to-host

FILES is the folder of the bank's files, as own-bank.sh and the sandbox make it. CARDS has the PAN of each uniqueId. HOST is a folder in
place of the issuer's host: replace give_to_host. The connector gives a line of JSON for each PIN, and takes a line as the answer.
"""

import command_line  # first: it says in one line what is missing

import hashlib, json, os, sys, time
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

from bank import Bank
from card_companion_backend import KeysUnavailable, open_export, seal_export

# It has four PINs at once, and answers one after the other: together they take less than the connector's minute.
TIMEOUT_SECONDS = 10
AGAIN_AFTER_SECONDS = 60
# The server keeps the answer to a call for so long, for the same call with the same body.
CALL_SECONDS = 86_400
# What no other attempt changes. Anything else can be a mistake in the settings, which somebody mends.
FINAL = {"pan-bound", "no-defined-pin", "no-cardholder"}


class Refused(Exception):
    """The host cannot have this PIN, and another attempt would not help."""


class NotNow(Exception):
    """It can be tried again later."""

    def __init__(self, why, after_seconds=AGAIN_AFTER_SECONDS):
        super().__init__(why)
        self.after_seconds = after_seconds


class ToHost:
    def __init__(self, url, files, key, cards, host):
        self.bank, self.key, self.cards, self.host = Bank(url, files), key, json.loads(Path(cards).read_text()), Path(host)
        self.calls = self.host / "calls"
        self.calls.mkdir(mode=0o700, parents=True, exist_ok=True)

    def answer(self, question):
        """What has become of a defined PIN. The same question can come twice, so everything here can be done twice."""
        about = {"event": question["event"], "uniqueId": question["uniqueId"]}
        try:
            pvv = self.pvv(question["uniqueId"], question["event"])
            self.give_to_host(question["uniqueId"], pvv, question["definedAtMilliseconds"])
            return about | {"state": "effective"}
        except Refused as refusal:
            return about | {"state": "failed", "reason": str(refusal)[:200]}
        except (NotNow, KeysUnavailable, OSError) as problem:
            print(f"event {question['event']}: {problem}", file=sys.stderr, flush=True)
            return about | {"state": "pending", "afterSeconds": getattr(problem, "after_seconds", AGAIN_AFTER_SECONDS)}

    def pvv(self, unique_id, event):
        if unique_id not in self.cards:
            raise Refused("the bank knows no card of this cardholder")
        call_id = f"pvv-{event}"  # the same for each attempt
        # The same body, too: the line can come again after this program was killed, and also after the host has the value.
        kept = self.calls / call_id
        if not kept.exists():
            self.forget_old_calls()
            sealed = seal_export(
                self.bank.server_keys, self.bank.id, unique_id, self.cards[unique_id], self.key, idempotency_key=call_id, method="pvv")
            write(kept, json.dumps({"pinExport": sealed}))
        answer = self.call(f"cardholders/{quote(unique_id, safe='')}/pin:verification-value", call_id, kept.read_bytes())
        return open_export(
            answer["pinExport"], self.bank.id, unique_id, self.bank.encryption_key, idempotency_key=call_id)["value"]

    def forget_old_calls(self):
        for kept in self.calls.iterdir():
            if kept.stat().st_mtime < time.time() - CALL_SECONDS:
                kept.unlink()

    def call(self, target, call_id, body):
        url = f"{self.bank.url}/v1/banks/{self.bank.id}/{target}"
        headers = {"Content-Type": "application/json", "Idempotency-Key": call_id}
        try:
            signed = headers | self.bank.signer.sign("POST", url, headers, body)
            with urlopen(Request(url, body, signed, method="POST"), timeout=TIMEOUT_SECONDS) as answer:
                return json.load(answer)
        except HTTPError as refusal:
            raise self.problem(refusal.code, refusal.headers.get("Retry-After", ""), refusal.read(), call_id)
        except (OSError, HTTPException, ValueError) as problem:
            raise NotNow(f"the server cannot be asked: {problem!r}")

    def problem(self, status, retry_after, body, call_id):
        after = max(1, int(retry_after)) if retry_after.isdecimal() else AGAIN_AFTER_SECONDS
        try:
            problem = json.loads(body)
            kind = problem["type"].rpartition(":")[2]
            reasons = "; ".join(f"{one['member']} {one['reason']}" for one in problem.get("invalid", []))
        except (ValueError, KeyError, TypeError, AttributeError):
            kind, reasons = "no problem of the server's", ""
        if kind in FINAL:
            return Refused(f"the server refuses the export: {kind}")
        if kind == "invalid-members":
            # The key's rules, or the server's keys, have changed: the next attempt is a new call.
            (self.calls / call_id).unlink(missing_ok=True)
        return NotNow(f"the server answers {status} {kind} {reasons}", after)

    def give_to_host(self, unique_id, pvv, defined_at):
        # A uniqueId can be too long for the name of a file.
        card = self.host / (hashlib.sha256(unique_id.encode()).hexdigest() + ".json")
        # Another run of this program, which took long, may have had a newer PIN of the cardholder.
        if card.exists() and json.loads(card.read_text())["definedAtMilliseconds"] > defined_at:
            raise Refused("the host has a newer PIN of this cardholder")
        write(card, json.dumps({"uniqueId": unique_id, "pvv": pvv, "definedAtMilliseconds": defined_at}))


def write(path, text):
    """Writes a file whole, or not at all."""
    new = path.with_name(path.name + ".new")
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)


def main():
    parser = command_line.parser(__doc__)
    parser.add_argument("url", type=command_line.url, help="the server, such as https://pin.example.com")
    parser.add_argument("files", help="the folder of the bank's files")
    parser.add_argument("--key", required=True, help="the label of the bank's key for PVVs")
    parser.add_argument("--cards", required=True, help="a file of JSON with the PAN of each uniqueId")
    parser.add_argument("--host", required=True, help="the folder in place of the issuer's host")
    arguments = parser.parse_args()
    to_host = ToHost(arguments.url, arguments.files, arguments.key, arguments.cards, arguments.host)
    for line in sys.stdin:  # until the connector stops
        print(json.dumps(to_host.answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
