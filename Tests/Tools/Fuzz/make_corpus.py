"""Writes the inputs that the fuzzer begins with: make_corpus.py, in the package's root. It needs Tests/requirements.txt.

They come from docs/vectors, from the vectors of Wycheproof, from the data of EMRTDTests and from the examples of
EIDInterfaceTests, and certificates and lists are made here.
"""

import base64
import datetime
import json
import pathlib
import re

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

ROOT = pathlib.Path(__file__).resolve().parents[3]
CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"
#: Longer inputs only make the fuzzer slow.
LONGEST = 3000
DER, PEM = serialization.Encoding.DER, serialization.Encoding.PEM
SPKI, PKCS8 = serialization.PublicFormat.SubjectPublicKeyInfo, serialization.PrivateFormat.PKCS8


def vectors(name):
    return json.loads((ROOT / "docs/vectors" / f"{name}.json").read_text())


def write(parser, inputs):
    folder = CORPUS / parser
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for number, content in enumerate(inputs):
        content = content.encode() if isinstance(content, str) else content
        if len(content) <= LONGEST:
            (folder / f"{number:02}").write_bytes(content)


def sample(values, count):
    return values[:: max(1, len(values) // count)][:count]


def tokens():
    return [vector["token"] for vector in vectors("tokens")["vectors"][:4] + sample(vectors("negative")["tokens"], 8)]


def bodies():
    negative = vectors("negative")
    token, key = negative["signatures"][0], negative["ecdhPublicKeys"][0]["publicKey"]
    signed = {"token": token["token"], "signature": token["signature"]}
    sealed = next(each["compact"] for each in negative["definitions"] if "ec" in each["name"].lower())
    mac = vectors("macs")["hashMacs"][0]
    holder = {"bankId": mac["bankId"], "uniqueId": mac["uniqueId"]}
    authentic = {**holder, "timestamp": mac["timestamp"], "hashMac": mac["hashMac"]}
    return [json.dumps(body) for body in (
        {**signed, "ecdhPublicKey": key, "style": "calm", "theme": "dark", "scale": 2},
        {**signed, "pin": sealed},
        {**signed, "indexes": sealed, "keypadId": "AAAA"},
        {**authentic, "authCode": sealed, "ecdhPublicKey": key, "formats": ["image", "digits"]},
        {**authentic, "authCode": sealed, "pin": sealed},
        {**holder, "keypadSize": 12},
    )]


def json_texts():
    return [
        '{"a":"b","c":1.5e3,"d":[true,false,null,"\\u00e9\\ud83d\\ude00"],"e":{"f":{}}}',
        '{"":"","\\u0061":"\\n\\"\\\\\\/"}', "[]", '"text"', "-0.5E-10", '{"a":1,"a":2}', '{"é":"\ufeff"}',
    ]


def keypads():
    texts = ["0,1,0,1", "[3, 7, 3, 7]", "3737", "11,10,9,8"]
    return texts + [text for vector in vectors("keypads")["vectors"][:2] for text in vector["plaintexts"][:2]]


def import_lines():
    lines = [
        {"uniqueId": "102456", "status": "ACTIVE", "channels": ["CAPTCHA"], "definition": True},
        {"op": "patch", "uniqueId": "102457", "status": "BLOCKED", "accessibility": None, "authenticationFailures": 0},
        {"op": "delete", "uniqueId": "4111111111111111"},
        {"format": "iso-0", "key": "zpk", "block": "0412AC89ABCDEF67", "pan": "4111111111111111"},
    ]
    texts = [json.dumps(line) for line in lines]
    return texts + ["\n".join(texts), "\n".join(texts) + "\n", "\n\n{}\r\n \n", "x" * 201 + "\n{}"]


def jwes():
    negative = vectors("negative")
    definitions = [each["compact"] for each in negative["definitions"]]
    wycheproof = json.loads((ROOT / "Tests/Keys/WycheproofTests/vectors/json_web_encryption_test.json").read_text())
    others = [test["jwe"] for group in wycheproof["testGroups"] for test in group["tests"] if type(test["jwe"]) is str]
    return definitions[:2] + sample(definitions, 10) + sample(others, 6)


def http_signatures():
    digest = "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"
    covered = '("@method" "@authority" "@path" "@query" "content-digest")'
    return ["\n".join(lines) for lines in (
        [f'sig1={covered};created=1800000000;nonce="abcdefgh12";keyid="k1"', "sig1=:AAAA:", digest,
         "api.example.com", "/v1/banks/b/cardholders/c?dry=yes"],
        ['a=("@query-param";name="x%20y" "host");keyid="a";alg="ed25519", b=();keyid="b"', "a=:AA==:, b=::", "",
         "api.example.com:443", "/?x+y=%c3%a9&b"],
        ['sig=("@method" "@method");keyid="k"', "sig=:AAAA:", "sha-512=:AAAA:", "", "*"],
        ['sig=("@target-uri" "@request-target" "@scheme" "@status");expires=1;tag="t\\"\\\\";keyid=""', "sig=:AAAA:",
         digest + ", md5=:AAAA:", "EXAMPLE.com:8443", "/"],
    )]


def request_heads():
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    return ["\n".join(lines) for lines in (
        [trace, "203.0.113.7, 10.0.0.2", 'for=203.0.113.7;by=10.0.0.1, for="[2001:db8::1]:443"', "api.example.com:8443"],
        ["01" + trace[2:] + "-more", "unknown,::ffff:10.0.0.1", 'for=_hidden;proto="a\\"b"', "10.0.0.0/8"],
        [trace[:-1], "", "", "2001:db8::/32"], ["ff" + trace[2:], "1.2.3.4:80", "For=\"[::1]\"", "192.0.2.256"],
    )]


def certificate_material():
    now = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
    later = datetime.datetime(2046, 1, 1, tzinfo=datetime.timezone.utc)
    keys = [rsa.generate_private_key(65537, 2048), ec.generate_private_key(ec.SECP256R1()),
            ed25519.Ed25519PrivateKey.generate()]
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Fuzz")])
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(keys[1].public_key())
        .serial_number(7).not_valid_before(now).not_valid_after(later)
        .add_extension(x509.BasicConstraints(True, None), True).sign(keys[1], hashes.SHA256()))
    revoked = x509.RevokedCertificateBuilder().serial_number(9).revocation_date(now).build()
    revocations = (
        x509.CertificateRevocationListBuilder().issuer_name(name).last_update(now).next_update(later)
        .add_revoked_certificate(revoked).sign(keys[1], hashes.SHA256()))
    return keys, [certificate, revocations]


def key_files(encoding):
    keys, signed = certificate_material()
    files = [key.public_key().public_bytes(encoding, SPKI) for key in keys]
    files += [key.private_bytes(encoding, PKCS8, serialization.NoEncryption()) for key in keys[1:]]
    return files + [each.public_bytes(encoding) for each in signed]


def odd_public_keys():
    wycheproof = json.loads((ROOT / "Tests/Keys/WycheproofTests/vectors/ecdh_secp256r1_test.json").read_text())
    odd = [test["public"] for test in wycheproof["testGroups"][0]["tests"] if test["result"] != "valid"]
    return [bytes.fromhex(key) for key in sample(odd, 10)]


def key_blocks():
    return [
        "D0112P0AD00N0000" + "0" * 96, "B0080P0TE00N0000" + "A" * 64, "D0112M7HV00N0000" + "9" * 96,
        "D0144P0AE00E0200KC0C00123456" + "PB0400" + "0" * 110,
        "D0144P0AD00N0200TS1320260101000000Z" + "LB0CKey-name" + "0" * 97, "D0016P0AD00N0000",
    ]


def pin_blocks():
    pan = b"4111111111111111"
    return [b"\x00" + bytes.fromhex("041234FFFFFFFFFF") + pan, b"\x01" + bytes.fromhex("1412345678901234"),
            b"\x02" + bytes.fromhex("361234567ABCDEFA") + pan,
            b"\x03" + bytes.fromhex("441234AAAAAAAAAA0123456789ABCDEF") + pan]


def operators():
    key = "11" * 32
    return [
        "card-companion approval 1\ninstallation i1\naction bank add\nchange 00ff\nobject 0102\nnonce "
        + "ab" * 16 + "\nexpires 1800000000\n",
        f"card-companion operators 1\ninstallation i1\nsequence 1\ndual-control on\noperator a {key}\noperator b {key}\n",
        f"card-companion operators 1\ninstallation i1\nsequence 2\ndual-control off\noperator a {key}\n",
    ]


def inventories():
    digest, approval = "ab" * 32, "cd" * 16
    return [
        f"card-companion inventory 1\ninstallation\nversion 1\nprevious -\ndata-key {digest} - pin-1\n",
        f"card-companion inventory 1\nbank b1\nversion 7\nprevious {digest}\n"
        f"certificate {digest} {approval} sign 2027\nsettings {digest} - \nwebhook {digest} - a\\u{{a}}b\n",
        f"card-companion inventory 1\nbank b1\nversion 9223372036854775807\nprevious {digest}\nkey {digest} - \\u{{5c}}\n",
    ]


def documents(pattern):
    return [path.read_bytes() for path in sorted((ROOT / "Tests/Documents/EMRTDTests/Data").glob(pattern))]


def security_objects():
    names = ["AT", "CN", "NZ", "RU", "SG", "UK", "neg-BSI-lds-version-2"]
    revoked = certificate_material()[1]
    return [each for name in names for each in documents(f"sods/{name}.bin")] + documents("lds/utopia-*/sod.bin") + [
        each.public_bytes(DER) for each in revoked] + documents("lds/utopia-*/csca.cer")


def element(tag, *parts):
    content = b"".join(parts)
    size = len(content)
    length = bytes([size]) if size < 128 else bytes([0x82, size >> 8, size & 255])
    return bytes([tag]) + length + content


def master_lists():
    """The German list with one small certificate, signed by nobody."""
    certificate = documents("lds/utopia-ec/csca.cer")[0]
    sha256 = element(0x30, bytes.fromhex("0609608648016503040201"))
    kind = bytes.fromhex("0606678108010102")
    content = element(0x30, b"\2\1\0", element(0x31, certificate))
    attributes = element(0xA0, element(0x30, bytes.fromhex("06092A864886F70D010903"), element(0x31, kind)),
                         element(0x30, bytes.fromhex("06092A864886F70D010904"), element(0x31, element(4, bytes(32)))))
    signer = element(0x30, b"\2\1\3", element(0x80, bytes(20)), sha256, attributes,
                     element(0x30, bytes.fromhex("06082A8648CE3D040302")), element(4, bytes.fromhex("3006020101020101")))
    body = element(0x30, b"\2\1\3", element(0x31, sha256), element(0x30, kind, element(0xA0, element(4, content))),
                   element(0xA0, certificate), element(0x31, signer))
    signed = element(0x30, bytes.fromhex("06092A864886F70D010702"), element(0xA0, body))
    return [signed, signed.replace(b"\2\1\0", b"\2\1\1"), content, signed[:700]]


def chip_answers():
    channels = json.loads((ROOT / "Tests/Documents/EMRTDTests/Data/secure-messaging/generated.json").read_text())["channels"]
    exchanges = [exchange for channel in channels[:2] for exchange in channel["exchanges"]]
    protected = [bytes.fromhex(exchange[kind]) for exchange in exchanges[:4] + exchanges[-3:]
                 for kind in ("protectedCommand", "protectedResponse")]
    # Answers one after the other, each after its length.
    plain = ["9000", "615B5F1F9000", "58503C9000", "6282", "6A82"]
    answers = b"".join(bytes([len(each) // 2]) + bytes.fromhex(each) for each in plain)
    return protected + [answers, bytes.fromhex("00B000000000FF"), bytes.fromhex("00860000000003010203FFFF")]


def document_sessions():
    """Messages of a client, each with a byte for its kind and two for its length."""
    def message(content):
        kind, content = (0, json.dumps(content).encode()) if isinstance(content, dict) else (1, content)
        return bytes([kind]) + len(content).to_bytes(2, "big") + content

    def file(name, content):
        return bytes([1, len(name)]) + name.encode() + content

    start = {"type": "START", "validationId": "v", "clientId": "c", "platform": "iOS",
             "nfcAdapterSupportsExtendedLength": True, "enableDiagnostics": False}
    dg14 = file("dg14", documents("lds/utopia-ec/dg14.bin")[0])
    finish = {"type": "FINISH", "sendResult": True, "activeAuthenticationSignature": "AAAA"}
    sessions = [[start, {"type": "MONITORING", "message": "x"}, file("sod", b"w\0"), finish]]
    for algorithm, size, counter in ("AES", 16, 5), ("AES", 32, 0), ("DESede", 16, -(1 << 63)), ("DESede", 24, 7):
        key = base64.b64encode(bytes(size)).decode()
        hand_over = {"type": "CA_HANDOVER", "maxTransceiveLengthForSecureMessaging": 256, "maxBlockSize": 224,
                     "secureMessagingInfo": {"algorithm": algorithm, "encKey": key, "macKey": key, "ssc": counter}}
        sessions.append([start, dg14, hand_over, bytes.fromhex("026F00")])
        sessions.append([start, dg14, hand_over, bytes.fromhex("0299029000"), finish])
    return [b"".join(map(message, session)) for session in sessions]


def web_sockets():
    """Frames of a client, masked."""
    def frame(first, payload=b""):
        length = bytes([0x80 | len(payload)]) if len(payload) < 126 else b"\xFE" + len(payload).to_bytes(2, "big")
        return bytes([first]) + length + b"\1\2\3\4" + bytes(byte ^ (1, 2, 3, 4)[i % 4] for i, byte in enumerate(payload))

    return [
        frame(0x81, "Grüße".encode()) + frame(0x82, bytes(200)) + frame(0x88, b"\x03\xE8bye"),
        frame(0x01, b"a") + frame(0x89, b"ping") + frame(0x00) + frame(0x80, b"b") + frame(0x8A),
        frame(0x81, b"\xFF"), frame(0xC1), frame(0x83), frame(0x80), frame(0x88, b"\3"), b"\x81\0", b"\x82\xFF" + b"\xFF" * 12,
        frame(0x02, bytes(1900)) + frame(0x80, bytes(200)),
    ]


def eid_examples(kind):
    """The texts of document 000, on a line each: all, and those of each workflow together."""
    source = (ROOT / "Tests/EID/EIDInterfaceTests/DocumentExamples.swift").read_text()
    chapters = source.split("/// Chapter")
    texts = [[json.loads(text) for text in re.findall(r'#"""\n(.*?)\n *"""#', part, re.S)] for part in chapters]
    workflows, workflow = [], []
    for text in texts[3]:
        if text.get("cmd", "").startswith("RUN_"):
            workflow = []
            workflows.append(workflow)
        workflow.append(text)
    groups = [[text] for text in sample(texts[1] + texts[2], 40)] + workflows
    lines = ["\n".join(json.dumps(text) for text in group if kind in text) for group in groups]
    return [each for each in lines if each]


def main():
    write("json", json_texts())
    write("request-body", bodies())
    write("authentication-token", tokens())
    write("keypad", keypads())
    write("import-lines", import_lines())
    write("jwe", jwes())
    write("http-signature", http_signatures())
    write("request-head", request_heads())
    write("pem", key_files(PEM))
    write("der", key_files(DER) + odd_public_keys())
    write("key-block", key_blocks())
    write("pin-block", pin_blocks())
    write("operators", operators())
    write("inventory", inventories())
    write("document-file", documents("lds/single/*.bin") + documents("lds/utopia-ec/dg*.bin")
          + documents("lds/loes2006/[cd][og][m1]*.bin"))
    write("security-object", security_objects())
    write("master-list", master_lists())
    write("chip-answer", chip_answers())
    write("document-session", document_sessions())
    write("web-socket", web_sockets())
    write("eid-message", eid_examples("msg"))
    write("eid-command", eid_examples("cmd"))


main()
