"""Tokens that are not one strict JSON object, and signatures that are not valid RSASSA-PKCS1-v1_5 signatures."""

import hashlib
import unicodedata

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

import positive
import sealing
from material import base64_text, base64url, octets
from positive import BANK, BANK_BY_ALIAS

INVALID_SIGNATURE, INVALID_TOKEN = 206, 208
SHA256_OID, SHA1_OID = "0609608648016503040201", "06052b0e03021a"
SIZE = BANK.byte_count


def case(name, text, signature, code=INVALID_SIGNATURE):
    verdict = "invalid" if code else "valid"
    return {"name": name, "key": BANK.name, "token": text, "signature": signature, "verdict": verdict, "code": code}


def blocks(text):
    """Encoded messages with small errors (RFC 8017 section 9.2)."""
    message = text.encode()
    digest, info = hashlib.sha256(message).digest(), sealing.digest_info(message)

    def block(info, kind=b"\x01", fill=b"\xff", behind=b"", separator=b"\0", first=b"\0"):
        end = separator + info + behind
        return first + kind + fill * (SIZE - 2 - len(end)) + end

    def rewritten(algorithm_and_digest, outer="30"):
        content = bytes.fromhex(algorithm_and_digest) + digest
        return block(bytes.fromhex(outer) + bytes([len(content)]) + content)

    right = block(info)
    eight_of_fill = b"\0\x01" + b"\xff" * 8 + b"\0" + info
    yield "eight bytes of padding, then what one likes", eight_of_fill.ljust(SIZE, b"\xa5")
    yield "one byte of padding too few, and a zero behind", block(info, behind=b"\0")
    yield "no parameters in the AlgorithmIdentifier", rewritten(f"300b{SHA256_OID}0420")
    yield "the parameters NULL with a long-form length", rewritten(f"300e{SHA256_OID}0581000420")
    yield "the parameters an empty OCTET STRING", rewritten(f"300d{SHA256_OID}04000420")
    yield "what one likes inside the parameters", rewritten(f"3015{SHA256_OID}0508a5a5a5a5a5a5a5a50420")
    yield "the DigestInfo with a long-form length", block(bytes.fromhex("308131") + info[2:])
    yield "the AlgorithmIdentifier with a long-form length", rewritten(f"30810d{SHA256_OID}05000420")
    yield "the digest with a long-form length", rewritten(f"300d{SHA256_OID}0500048120")
    yield "the DigestInfo of indefinite length", block(b"\x30\x80" + info[2:] + b"\0\0")
    yield "a SET in the DigestInfo's place", block(b"\x31" + info[1:])
    yield "a digest of 31 bytes", block(bytes.fromhex(f"3030300d{SHA256_OID}0500041f") + digest[:31])
    yield "a digest of 33 bytes", block(bytes.fromhex(f"3032300d{SHA256_OID}05000421") + digest + b"\0")
    yield "the digest alone", block(digest)
    yield "the token's digest under SHA-1's name", rewritten(f"3009{SHA1_OID}05000420")
    yield "SHA-1", block(sealing.digest_info(message, "sha1"))
    yield "SHA-512", block(sealing.digest_info(message, "sha512"))
    yield "the digest's bytes in reverse", block(info[:-32] + digest[::-1])
    yield "the digest of nothing", block(sealing.digest_info(b""))
    yield "block type 0", block(info, kind=b"\0", fill=b"\0")
    yield "block type 0 with padding of 0xff", block(info, kind=b"\0")
    yield "block type 2", block(info, kind=b"\x02")
    yield "padding of 0xfe", block(info, fill=b"\xfe")
    yield "a byte of the padding changed", right[:100] + b"\xfe" + right[101:]
    yield "a zero in the padding", right[:100] + b"\0" + right[101:]
    yield "the first byte not zero", block(info, first=b"\x01")
    yield "no zero before the DigestInfo", block(info, separator=b"\xff")
    yield "the block's bytes in reverse", b"\0" + right[::-1][:-1]


def low_token():
    """A token whose signature plus the modulus still fits in the same number of bytes."""
    limit = (1 << 8 * SIZE) - BANK.n
    return positive.token_whose_signature(lambda signature: int.from_bytes(signature, "big") < limit)


def numbers(text):
    """Numbers that are derived from the signature or similar to it."""
    signature = sealing.sign(text.encode(), BANK)
    number = int.from_bytes(signature, "big")
    yield "the modulus added", octets(number + BANK.n, SIZE)
    yield "the modulus less the signature", octets(BANK.n - number, SIZE)
    yield "a zero before it", b"\0" + signature
    yield "a zero behind it", signature + b"\0"
    yield "its first byte missing", signature[1:]
    yield "its last byte missing", signature[:-1]
    yield "its first bit changed", bytes([signature[0] ^ 0x80]) + signature[1:]
    yield "its last bit changed", signature[:-1] + bytes([signature[-1] ^ 1])
    yield "its bytes in reverse", signature[::-1]
    yield "zero", bytes(SIZE)
    yield "one", octets(1, SIZE)
    yield "the modulus less one", octets(BANK.n - 1, SIZE)
    yield "the modulus", octets(BANK.n, SIZE)
    yield "the encoded message itself", sealing.encoded_message(sealing.digest_info(text.encode()), BANK)
    yield "by the key of another certificate", sealing.sign(text.encode(), BANK_BY_ALIAS)
    yield "one byte", b"\x01"


def pss(text):
    """An RSASSA-PSS signature with SHA-256. The salt is empty, so that the signature is not random."""
    digest = hashlib.sha256(bytes(8) + hashlib.sha256(text.encode()).digest()).digest()
    block = b"\x01".rjust(SIZE - len(digest) - 1, b"\0")
    masked = sealing.xor(block, sealing.mgf1(digest, len(block), "sha256"))
    encoded = bytes([masked[0] & 0x7F]) + masked[1:] + digest + b"\xbc"
    signature = BANK.private_operation(encoded)
    salt = padding.PSS(padding.MGF1(hashes.SHA256()), 0)
    BANK.key.public_key().verify(signature, text.encode(), salt, hashes.SHA256())
    return signature


def signatures():
    text = low_token()
    signature = sealing.sign(text.encode(), BANK)
    encoded = base64_text(signature)
    short_text = positive.token_with_short_signature()
    short = sealing.sign(short_text.encode(), BANK)
    stray = chr(ord(encoded[-3]) + 1)
    texts = {
        "base64url": base64url(signature).ljust(len(encoded), "="),
        "base64 without padding": encoded.rstrip("="),
        "base64 with a line end": encoded[:64] + "\n" + encoded[64:],
        "base64 with a space before it": " " + encoded,
        "base64 with stray bits at its end": encoded[:-3] + stray + encoded[-2:],
        "hex": signature.hex(),
    }
    accented = positive.token({"IdPorteur": "é"})
    decomposed = unicodedata.normalize("NFD", accented)
    tokens = {
        "a space more in the token": (text.replace(":", ": ", 1), signature),
        "a line end behind the token": (text + "\n", signature),
        "another Type in the token": (text.replace('"01"', '"00"'), signature),
        "another member in the token": (text[:-1] + ',"SignatureCertAlias":""}', signature),
        "the same letters decomposed": (decomposed, sealing.sign(accented.encode(), BANK)),
    }
    cases = [case("as it should be", text, encoded, 0), case("a leading zero", short_text, base64_text(short), 0)]
    cases += [case(name, text, base64_text(BANK.private_operation(block))) for name, block in blocks(text)]
    cases += [case(name, text, base64_text(number)) for name, number in numbers(text)]
    cases.append(case("RSASSA-PSS", text, base64_text(pss(text))))
    cases.append(case("its leading zero left out", short_text, base64_text(short[1:])))
    cases += [case(name, text, other) for name, other in texts.items()]
    return cases + [case(name, other, base64_text(its)) for name, (other, its) in tokens.items()]


def tokens():
    text = positive.token()
    valid = {
        "as it should be": text,
        "white space around it": f" \t\r\n{text}\n",
        "a member that is not known": text[:-1] + ',"Channel":{"a":[1,-2.5e3,true,null]}}',
        "a member's name with an escape": text.replace('"IdBEL"', '"Id\\u0042EL"'),
    }
    invalid = {
        "an array": f"[{text}]",
        "a string": '"token"',
        "null": "null",
        "white space alone": " ",
        "cut short": text[:-1],
        "a second object behind it": text + "{}",
        "a comma before its end": text[:-1] + ",}",
        "a comment": text[:-1] + "/**/}",
        "single quotation marks": text.replace('"', "'"),
        "names without quotation marks": text.replace('"Type"', "Type"),
        "a byte order mark": "\ufeff" + text,
        "a member twice": text[:-1] + ',"IdPorteur":"102457"}',
        "a member twice with the same value": text[:-1] + ',"IdPorteur":"102456"}',
        "a member twice, once with an escape": text[:-1] + ',"\\u0049dPorteur":"102457"}',
        "a member twice in a member": text[:-1] + ',"a":{"b":1,"b":1}}',
        "a line end in a string": text.replace("BANK_ID", "BANK\nID"),
        "an unknown escape": text.replace("BANK_ID", "BANK\\xID"),
        "half of a surrogate pair": text.replace("BANK_ID", "\\ud83d"),
        "a number with a leading zero": text.replace('"01"', "01"),
        "a number that is none": text.replace('"01"', "NaN"),
        "nested 40 deep": text[:-1] + ',"a":' + "[" * 40 + "]" * 40 + "}",
        "the example of the SDK document, which lacks a quotation mark": (
            '{"IdBEL": "BANK_ID", "IdPorteur": "102456", "IdFournisseur": "ServiceProvider, '
            '"IdTransaction": "4567897", "Timestamp": "1562320989", "Type": "01", '
            '"SignatureCertAlias": "CertificateDefault"}'),
    }
    cases = [{"name": name, "token": token, "verdict": "valid", "code": 0} for name, token in valid.items()]
    return cases + [
        {"name": name, "token": token, "verdict": "invalid", "code": INVALID_TOKEN}
        for name, token in invalid.items()]
