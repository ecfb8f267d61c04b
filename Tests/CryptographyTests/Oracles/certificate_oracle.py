"""Makes and reads certificates for CryptographyTests with Python's cryptography. An argument names the question.
Standard input has its arguments as a JSON object of strings. Standard output gets the answer in the same format.
"""

import base64
import datetime
import json
import sys

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.x509.oid import NameOID

# The object identifier of PKCS #1 without its last byte.
PKCS1 = bytes.fromhex("06092a864886f70d0101")
PEM = serialization.Encoding.PEM
BEGIN = datetime.datetime(2023, 1, 1)
END = datetime.datetime(2033, 1, 1)


def name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def certificate(subject, public_key, issuer, issuer_key, is_ca, algorithm):
    usage = x509.KeyUsage(not is_ca, False, False, False, False, is_ca, is_ca, False, False)
    builder = x509.CertificateBuilder(
        name(issuer), name(subject), public_key, x509.random_serial_number(), BEGIN, END)
    builder = builder.add_extension(x509.BasicConstraints(is_ca, None), True).add_extension(usage, True)
    return builder.sign(issuer_key, algorithm)


def rsa_key(bits=2048):
    return rsa.generate_private_key(65537, bits)


def make(arguments):
    kind = arguments["kind"]
    authority_key = rsa_key(1024 if kind == "weak CA" else 2048)
    if kind == "Ed25519 CA":
        authority_key = ed25519.Ed25519PrivateKey.generate()
    key = rsa_key(1024 if kind == "weak key" else 2048)
    if kind == "EC":
        key = ec.generate_private_key(ec.SECP256R1())
    algorithm = None if kind == "Ed25519 CA" else hashes.SHA256()
    authority = certificate("CA", authority_key.public_key(), "CA", authority_key, True, algorithm)
    leaf = certificate("Bank", key.public_key(), "CA", authority_key, False, algorithm)
    der = leaf.public_bytes(serialization.Encoding.DER)
    if kind == "SHA-1":
        der = signed_with_sha1(leaf, authority_key)
    if kind == "RSA-PSS key":
        der = der.replace(PKCS1 + b"\x01\x05\x00", PKCS1 + b"\x0a\x30\x00")
    if kind == "unreadable key":
        der = der.replace(PKCS1 + b"\x01", PKCS1 + b"\x7f")
    return {"certificate": pem(der), "authority": authority.public_bytes(PEM).decode()}


def signed_with_sha1(leaf, key):
    """Signs the certificate again with sha1WithRSAEncryption, which the library does not support."""
    sha256, sha1 = PKCS1 + b"\x0b", PKCS1 + b"\x05"
    signed = leaf.tbs_certificate_bytes.replace(sha256, sha1)
    signature = key.sign(signed, padding.PKCS1v15(), hashes.SHA1())
    content = signed + bytes.fromhex("300d") + sha1 + bytes.fromhex("05000382010100") + signature
    return bytes.fromhex("3082") + len(content).to_bytes(2, "big") + content


def pem(der):
    return "-----BEGIN CERTIFICATE-----\n" + base64.encodebytes(der).decode() + "-----END CERTIFICATE-----\n"


def read(arguments):
    leaf = x509.load_pem_x509_certificate(arguments["certificate"].encode())
    authority = x509.load_pem_x509_certificate(arguments["authority"].encode())
    leaf.verify_directly_issued_by(authority)
    usage = leaf.extensions.get_extension_for_class(x509.KeyUsage).value
    names = ["digital_signature", "content_commitment", "key_encipherment", "key_cert_sign", "crl_sign"]
    return {
        "subject": leaf.subject.rfc4514_string(),
        "notBefore": str(int(leaf.not_valid_before_utc.timestamp())),
        "notAfter": str(int(leaf.not_valid_after_utc.timestamp())),
        "keyUsage": " ".join(name for name in names if getattr(usage, name)),
        "isCA": str(leaf.extensions.get_extension_for_class(x509.BasicConstraints).value.ca),
    }


if __name__ == "__main__":
    question = {"make": make, "read": read}[sys.argv[1]]
    json.dump(question(json.load(sys.stdin)), sys.stdout)
