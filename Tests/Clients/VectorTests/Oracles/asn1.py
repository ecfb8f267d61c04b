"""DER encoding of valid and invalid public keys (X.690, RFC 3279, RFC 5480)."""

RSA_ENCRYPTION = "06092a864886f70d010101"
RSA_PSS = "06092a864886f70d01010a"
EC_PUBLIC_KEY = "06072a8648ce3d0201"
EC_DH = "06052b8104010c"
CURVES = {"P-256": "06082a8648ce3d030107", "P-384": "06052b81040022", "secp256k1": "06052b8104000a"}
NULL = "0500"


def der(tag, content, long_form=False):
    count = len(content)
    if count < 0x80 and not long_form:
        return bytes([tag, count]) + content
    length = count.to_bytes((count.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(length)]) + length + content


def sequence(*elements, long_form=False):
    return der(0x30, b"".join(elements), long_form)


def integer(number):
    return der(0x02, number.to_bytes(number.bit_length() // 8 + 1, "big"))


def key_info(algorithm, bits, unused=0):
    return sequence(algorithm, der(0x03, bytes([unused]) + bits))


def rsa_info(n, e, algorithm=RSA_ENCRYPTION + NULL):
    return key_info(sequence(bytes.fromhex(algorithm)), sequence(integer(n), integer(e)))


def ec_info(point, curve=CURVES["P-256"], algorithm=EC_PUBLIC_KEY, **form):
    return key_info(sequence(bytes.fromhex(algorithm + curve)), point, **form)
