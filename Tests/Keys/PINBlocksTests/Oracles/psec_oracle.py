"""Makes and opens PIN blocks for PINBlocksTests with psec. An argument names the question. Standard input has its arguments
as a JSON object of strings. Standard output gets the answer in the same format. Bytes are hex.
"""

import json
import sys
import warnings

# psec is older than the warnings about Triple DES.
warnings.simplefilter("ignore")

from psec import des, pinblock  # noqa: E402


# psec has no format 1. Its format 2 has another control digit and fill F, which format 1 allows too.
def encode_pinblock_iso_1(pin, _):
    return bytes.fromhex("1" + pinblock.encode_pinblock_iso_2(pin).hex()[1:])


def field(arguments):
    """The clear field of a block of Triple DES."""
    return {"field": des.decrypt_tdes_ecb(bytes.fromhex(arguments["key"]), bytes.fromhex(arguments["block"])).hex()}


def encrypt(arguments):
    key, pin, pan = bytes.fromhex(arguments["key"]), arguments["pin"], arguments["pan"]
    if arguments["format"] == "iso-4":
        return {"block": pinblock.encipher_pinblock_iso_4(key, pin, pan).hex()}
    encode = {
        "iso-0": pinblock.encode_pinblock_iso_0, "iso-1": encode_pinblock_iso_1,
        "iso-3": pinblock.encode_pinblock_iso_3,
    }[arguments["format"]]
    return {"block": des.encrypt_tdes_ecb(key, encode(pin, pan)).hex()}


def decrypt(arguments):
    key, block, pan = bytes.fromhex(arguments["key"]), bytes.fromhex(arguments["block"]), arguments["pan"]
    if arguments["format"] == "iso-4":
        return {"pin": pinblock.decipher_pinblock_iso_4(key, block, pan)}
    decode = {"iso-0": pinblock.decode_pinblock_iso_0, "iso-3": pinblock.decode_pinblock_iso_3}[arguments["format"]]
    return {"pin": decode(des.decrypt_tdes_ecb(key, block), pan)}


def encrypt_many(arguments):
    """A block for each line 'format key pin pan'."""
    names = ("format", "key", "pin", "pan")
    cases = [dict(zip(names, line.split())) for line in arguments["cases"].splitlines()]
    return {"blocks": "\n".join(encrypt(case)["block"] for case in cases)}


def decrypt_many(arguments):
    """The PIN of each line 'format key block pan'."""
    names = ("format", "key", "block", "pan")
    cases = [dict(zip(names, line.split())) for line in arguments["cases"].splitlines()]
    return {"pins": "\n".join(decrypt(case)["pin"] for case in cases)}


if __name__ == "__main__":
    questions = {
        "encrypt": encrypt, "decrypt": decrypt, "encrypt_many": encrypt_many, "decrypt_many": decrypt_many,
        "field": field,
    }
    answer = questions[sys.argv[1]](json.load(sys.stdin))
    json.dump(answer, sys.stdout)
