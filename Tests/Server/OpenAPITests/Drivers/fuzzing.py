"""Schemathesis hooks. They sign calls to /v1/banks with the sandbox bank's key, from the folder in SANDBOX."""

import json
import os
from pathlib import Path

import schemathesis
from schemathesis.transport.requests import REQUESTS_TRANSPORT
from schemathesis.transport.serialization import Binary

from signing import IssuerSignature

BANK_ID = "SANDBOX"
LONGEST_WAIT_SECONDS = 1

schemathesis.auth.set_from_requests(IssuerSignature(Path(os.environ["SANDBOX"]))).apply_to(path_regex="^/v1/banks/")


@schemathesis.hook
def before_call(context, case, kwargs):
    """Makes half of the calls use the sandbox bank's ID, and limits the wait for events."""
    if "bankId" in (case.path_parameters or {}) and len(case.path_parameters["bankId"]) % 2:
        case.path_parameters["bankId"] = BANK_ID
    wait = (case.query or {}).get("wait")
    if isinstance(wait, int):
        case.query["wait"] = min(wait, LONGEST_WAIT_SECONDS)


@REQUESTS_TRANSPORT.serializer("application/x-ndjson")
def serialize_lines(context, value):
    """Serializes a body of lines, which is bytes. For invalid data Schemathesis passes any JSON value."""
    if isinstance(value, Binary):
        return {"data": value.data}
    return {"data": (value if isinstance(value, str) else json.dumps(value)).encode()}
