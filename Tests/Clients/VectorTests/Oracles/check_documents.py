"""Checks the recorded sessions of documents.json: verifies each document again with asn1crypto and cryptography, and opens the
messages between server and chip. It knows the protocol from document 003 and ICAO Doc 9303-11, and shares no code with the server.
"""

import hashlib
import json

from asn1crypto import cms, core, x509
from checking import Difference, equal, unb64
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.cmac import CMAC

CURVES = {
    "prime256v1": ec.SECP256R1(), "brainpoolP256r1": ec.BrainpoolP256R1(), "brainpoolP384r1": ec.BrainpoolP384R1(),
}
# By the length of a coordinate: documents of Utopia name their curves by parameters, not by name.
SIGNING_CURVES = {"signer": ec.BrainpoolP256R1(), "authority": ec.BrainpoolP384R1(), "chip": ec.SECP256R1()}
# Doc 9303-11 section 9.2: the agreement with its cipher, and the public key.
AGREEMENTS = {"0.4.0.127.0.7.2.2.3.2.1": 16, "0.4.0.127.0.7.2.2.3.2.2": 16, "0.4.0.127.0.7.2.2.3.2.4": 32}
PUBLIC_KEY = "0.4.0.127.0.7.2.2.1.2"
TRIPLE_DES = "0.4.0.127.0.7.2.2.3.2.1"


def check_session(vector, _):
    session = Session(vector)
    closing = session.texts("server", "CLOSE")
    equal("CLOSE", closing, [{"type": "CLOSE", "code": vector["closeCode"], "reason": vector["closeReason"]}])
    equal("the last message", json.loads(vector["messages"][-1]["text"]), closing[0])
    if vector["closeReason"] == "FILE_READ_ERROR":
        # The chip does not have the keys of the new channel, so that nothing could be read, and there is no result.
        equal("whether the chip has its key", session.chip_authentication(), False)
        equal("results", session.texts("server", "RESULT"), [])
        check_report(json.loads(vector["report"]), vector)
        return
    equal("reports", vector.get("report"), None)
    found = []
    if not session.is_passive_right():
        found.append("passiveAuthenticationFailed")
    if session.is_expired():
        found.append("documentExpired")
    equal("refusals", found + session.chip_refusals(), vector["refusals"])
    if not session.texts("app", "FINISH")[0]["sendResult"]:
        equal("results", session.texts("server", "RESULT"), [])
        return
    passport = session.texts("server", "RESULT")[0]["passport"]
    equal("passiveAuthentication", passport["passiveAuthentication"], "passiveAuthenticationFailed" not in found)
    equal("activeAuthenticationResult", passport["activeAuthenticationResult"], session.active_result())


def check_report(report, vector):
    """What the bank gets of a chip that does not have its key: nothing that nobody has signed."""
    equal("chipAuthenticationResult", report["chipAuthenticationResult"], "FAILED")
    equal("passiveAuthentication", report["passiveAuthentication"], False)
    equal("refusals", vector["refusals"], ["chipAuthenticationFailed", "readingNotFinished"])
    equal("the cause", [each for each in report["errors"] if vector["closeReason"] in each],
          [f"the session has failed: {vector['closeReason']}"])
    for member in ["sodInfo", "mrzInfo", "facePhoto", "additionalPersonalDetails", "additionalDocumentDetails"]:
        equal(member, report.get(member), None)


class Session:
    def __init__(self, vector):
        self.vector = vector
        self.messages = vector["messages"]
        self.challenge = bytes.fromhex(vector["challenge"])
        accepted = self.texts("server", "ACCEPT")[0]
        equal("activeAuthenticationChallenge", unb64(accepted["activeAuthenticationChallenge"]), self.challenge)
        self.files = {}
        for side in ["server", "app"]:
            for message in self.binaries(side, 1):
                name = message[1:1 + message[0]].decode()
                self.files[name] = message[1 + message[0]:]
        self.security_object = SecurityObject(self.files["sod"]) if "sod" in self.files else None

    def texts(self, side, kind):
        found = [json.loads(each["text"]) for each in self.messages if each["from"] == side and "text" in each]
        return [each for each in found if each["type"] == kind]

    def binaries(self, side, kind):
        found = [bytes.fromhex(each["binary"]) for each in self.messages if each["from"] == side and "binary" in each]
        return [each[1:] for each in found if each[0] == kind]

    # Passive authentication

    def is_passive_right(self):
        groups = {int(name[2:]): content for name, content in self.files.items() if name.startswith("dg")}
        for number, content in groups.items():
            if self.security_object.hashes.get(number) != hashlib.sha256(content).digest():
                return False
        authority = x509.Certificate.load(bytes.fromhex(self.vector["authority"]))
        return 1 in groups and self.security_object.is_signed_under(authority)

    def is_expired(self):
        line = self.files["dg1"][-44:].decode()
        equal("the issuing state", self.files["dg1"][-88:].decode()[2:5], "UTO")
        return line[21:27] < "261118"  # the day of the vectors' time; no document of theirs is older than 2000

    # The chip

    def chip_refusals(self):
        active = self.active_authentication()
        wrong = ["wrongActiveAuthenticationSignature"] if active is False else []
        if PUBLIC_KEY in self.security_infos():
            return ([] if self.chip_authentication() else ["chipAuthenticationFailed"]) + wrong
        if active is None:
            return ["chipCannotBeAuthenticated"]
        return ([] if active else ["activeAuthenticationFailed"]) + wrong

    def security_infos(self):
        if "dg14" not in self.files:
            return {}
        infos = core.SetOf.load(content_of(self.files["dg14"]), spec=core.Any)
        parsed = [core.SequenceOf.load(info.dump(), spec=core.Any) for info in infos]
        return {core.ObjectIdentifier.load(info[0].dump()).native: info for info in parsed}

    def active_authentication(self):
        """None if the chip has no key, or was not asked."""
        signature = self.texts("app", "FINISH")[0].get("activeAuthenticationSignature")
        if 15 not in self.security_object.hashes or signature is None:
            return None
        signature = unb64(signature)
        half = len(signature) // 2
        encoded = encode_dss_signature(*(int.from_bytes(part, "big") for part in (signature[:half], signature[half:])))
        key = public_key(content_of(self.files["dg15"]), SIGNING_CURVES["chip"])
        return is_valid(key, encoded, self.challenge)

    def active_result(self):
        return {None: "UNAVAILABLE", True: "SUCCESS", False: "FAILED"}[self.active_authentication()]

    def chip_authentication(self):
        """Derives the keys of the new channel, and reads EF.DG1 through it as the server has."""
        vector, infos = self.vector["terminalKey"], self.security_infos()
        curve = CURVES[vector["curve"]]
        terminal = ec.derive_private_key(int(vector["privateKey"], 16), curve)
        secret = terminal.exchange(ec.ECDH(), public_key(infos[PUBLIC_KEY][1].dump(), curve))
        agreement = next(identifier for identifier in infos if identifier in AGREEMENTS)
        keys = [derived(secret, counter, agreement) for counter in (1, 2)]
        if not self.is_point_sent(terminal, curve):
            raise Difference("the server's public key is in none of its commands")
        try:
            data = Channel(agreement == TRIPLE_DES, *keys).read(self.binaries("server", 2), self.binaries("app", 2))
        except InvalidSignature:
            return False
        equal("EF.DG1 from the chip", data, self.files["dg1"])
        back = self.texts("server", "CA_HANDBACK")[0]
        equal("checkResult", back["checkResult"], "SUCCESS")
        info = back["secureMessagingInfo"]
        size = len(keys[0])
        equal("encKey", unb64(info["encKey"])[:size], keys[0])
        equal("macKey", unb64(info["macKey"])[:size], keys[1])
        return True

    def is_point_sent(self, terminal, curve):
        """The command with the server's public key is protected with the keys that the app has handed over."""
        info = self.texts("app", "CA_HANDOVER")[0]["secureMessagingInfo"]
        old = Channel(info["algorithm"] == "DESede", unb64(info["encKey"])[:32], unb64(info["macKey"])[:32])
        old.counter = info["ssc"] % (1 << 64)
        numbers, size = terminal.public_key().public_numbers(), (curve.key_size + 7) // 8
        point = b"\x04" + numbers.x.to_bytes(size, "big") + numbers.y.to_bytes(size, "big")
        for command in self.binaries("server", 2):
            old.counter += 1
            cryptogram = objects(command_body(command)).get(0x87)
            if cryptogram and point in old.decrypted(cryptogram[1:]):
                return True
            old.counter += 1
        return False


class SecurityObject:
    """EF.SOD (Doc 9303-10 section 4.6.2)."""

    def __init__(self, file):
        self.message = cms.ContentInfo.load(content_of(file), strict=True)["content"]
        self.content = self.message["encap_content_info"]["content"].contents
        groups = core.SequenceOf.load(self.content, spec=core.Any)[2]
        pairs = [core.SequenceOf.load(each.dump(), spec=core.Any) for each in core.SequenceOf.load(groups.dump(), spec=core.Any)]
        self.hashes = {
            core.Integer.load(number.dump()).native: core.OctetString.load(value.dump()).native for number, value in pairs}

    def is_signed_under(self, authority):
        signer, info = self.message["certificates"][0].chosen, self.message["signer_infos"][0]
        attributes = {each["type"].native: each["values"][0].native for each in info["signed_attrs"]}
        equal("message_digest", attributes["message_digest"], hashlib.sha256(self.content).digest())
        key = public_key(signer.public_key.dump(), SIGNING_CURVES["signer"])
        if not is_valid(key, info["signature"].native, info["signed_attrs"].untag().dump()):
            return False
        issuer = public_key(authority.public_key.dump(), SIGNING_CURVES["authority"])
        return is_valid(issuer, signer.signature, signer["tbs_certificate"].dump())


class Channel:
    """Secure messaging (Doc 9303-11 section 9.8)."""

    def __init__(self, is_triple_des, encryption_key, authentication_key):
        self.is_triple_des, self.size = is_triple_des, 8 if is_triple_des else 16
        self.keys = [key[:16] if is_triple_des else key for key in (encryption_key, authentication_key)]
        self.counter = 0

    def read(self, commands, answers):
        """What the answers to READ BINARY say that come in this channel, which is new after the last command of the old one.

        Raises InvalidSignature if the chip does not know the keys.
        """
        equal("the number of answers", len(answers), len(commands))
        start = next((place for place, command in enumerate(commands) if command[1] == 0xA4), None)
        if start is None:
            raise InvalidSignature("the chip was gone before")
        data = b""
        for command, answer in zip(commands[start:], answers[start:]):
            self.counter += 1
            self.check(command[:4], command_body(command))
            self.counter += 1
            self.check(b"", answer[:-2])
            parts = objects(answer[:-2])
            if command[1] == 0xB0 and 0x87 in parts:
                data += unpadded(self.decrypted(parts[0x87][1:]))
        return data

    def check(self, header, body):
        """The MAC of a command or an answer."""
        parts, code = body[:-10], body[-8:]
        message = self.counter.to_bytes(self.size, "big")
        if header:
            message += self.padded(header) + (self.padded(parts) if parts else b"")
        else:
            message += self.padded(parts)
        if self.code(message) != code:
            raise InvalidSignature

    def code(self, message):
        if not self.is_triple_des:
            cmac = CMAC(algorithms.AES(self.keys[1]))
            cmac.update(message)
            return cmac.finalize()[:8]
        # ISO/IEC 9797-1, MAC algorithm 3: DES in a chain, and Triple DES for the last block.
        first, second = self.keys[1][:8], self.keys[1][8:]
        block = bytes(8)
        for place in range(0, len(message), 8):
            mixed = bytes(one ^ other for one, other in zip(block, message[place:place + 8]))
            block = des(first, mixed)
        return Cipher(TripleDES(first + second + first), modes.ECB()).encryptor().update(
            Cipher(TripleDES(first * 3), modes.ECB()).decryptor().update(block))

    def padded(self, message):
        message += b"\x80"
        return message + bytes(-len(message) % self.size)

    def decrypted(self, cryptogram):
        key = self.keys[0]
        if self.is_triple_des:
            cipher = Cipher(TripleDES(key + key[:8]), modes.CBC(bytes(8)))
        else:
            counter = self.counter.to_bytes(16, "big")
            first = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(counter)
            cipher = Cipher(algorithms.AES(key), modes.CBC(first))
        return cipher.decryptor().update(cryptogram)


def des(key, block):
    return Cipher(TripleDES(key * 3), modes.ECB()).encryptor().update(block)


def unpadded(message):
    return message[:message.rindex(b"\x80")]


def derived(secret, counter, agreement):
    """A session key (Doc 9303-11 section 9.7.1)."""
    size = AGREEMENTS[agreement]
    source = secret + counter.to_bytes(4, "big")
    if agreement != TRIPLE_DES:
        return (hashlib.sha256(source).digest() if size > 16 else hashlib.sha1(source).digest())[:size]
    key = hashlib.sha1(source).digest()[:16]
    return bytes(byte & 0xFE | (bin(byte >> 1).count("1") + 1) % 2 for byte in key)


# Encodings


def content_of(file):
    """The value of a file's only element."""
    header = 2 if file[1] < 0x80 else 2 + file[1] - 0x80
    return file[header:]


def command_body(command):
    """The data of a command, with short or extended lengths."""
    if command[4] != 0:
        return command[5:5 + command[4]]
    return command[7:7 + int.from_bytes(command[5:7], "big")]


def objects(body):
    """The data objects of secure messaging, by tag."""
    found, place = {}, 0
    while place < len(body):
        tag, length, place = body[place], body[place + 1], place + 2
        if length > 0x80:
            count = length - 0x80
            length, place = int.from_bytes(body[place:place + count], "big"), place + count
        found[tag], place = body[place:place + length], place + length
    return found


def public_key(info, curve):
    bits = core.BitString.load(core.SequenceOf.load(info, spec=core.Any)[1].dump())
    return ec.EllipticCurvePublicKey.from_encoded_point(curve, bits.contents[1:])


def is_valid(key, signature, message):
    try:
        key.verify(signature, message, ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        return False
    return True
