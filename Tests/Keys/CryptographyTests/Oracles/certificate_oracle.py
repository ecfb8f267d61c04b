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


def certificate(subject, public_key, issuer, issuer_key, is_ca, algorithm, signs_crls=True):
    usage = x509.KeyUsage(not is_ca, False, False, False, False, is_ca, is_ca and signs_crls, False, False)
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
        der = signed_with_sha1(leaf.tbs_certificate_bytes, authority_key)
    if kind == "RSA-PSS key":
        der = der.replace(PKCS1 + b"\x01\x05\x00", PKCS1 + b"\x0a\x30\x00")
    if kind == "unreadable key":
        der = der.replace(PKCS1 + b"\x01", PKCS1 + b"\x7f")
    return {"certificate": pem(der), "authority": authority.public_bytes(PEM).decode()}


def signed_with_sha1(content, key):
    """Signs a certificate or a CRL again with sha1WithRSAEncryption, which the library does not support."""
    sha256, sha1 = PKCS1 + b"\x0b", PKCS1 + b"\x05"
    signed = content.replace(sha256, sha1)
    signature = key.sign(signed, padding.PKCS1v15(), hashes.SHA1())
    content = signed + bytes.fromhex("300d") + sha1 + bytes.fromhex("05000382010100") + signature
    return bytes.fromhex("3082") + len(content).to_bytes(2, "big") + content


def pem(der, label="CERTIFICATE"):
    return f"-----BEGIN {label}-----\n" + base64.encodebytes(der).decode() + f"-----END {label}-----\n"


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


def crl(arguments):
    """A certificate, its authority, and a CRL of the kind that is asked for. NOW is the test's time."""
    kind = arguments["kind"]
    now = datetime.datetime.fromtimestamp(int(arguments["now"]), datetime.timezone.utc)
    day = datetime.timedelta(days=1)
    key, authority_key = rsa_key(), rsa_key(1024 if kind == "weak key" else 2048)
    signs_crls = kind != "no cRLSign"
    authority = certificate("CA", authority_key.public_key(), "CA", authority_key, True, hashes.SHA256(), signs_crls)
    leaf = certificate("Bank", key.public_key(), "CA", authority_key, False, hashes.SHA256())
    begin = now + day if kind == "from the future" else now - 2 * day
    end = now if kind == "expired" else now + 3 * day
    issuer = "Other CA" if kind == "another CA" else "CA"
    builder = x509.CertificateRevocationListBuilder(name(issuer), begin, end)
    revoked = x509.random_serial_number() if kind == "another certificate" else leaf.serial_number
    entry = x509.RevokedCertificateBuilder(revoked, begin)
    if kind == "on hold":
        entry = entry.add_extension(x509.CRLReason(x509.ReasonFlags.certificate_hold), False)
    if kind == "indirect entry":
        entry = entry.add_extension(x509.CertificateIssuer([x509.DirectoryName(name("Other CA"))]), True)
    if kind != "empty":
        builder = builder.add_revoked_certificate(entry.build())
    if kind == "delta":
        builder = builder.add_extension(x509.DeltaCRLIndicator(1), True)
    if kind == "distribution point":
        point = x509.IssuingDistributionPoint(None, None, True, False, None, False, False)
        builder = builder.add_extension(point, True)
    builder = builder.add_extension(x509.CRLNumber(7), False)
    signed = builder.sign(rsa_key() if kind == "another key" else authority_key, hashes.SHA256())
    der = signed.public_bytes(serialization.Encoding.DER)
    if kind == "SHA-1":
        der = signed_with_sha1(signed.tbs_certlist_bytes, authority_key)
    if kind == "changed":
        der = der[:-1] + bytes([der[-1] ^ 1])
    return {
        "certificate": leaf.public_bytes(PEM).decode(), "authority": authority.public_bytes(PEM).decode(),
        "crl": pem(der, "X509 CRL"), "der": der.hex()}


if __name__ == "__main__":
    question = {"make": make, "read": read, "crl": crl}[sys.argv[1]]
    json.dump(question(json.load(sys.stdin)), sys.stdout)
