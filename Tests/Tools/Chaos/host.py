"""The bank's program of the connector, as examples/to_host.py: gets the PVV of each defined PIN, from the servers by turns.

Its argument is a file that connector.py writes. It notes each answer in a line of its own.
"""

import hashlib
import json
import pathlib
import sys

from wire import Bank, Server

# To connect, and to answer. With two servers and two requests to each, less than connector.py lets the program take: then the program of
# a connector that was killed has done its last call before anybody else gets a newer PIN.
CALL_SECONDS = 2
AGAIN_AFTER_SECONDS = 1


class Host:
    def __init__(self, settings):
        self.bank = Bank(settings["bank"], settings["authority"])
        self.servers = [Server(*server) for server in settings["servers"]]
        self.key, self.prefix = settings["key"], settings["prefix"]
        self.folder = pathlib.Path(settings["folder"])

    def answer(self, question):
        """What became of a PIN. The same question can come twice."""
        about = {"event": question["event"], "uniqueId": question["uniqueId"]}
        later = about | {"state": "pending", "afterSeconds": AGAIN_AFTER_SECONDS}
        for server in self.servers:
            body = self.body(server, question)
            if body is None:
                continue
            answer = self.bank.call(
                server, "POST", f"cardholders/{question['uniqueId']}/pin:verification-value", body,
                key=f"pvv-{question['event']}", seconds=CALL_SECONDS)
            kind = str(answer.members.get("type", "")).rpartition(":")[2]
            if answer.status == 200:
                plaintext, header = self.bank.open(answer.members["pinExport"])
                self.note(question, header["jti"], json.loads(plaintext)["value"])
                return about | {"state": "effective"}
            if answer.status in (404, 422) or kind == "pan-bound":
                self.note(question, None, kind)
                return about | {"state": "failed", "reason": kind}
        return later

    def body(self, server, question):
        """What is sent: the same again for the same PIN, also after a kill. None if the server gives no keys."""
        kept = self.folder / f"{question['event']}.call"
        if not kept.exists():
            try:
                self.bank.fetch_keys(server, CALL_SECONDS)
            except (KeyError, TypeError):
                return None
            wish = json.dumps({"pan": self.pan(question["uniqueId"]), "key": self.key, "method": "pvv"})
            sealed = self.bank.seal("pinExport", question["uniqueId"], wish, f"pvv-{question['event']}", length=0)
            new = kept.with_suffix(".new")
            new.write_text(json.dumps({"pinExport": sealed}), encoding="utf-8")
            new.rename(kept)
        return kept.read_bytes()

    def pan(self, unique_id):
        """A PAN of the key's cards, with its check digit. No two cardholders have the same."""
        number = int.from_bytes(hashlib.sha256(unique_id.encode()).digest()[:8], "big")
        digits = self.prefix + str(number).zfill(20)[-(15 - len(self.prefix)):]
        doubled = sum(sum(divmod(int(digit) * (2 - index % 2), 10)) for index, digit in enumerate(reversed(digits)))
        return digits + str(-doubled % 10)

    def note(self, question, call, value):
        with open(self.folder / "host.log", "a", encoding="utf-8") as log:
            log.write(json.dumps([question["uniqueId"], question["event"], call, value]) + "\n")


def main():
    host = Host(json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")))
    for line in sys.stdin:
        print(json.dumps(host.answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
