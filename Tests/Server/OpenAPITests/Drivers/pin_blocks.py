"""Checks that openapi.yaml takes the PANs in PIN blocks that the server takes (PINBlockFormat.panLengths), and no others.

Usage: pin_blocks.py OPENAPI_PATH. Exit status 0: it does. 1: standard error lists the differences.
"""

import sys

from jsonschema import Draft202012Validator
from openapi_spec_validator.readers import read_from_filename
from validate import registry, with_absolute_references

PAN_LENGTHS = {"iso-0": range(13, 20), "iso-1": [None], "iso-3": range(13, 20), "iso-4": range(12, 20)}


def differences(document):
    schema = with_absolute_references(document["components"]["schemas"]["PINBlock"])
    validator = Draft202012Validator(schema, registry=registry(document))
    for name, lengths in PAN_LENGTHS.items():
        for length in [None, *range(22)]:
            value = {"format": name, "key": "zpk-2027", "block": "00" * 16}
            if length is not None:
                value["pan"] = "5" * length
            if validator.is_valid(value) != (length in lengths):
                yield f"{name} with a PAN of {length} digits"
        if None not in lengths and validator.is_valid({**value, "pan": "5" * 15 + "x"}):
            yield f"{name} with a PAN that has a letter"


if __name__ == "__main__":
    document, _ = read_from_filename(sys.argv[1])
    found = list(differences(document))
    for difference in found:
        print(difference, file=sys.stderr)
    sys.exit(1 if found else 0)
