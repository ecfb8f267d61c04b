"""Answers the questions of CryptographyTests with Python's cryptography. An argument names the question. Standard input
has its arguments as a JSON object of strings. Standard output gets the answer in the same format. Bytes are hex.
"""

import json
import sys

from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
from cryptography.hazmat.primitives import cmac, hashes, serialization
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

DER = serialization.Encoding.DER
SPKI = serialization.PublicFormat.SubjectPublicKeyInfo
PKCS8 = serialization.PrivateFormat.PKCS8
CLEAR = serialization.NoEncryption()
OAEP = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)


def pss(mgf_hash, salt_length):
    return padding.PSS(padding.MGF1(mgf_hash), salt_length)


def private_key(arguments):
    return serialization.load_der_private_key(bytes.fromhex(arguments["privateKey"]), None)


def public_key(arguments):
    return serialization.load_der_public_key(bytes.fromhex(arguments["publicKey"]))


def message(arguments):
    return bytes.fromhex(arguments["message"])


def new_rsa_key(arguments):
    key = rsa.generate_private_key(int(arguments.get("exponent", "65537")), int(arguments["bits"]))
    return {
        "privateKey": key.private_bytes(DER, PKCS8, CLEAR).hex(),
        "publicKey": key.public_key().public_bytes(DER, SPKI).hex(),
    }


def new_p256_key(arguments):
    key = ec.generate_private_key(ec.SECP256R1())
    return {
        "privateKey": key.private_bytes(DER, PKCS8, CLEAR).hex(),
        "publicKey": key.public_key().public_bytes(DER, SPKI).hex(),
    }


def encrypt(arguments):
    return {"ciphertext": public_key(arguments).encrypt(message(arguments), OAEP).hex()}


def encrypt_otherwise(arguments):
    """Encrypts with other paddings than the expected one."""
    key, text = public_key(arguments), message(arguments)
    sha1, sha256 = hashes.SHA1(), hashes.SHA256()
    others = {
        "OAEP with SHA-1": padding.OAEP(padding.MGF1(sha1), sha1, None),
        "OAEP with SHA-256 and MGF1 with SHA-1": padding.OAEP(padding.MGF1(sha1), sha256, None),
        "OAEP with a label": padding.OAEP(padding.MGF1(sha256), sha256, b"label"),
        "PKCS#1 v1.5": padding.PKCS1v15(),
    }
    return {name: key.encrypt(text, other).hex() for name, other in others.items()}


def decrypt(arguments):
    return {"message": private_key(arguments).decrypt(bytes.fromhex(arguments["ciphertext"]), OAEP).hex()}


def sign(arguments):
    key, text = private_key(arguments), message(arguments)
    return {
        "pkcs1": key.sign(text, padding.PKCS1v15(), hashes.SHA256()).hex(),
        "pss": key.sign(text, pss(hashes.SHA512(), 64), hashes.SHA512()).hex(),
    }


def sign_pss_otherwise(arguments):
    """Makes PSS signatures with other parameters than the expected ones."""
    key, text = private_key(arguments), message(arguments)
    return {
        "salt of 0 bytes": key.sign(text, pss(hashes.SHA512(), 0), hashes.SHA512()).hex(),
        "salt of 32 bytes": key.sign(text, pss(hashes.SHA512(), 32), hashes.SHA512()).hex(),
        "salt of 65 bytes": key.sign(text, pss(hashes.SHA512(), 65), hashes.SHA512()).hex(),
        "MGF1 with SHA-256": key.sign(text, pss(hashes.SHA256(), 64), hashes.SHA512()).hex(),
        "SHA-256": key.sign(text, pss(hashes.SHA256(), 64), hashes.SHA256()).hex(),
    }


def verify(arguments):
    key, text = public_key(arguments), message(arguments)
    key.verify(bytes.fromhex(arguments["pkcs1"]), text, padding.PKCS1v15(), hashes.SHA256())
    key.verify(bytes.fromhex(arguments["pss"]), text, pss(hashes.SHA512(), 64), hashes.SHA512())
    return {"isValid": "true"}


def new_ed25519_key(arguments):
    key = ed25519.Ed25519PrivateKey.generate()
    return {
        "privateKey": key.private_bytes(DER, PKCS8, CLEAR).hex(),
        "publicKey": key.public_key().public_bytes(DER, SPKI).hex(),
        "pem": key.public_key().public_bytes(serialization.Encoding.PEM, SPKI).decode(),
    }


def open_encrypted_pem(arguments):
    key = serialization.load_pem_private_key(arguments["pem"].encode(), arguments["passphrase"].encode())
    return {"publicKey": key.public_key().public_bytes(DER, SPKI).hex()}


def encrypted_pem(arguments):
    """An Ed25519 key, or one on P-256, as OpenSSL's users encrypt it."""
    key = ec.generate_private_key(ec.SECP256R1()) if "p256" in arguments else ed25519.Ed25519PrivateKey.generate()
    protection = serialization.BestAvailableEncryption(arguments["passphrase"].encode())
    return {
        "pem": key.private_bytes(serialization.Encoding.PEM, PKCS8, protection).decode(),
        "publicKey": key.public_key().public_bytes(DER, SPKI).hex(),
    }


def sign_curve(arguments):
    """Signs with Ed25519 or ECDSA, depending on the key. An ECDSA signature is r followed by s."""
    key, text = private_key(arguments), message(arguments)
    if isinstance(key, ed25519.Ed25519PrivateKey):
        return {"signature": key.sign(text).hex()}
    r, s = decode_dss_signature(key.sign(text, ec.ECDSA(hashes.SHA256())))
    return {"signature": (r.to_bytes(32, "big") + s.to_bytes(32, "big")).hex()}


def verify_curve(arguments):
    key, text = public_key(arguments), message(arguments)
    signature = bytes.fromhex(arguments["signature"])
    try:
        if isinstance(key, ed25519.Ed25519PublicKey):
            key.verify(signature, text)
        else:
            r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
            key.verify(encode_dss_signature(r, s), text, ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        return {"isValid": "false"}
    return {"isValid": "true"}


def agree(arguments):
    return {"sharedSecret": private_key(arguments).exchange(ec.ECDH(), public_key(arguments)).hex()}


def block_cipher(arguments):
    """ECB, CBC and CMAC of a message."""
    key, text = bytes.fromhex(arguments["key"]), message(arguments)
    if arguments["algorithm"] == "aes":
        cipher = algorithms.AES(key)
    else:
        cipher = TripleDES(key if len(key) == 24 else key + key[:8])
    code = cmac.CMAC(cipher)
    code.update(text)
    vector = bytes.fromhex(arguments["initializationVector"])

    def encrypted(mode):
        encryptor = Cipher(cipher, mode).encryptor()
        return (encryptor.update(text) + encryptor.finalize()).hex()

    return {"blocks": encrypted(modes.ECB()), "chain": encrypted(modes.CBC(vector)), "cmac": code.finalize().hex()}


HASHES = {"SHA-1": hashes.SHA1, "SHA-224": hashes.SHA224, "SHA-256": hashes.SHA256, "SHA-384": hashes.SHA384,
          "SHA-512": hashes.SHA512}
CURVES = {curve().name: curve for curve in (
    ec.SECP192R1, ec.SECP224R1, ec.SECP256R1, ec.SECP384R1, ec.SECP521R1, ec.BrainpoolP256R1, ec.BrainpoolP384R1,
    ec.BrainpoolP512R1)}


def hash_of(arguments):
    digest = hashes.Hash(HASHES[arguments["hash"]]())
    digest.update(message(arguments))
    return {"digest": digest.finalize().hex()}


def retail_mac(arguments):
    """MAC algorithm 3 of ISO/IEC 9797-1: DES with the first key, and at the end the inverse with the second. DES is
    Triple DES with three equal keys."""
    key, text = bytes.fromhex(arguments["key"]), message(arguments)

    def des(half, block, inverse=False):
        cipher = Cipher(TripleDES(half * 3), modes.ECB())
        operation = cipher.decryptor() if inverse else cipher.encryptor()
        return operation.update(block) + operation.finalize()

    state = bytes(8)
    for start in range(0, len(text), 8):
        state = des(key[:8], bytes(a ^ b for a, b in zip(state, text[start:start + 8])))
    return {"mac": des(key[:8], des(key[8:], state, True)).hex()}


def curve_agreement(arguments):
    """A new key pair on a curve, the secret with a public key, and a signature of a message."""
    curve = CURVES[arguments["curve"]]()
    key = ec.generate_private_key(curve)
    peer = ec.EllipticCurvePublicKey.from_encoded_point(curve, bytes.fromhex(arguments["point"]))
    r, s = decode_dss_signature(key.sign(message(arguments), ec.ECDSA(HASHES[arguments["hash"]]())))
    point = key.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
    return {
        "point": point.hex(), "number": f"{key.private_numbers().private_value:0{(curve.key_size + 7) // 8 * 2}x}",
        "secret": key.exchange(ec.ECDH(), peer).hex(), "r": f"{r:x}".zfill(len(f"{r:x}") + len(f"{r:x}") % 2),
        "s": f"{s:x}".zfill(len(f"{s:x}") + len(f"{s:x}") % 2),
    }


def curve_verify(arguments):
    curve = CURVES[arguments["curve"]]()
    key = ec.EllipticCurvePublicKey.from_encoded_point(curve, bytes.fromhex(arguments["point"]))
    signature = encode_dss_signature(int(arguments["r"], 16), int(arguments["s"], 16))
    try:
        key.verify(signature, message(arguments), ec.ECDSA(HASHES[arguments["hash"]]()))
    except InvalidSignature:
        return {"isValid": "false"}
    return {"isValid": "true"}


def dh_agreement(arguments):
    """The public number of a private one, and the secret with another public number."""
    prime, number = int(arguments["prime"], 16), int(arguments["number"], 16)
    size = (prime.bit_length() + 7) // 8
    power = lambda base: pow(base, number, prime).to_bytes(size, "big").hex()
    return {"public": power(int(arguments["generator"], 16)), "secret": power(int(arguments["peer"], 16))}


def rsa_signatures(arguments):
    """Signatures of a message with a new key, with PKCS #1 v1.5 and several kinds of PSS, and the plain RSA operation."""
    key = rsa.generate_private_key(int(arguments["exponent"]), int(arguments["bits"]))
    numbers = key.private_numbers()
    modulus, size = numbers.public_numbers.n, (key.key_size + 7) // 8
    signatures = {"modulus": f"{modulus:0{size * 2}x}", "exponent": f"{numbers.public_numbers.e:08x}"}
    for name, algorithm in HASHES.items():
        signatures[f"pkcs1 {name}"] = key.sign(message(arguments), padding.PKCS1v15(), algorithm()).hex()
        for mask_name, mask in HASHES.items():
            for salt in (0, 20, algorithm().digest_size):
                scheme = padding.PSS(padding.MGF1(mask()), salt)
                signatures[f"pss {name} {mask_name} {salt}"] = key.sign(message(arguments), scheme, algorithm()).hex()
    plain = int.from_bytes(message(arguments), "big")
    signatures["plain"] = pow(plain, numbers.d, modulus).to_bytes(size, "big").hex()
    return signatures


def forge_pkcs1(arguments):
    """Makes signatures with the plain RSA operation over wrong paddings that a careless check accepts, and over the
    correct padding ("right")."""
    numbers = private_key(arguments).private_numbers()
    modulus, exponent = numbers.public_numbers.n, numbers.d
    size = (modulus.bit_length() + 7) // 8
    digest = hashes.Hash(hashes.SHA256())
    digest.update(message(arguments))
    value = digest.finalize()
    oid = bytes.fromhex("0609608648016503040201")
    info = bytes.fromhex("3031300d") + oid + bytes.fromhex("05000420") + value

    def block(info, kind=1, filler=0xFF, length=None):
        fill = size - 3 - len(info) if length is None else length
        return bytes([0, kind]) + bytes([filler]) * fill + b"\0" + info

    def garbage_after(info, filler):
        start = block(info, length=filler)
        return start + bytes(size - len(start))

    blocks = {
        "right": block(info),
        "no NULL": block(bytes.fromhex("302f300b") + oid + bytes.fromhex("0420") + value),
        "NULL with content": block(bytes.fromhex("3032300e") + oid + bytes.fromhex("0501000420") + value),
        "long length of the sequence": block(bytes.fromhex("308131300d") + oid + bytes.fromhex("05000420") + value),
        "long length of the algorithm": block(bytes.fromhex("303230810d") + oid + bytes.fromhex("05000420") + value),
        "long length of NULL": block(bytes.fromhex("3032300e") + oid + bytes.fromhex("0581000420") + value),
        "long length of the hash": block(bytes.fromhex("3032300d") + oid + bytes.fromhex("0500048120") + value),
        "indefinite length": block(bytes.fromhex("3080300d") + oid + bytes.fromhex("05000420") + value + bytes(2)),
        "garbage in the sequence": block(bytes.fromhex("3033300d") + oid + bytes.fromhex("05000420") + value + b"\5\0"),
        "garbage after the sequence": block(info + b"\5\0"),
        "garbage after a short padding": garbage_after(info, 8),
        "no padding, garbage after": garbage_after(info, 0),
        "padding of zeros": block(info, filler=0),
        "one byte of padding changed": block(info).replace(b"\xff\xff\0", b"\xff\xfe\0", 1),
        "block type 0": block(info, kind=0),
        "block type 2": block(info, kind=2),
        "no separator": b"\0\1" + b"\xff" * (size - 2 - len(info)) + info,
        "first byte not 0": b"\1\1" + block(info)[2:],
        "the bare hash": block(value),
        "object identifier of SHA-1": block(
            bytes.fromhex("302d300906052b0e03021a05000420") + value),
        "object identifier of SHA-512": block(
            bytes.fromhex("3031300d0609608648016503040203") + bytes.fromhex("05000420") + value),
        "hash shortened": block(bytes.fromhex("3030300d") + oid + bytes.fromhex("0500041f") + value[:31]),
        "only zeros": bytes(size),
    }
    signatures = {}
    for name, content in blocks.items():
        assert len(content) == size, name
        signatures[name] = pow(int.from_bytes(content, "big") % modulus, exponent, modulus).to_bytes(size, "big").hex()
    right = int(signatures["right"], 16)
    signatures["a zero byte in front"] = "00" + signatures["right"]
    signatures["a zero byte behind"] = signatures["right"] + "00"
    signatures["cut"] = signatures["right"][:-2]
    signatures["plus the modulus"] = (right + modulus).to_bytes(size + 1, "big").hex()
    signatures["minus itself"] = (modulus - right).to_bytes(size, "big").hex()
    signatures["zero"] = bytes(size).hex()
    signatures["one"] = (1).to_bytes(size, "big").hex()
    signatures["modulus less one"] = (modulus - 1).to_bytes(size, "big").hex()
    signatures["empty"] = ""
    return signatures


if __name__ == "__main__":
    questions = [
        new_rsa_key, new_p256_key, new_ed25519_key, encrypt, encrypt_otherwise, decrypt, sign, sign_pss_otherwise,
        verify, open_encrypted_pem, encrypted_pem, sign_curve, verify_curve, agree, block_cipher, forge_pkcs1,
        hash_of, retail_mac, curve_agreement, curve_verify, dh_agreement, rsa_signatures,
    ]
    question = {question.__name__: question for question in questions}[sys.argv[1]]
    json.dump(question(json.load(sys.stdin)), sys.stdout)
