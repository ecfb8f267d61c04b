"""Answers the questions of EMRTDTests with Python's asn1crypto and cryptography. An argument names the question.
Standard input has its arguments as a JSON object of strings. Standard output gets the answer in the same format. Bytes
are hex.
"""

import json
import pathlib
import sys

from asn1crypto import cms, core, x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

DATA = pathlib.Path(__file__).resolve().parents[1] / "Data"


def seconds(time):
    return str(int(time.timestamp()))


def fields(certificate):
    """What a certificate says, in one text."""
    validity = certificate["tbs_certificate"]["validity"]
    key = certificate.public_key
    kind = key.algorithm
    if kind == "ec":
        kind += f" {len(key['public_key'].native) // 2 * 8}"
    elif kind in ("rsa", "rsassa_pss"):
        kind = f"rsa {key['public_key'].parsed['modulus'].native.bit_length()}"
    country = certificate.subject.native.get("country_name")
    return "|".join((
        certificate["tbs_certificate"]["serial_number"].contents.hex(),
        seconds(validity["not_before"].native), seconds(validity["not_after"].native),
        (certificate.key_identifier or b"").hex(), (certificate.authority_key_identifier or b"").hex(),
        country.upper() if country else "", kind))


def signed_data(content):
    info = cms.ContentInfo.load(content, strict=True)
    assert info["content_type"].native == "signed_data"
    return info["content"]


def list_certificates(arguments):
    """The certificates of a master list by their SHA-256."""
    message = signed_data((DATA / "masterlists" / arguments["file"]).read_bytes())
    content = message["encap_content_info"]["content"].contents

    class Certificates(core.SetOf):
        _child_spec = x509.Certificate

    class MasterList(core.Sequence):
        _fields = [("version", core.Integer), ("certificates", Certificates)]

    found = MasterList.load(content)["certificates"]
    return {certificate.sha256.hex(): fields(certificate) for certificate in found}


def check_security_object(arguments):
    """Whether a security object of ECDSA with SHA-256 and its certificate are well formed, and who signed what."""
    file = bytes.fromhex(arguments["securityObject"])
    header = 2 if file[1] < 0x80 else 2 + file[1] - 0x80
    message = signed_data(file[header:])
    authority = x509.Certificate.load(bytes.fromhex(arguments["authority"]))
    signer_info = message["signer_infos"][0]
    signer = message["certificates"][0].chosen
    attributes = signer_info["signed_attrs"]
    named = {each["type"].native: each["values"][0] for each in attributes}
    digest = hashes.Hash(hashes.SHA256())
    content = message["encap_content_info"]["content"].contents
    digest.update(content)
    return {
        "signer": fields(signer), "authority": fields(authority),
        "isDigestRight": str(named["message_digest"].native == digest.finalize()).lower(),
        "isSignatureRight": verified(signer, attributes.untag().dump(), signer_info["signature"].native),
        "isSignerSigned": verified(authority, signer["tbs_certificate"].dump(), signer.signature),
        "isAuthoritySigned": verified(authority, authority["tbs_certificate"].dump(), authority.signature),
        "isIssuerRight": str(signer.issuer == authority.subject).lower(),
    }


def verified(certificate, message, signature):
    """cryptography knows no explicit parameters: the curve is found by its size."""
    point = certificate.public_key["public_key"].native
    curve = {65: ec.BrainpoolP256R1(), 97: ec.BrainpoolP384R1()}[len(point)]
    try:
        key = ec.EllipticCurvePublicKey.from_encoded_point(curve, point)
        key.verify(signature, message, ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        return "false"
    return "true"


if __name__ == "__main__":
    questions = [list_certificates, check_security_object]
    question = {question.__name__: question for question in questions}[sys.argv[1]]
    json.dump(question(json.load(sys.stdin)), sys.stdout)
