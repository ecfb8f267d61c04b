"""Inputs that must be refused, and some valid ones. Each case has only the one error that its name describes."""

import negative_bindings
import negative_jwe
import negative_keys
import negative_primitives
import negative_signatures
from positive import BANK, CLIENT_EC, CLIENT_RSA, SERVER_EC, SERVER_RSA, file_of


def negative():
    return file_of(
        "What must be refused, and with which code",
        [CLIENT_RSA, CLIENT_EC, SERVER_RSA, SERVER_EC, BANK],
        ecdhPublicKeys=negative_keys.ecdh_public_keys(),
        rsaPublicKeys=negative_keys.rsa_public_keys(),
        tokens=negative_signatures.tokens(),
        signatures=negative_signatures.signatures(),
        definitions=list(negative_jwe.definitions()),
        bindings=list(negative_bindings.bindings()),
        deliveries=list(negative_jwe.deliveries()),
        aesGCM=list(negative_primitives.aes_gcm()),
        aesKeyWrap=list(negative_primitives.aes_key_wrap()),
    )
