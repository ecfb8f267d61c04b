"""Writes the inputs that the fuzzer begins with: make_corpus.py, in the package's root. It needs Tests/requirements.txt.

They come from docs/vectors and from the vectors of Wycheproof, and certificates and lists are made here.
"""

import base64
import datetime
import json
import pathlib

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

ROOT = pathlib.Path(__file__).resolve().parents[2]
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
    wycheproof = json.loads((ROOT / "Tests/WycheproofTests/vectors/json_web_encryption_test.json").read_text())
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
    wycheproof = json.loads((ROOT / "Tests/WycheproofTests/vectors/ecdh_secp256r1_test.json").read_text())
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


main()
