"""An example of an auditor's own check: verifies an export of the audit trail, without the server and its database.

    pip install cryptography
    card-companion audit export > audit.ndjson      # the operator
    card-companion audit keys --json > keys.json    # the operator, once; compare the thumbprints by another way
    python3 examples/verify_audit.py audit.ndjson keys.json --witness seal.json

A witness is a seal that somebody has kept: the answer of /.well-known/audit-seal, or an event audit.sealed. docs/audit.md
defines the bytes. Exit status: 0 if the trail is right, 1 if something is wrong, 2 if a file cannot be read or a package is missing.
"""

import argparse
import base64
import hashlib
import json
import struct
import sys

try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, utils
except ModuleNotFoundError:
    print("verify_audit.py: the Python package cryptography is missing: run 'pip install cryptography'", file=sys.stderr)
    sys.exit(2)

POSTGRES_EPOCH = 946_684_800_000_000  # 2000-01-01 in microseconds since 1970
SEALED_AFTER = 2 * 3600 * 1_000_000  # an entry that is so much older than the last seal must be in one


def with_length(value):
    """A text or bytes, after the number of bytes; -1 if there is no value."""
    if value is None:
        return struct.pack(">i", -1)
    value = value.encode() if isinstance(value, str) else value
    return struct.pack(">i", len(value)) + value


def time_bytes(line):
    return struct.pack(">q", line["microseconds"] - POSTGRES_EPOCH)


def entry_hash(entry, previous):
    subject, rows = entry.get("subject"), entry.get("rows")
    parts = [
        previous, struct.pack(">iq", entry["chain"], entry["sequence"]), time_bytes(entry), with_length(entry["operation"]),
        with_length(entry["outcome"]), with_length(entry.get("bankId")), with_length(subject and bytes.fromhex(subject)),
        with_length(entry["actor"]), with_length(entry.get("detail")), with_length(rows and bytes.fromhex(rows))]
    return hashlib.sha256(b"".join(parts)).digest()


def seal_hash(seal):
    heads = b"".join(
        struct.pack(">iq", head["chain"], head["sequence"]) + bytes.fromhex(head["hash"]) for head in seal["heads"])
    late = b"".join(struct.pack(">iqq", late["chain"], late["first"], late["last"]) for late in seal["late"])
    named = seal.get("named")
    named = named and struct.pack(">q", named["seal"]) + bytes.fromhex(named["hash"])
    parts = [
        struct.pack(">qi", seal["seal"], seal["epoch"]), time_bytes(seal), with_length(seal["kind"]),
        with_length(seal["note"]), with_length(heads), with_length(late), with_length(bytes.fromhex(seal["previousHash"])),
        with_length(seal["keyId"]), with_length(named)]
    return hashlib.sha256(b"".join(parts)).digest()


def decoded(text):
    """Bytes from base64url without padding."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Key:
    def __init__(self, jwk):
        self.id, self.holder = jwk["kid"], jwk.get("holder", "server")
        numbers = ec.EllipticCurvePublicNumbers(
            int.from_bytes(decoded(jwk["x"]), "big"), int.from_bytes(decoded(jwk["y"]), "big"), ec.SECP256R1())
        self.key = numbers.public_key()
        members = json.dumps({"crv": jwk["crv"], "kty": jwk["kty"], "x": jwk["x"], "y": jwk["y"]}, separators=(",", ":"))
        thumbprint = base64.urlsafe_b64encode(hashlib.sha256(members.encode()).digest()).decode().rstrip("=")
        if thumbprint != self.id:
            raise ValueError(f"the key {self.id} has the thumbprint {thumbprint}")

    def has_signed(self, seal):
        signature = decoded(seal["signature"])
        r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
        text = f"card-companion audit seal {seal['hash']}".encode()
        try:
            self.key.verify(utils.encode_dss_signature(r, s), text, ec.ECDSA(hashes.SHA256()))
        except InvalidSignature:
            return False
        return len(signature) == 64


class Trail:
    def __init__(self, lines):
        self.faults, self.notes = [], []
        self.entries, self.seals = {}, {}
        for line in lines:
            place, lines_of_kind = (
                (line["seal"], self.seals) if "seal" in line else ((line["chain"], line["sequence"]), self.entries))
            # After an interruption, a line can be there twice.
            if lines_of_kind.setdefault(place, line) != line:
                name = f"seal {place}" if "seal" in line else f"entry {place[1]} of chain {place[0]}"
                self.faults.append(f"{name} is there twice, with different contents")
        self.ends = {}  # by chain: the sealed ends as (sequence, seal, hash)
        self.last_seal = None
        # If the oldest part was closed and removed, the rest begins with what the newest closing says.
        closings = [seal for seal in self.seals.values() if seal["kind"] == "closing"]
        newest = max(closings, key=lambda seal: (seal["named"]["seal"], seal["seal"]), default=None)
        self.closing = newest if self.seals and min(self.seals) > 1 else None
        self.closed = self.closing["named"] if self.closing else {"seal": 0, "hash": ""}
        heads = self.closing["heads"] if self.closing else []
        self.closed_ends = {head["chain"]: (head["sequence"], head["hash"]) for head in heads}

    def verify_seals(self, keys):
        number, previous = self.closed["seal"], self.closed["hash"]
        unknown, on_token = [], False
        for seal in (self.seals[number] for number in sorted(self.seals) if number > self.closed["seal"]):
            name, named = f"seal {seal['seal']}", seal.get("named")
            # An operator can accept that seals are missing. The epoch says so.
            given_up = seal["kind"] == "epoch" and named and named["seal"] == seal["seal"] - 1
            is_next = seal["seal"] == number + 1 or given_up
            if not is_next:
                self.faults.append(f"seals are missing before {name}")
            if seal_hash(seal).hex() != seal["hash"] or (is_next and seal["previousHash"] != previous):
                self.faults.append(f"{name} was altered or moved")
            key = keys.get(seal["keyId"])
            if key is None:
                unknown.append((seal["kind"], f"{name} is signed with key {seal['keyId']}, which is not known"))
            elif not key.has_signed(seal):
                self.faults.append(f"{name} has a wrong signature")
            else:
                if on_token and key.holder == "server" and seal["kind"] != "epoch":
                    self.faults.append(f"{name} is signed by a server, but the one before it by a token")
                on_token = key.holder != "server"
                # A key can have been erased. A server has verified the seals before it adds one; an operator's epoch covers
                # no closing.
                if seal["kind"] == "epoch":
                    self.faults += [fault for kind, fault in unknown if kind == "closing"]
                unknown = []
            if seal["kind"] == "epoch":
                lost = f"; seal {named['seal']} was known, and seal {number} was the newest one" if named else ""
                self.notes.append(f"epoch {seal['epoch']} began with {name}: {seal['note']}{lost}")
            for late in seal["late"]:
                self.notes.append(
                    f"LATE: entries {late['first']} to {late['last']} of chain {late['chain']} came just before {name}")
            if seal["kind"] != "closing":
                for head in seal["heads"]:
                    self.ends.setdefault(head["chain"], []).append((head["sequence"], seal["seal"], head["hash"]))
            number, previous, self.last_seal = seal["seal"], seal["hash"], seal
        self.faults += [fault for _, fault in unknown]

    def verify_entries(self):
        chains = {}
        for (chain, sequence), entry in sorted(self.entries.items()):
            if sequence > self.closed_ends.get(chain, (0, ""))[0]:
                chains.setdefault(chain, []).append(entry)
        for chain in sorted(chains.keys() | self.ends.keys()):
            self.verify_chain(chain, chains.get(chain, []))

    def verify_chain(self, chain, entries):
        number, previous = self.closed_ends.get(chain, (0, ""))
        closed, found = (number, previous), {number: previous}
        for entry in entries:
            name = f"entry {entry['sequence']} of chain {chain}"
            if entry["sequence"] != number + 1:
                self.faults.append(f"entries of chain {chain} are missing before {entry['sequence']}")
            elif entry_hash(entry, bytes.fromhex(previous)).hex() != entry["hash"]:
                self.faults.append(f"{name} was altered or moved")
            number, previous = entry["sequence"], entry["hash"]
            found[number] = previous
        ends = [end for end in self.ends.get(chain, []) if end[0] >= closed[0] and end[0] > 0]
        # The first difference says enough: the later ones follow from it.
        for sequence, seal, digest in sorted(ends):
            if found.get(sequence) != digest:
                self.faults.append(
                    f"seal {seal} covers entry {sequence} of chain {chain}, which is missing or is another one")
                break
        sealed = max((end[0] for end in ends), default=0)
        for entry in entries:
            age = self.last_seal["microseconds"] - entry["microseconds"] if self.last_seal else 0
            if entry["sequence"] > sealed and age > SEALED_AFTER:
                self.faults.append(f"entry {entry['sequence']} of chain {chain} is old, but no seal covers it")

    def verify_witness(self, witness):
        seal = self.seals.get(witness["number"])
        is_closed = (witness["number"], witness["hash"]) == (self.closed["seal"], self.closed["hash"])
        if not is_closed and (seal is None or seal["hash"] != witness["hash"]):
            self.faults.append(
                f"seal {witness['number']} is missing or is another one: the end of the trail was cut off, or the trail was "
                "replaced")


def read_witness(path):
    with open(path, encoding="utf-8") as file:
        witness = json.load(file)
    witness = witness.get("data", witness)
    return {"number": witness["number"], "hash": witness["hash"]}


def main():
    parser = argparse.ArgumentParser(description="Verifies an export of the audit trail.")
    parser.add_argument("export", help="what 'card-companion audit export' has written")
    parser.add_argument("keys", help="what 'card-companion audit keys --json' has written")
    parser.add_argument("--witness", action="append", default=[], help="a seal that must be in the trail")
    arguments = parser.parse_args()
    try:
        with open(arguments.export, encoding="utf-8") as file:
            trail = Trail([json.loads(line) for line in file])
        with open(arguments.keys, encoding="utf-8") as file:
            keys = {key.id: key for key in (Key(jwk) for jwk in json.load(file)["keys"] if jwk.get("use") == "sig")}
        witnesses = [read_witness(path) for path in arguments.witness]
        trail.verify_seals(keys)
        trail.verify_entries()
    except (OSError, ValueError, KeyError, TypeError, AttributeError, struct.error) as error:
        print(f"a file cannot be read: {error!r}", file=sys.stderr)
        sys.exit(2)
    for witness in witnesses:
        trail.verify_witness(witness)
    print(f"{len(trail.entries)} entries, {len(trail.seals)} seals")
    for note in trail.notes:
        print(note)
    for fault in trail.faults:
        print(f"WRONG: {fault}")
    if not trail.faults:
        print("nothing was altered, dropped or reordered")
    sys.exit(1 if trail.faults else 0)


if __name__ == "__main__":
    main()
