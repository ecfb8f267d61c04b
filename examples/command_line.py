"""What the examples in Python have in common: arguments, and one clear line for what is missing or goes wrong.

An example imports it first. It finds the package `card_companion_backend` in this repository; a bank installs that instead.
"""

import argparse
import errno
import http.client
import json
import sys
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

PACKAGE = Path(__file__).resolve().parent.parent / "Sources" / "Clients" / "CardCompanionBackEndPython"
MODULES = ("cryptography", "http_message_signatures", "http_sf", "jwcrypto")
INSTALL = "pip install cryptography http-message-signatures jwcrypto"

if sys.version_info < (3, 11):
    sys.exit(f"{sys.argv[0]}: this needs Python 3.11 or later, and is run with {sys.version.split()[0]}")
sys.path.insert(0, str(PACKAGE))


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"{self.prog}: {message}. '{self.prog} --help' says how to call it\n")


def parser(description):
    """A parser of arguments. Its help is the description of the example."""
    return Parser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)


def url(text):
    """A server's URL, without a slash at its end."""
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise argparse.ArgumentTypeError(f"it must begin with http:// or https:// (is {text!r})")
    return text.rstrip("/")


def port(text):
    """A TCP port; 0 is any that is free."""
    if not text.isdecimal() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"it must be a number from 0 to 65535 (is {text!r})")
    return int(text)


def explanation(error):
    """What somebody who tries an example must know; None if the example itself is wrong."""
    if isinstance(error, ModuleNotFoundError):
        name = (error.name or "").partition(".")[0]
        if name == "card_companion_backend":
            return f"the package {name} is missing: run 'pip install' with the folder Sources/Clients/{PACKAGE.name} of card-companion"
        return f"the Python package of {name} is missing: run '{INSTALL}', best in a venv" if name in MODULES else None
    if isinstance(error, HTTPError):
        return f"{error.url} answered {error.code} {error.reason}: is that a card-companion server?"
    if isinstance(error, (URLError, http.client.HTTPException, ConnectionError, TimeoutError)):
        reason = getattr(error, "reason", None) or error
        return f"the server cannot be reached, or has not answered: {reason}. Does it run ('make run'), and is the URL right?"
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        return "the port is in use: name another one, or 0 for any that is free"
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}" if error.filename else str(error)
    if isinstance(error, json.JSONDecodeError):
        return f"the server's answer is not JSON ({error}): is that a card-companion server?"
    return str(error) if type(error).__module__.startswith("card_companion_backend") else None


def explain(kind, error, trace):
    text = explanation(error)
    if text:
        print(f"{Path(sys.argv[0]).name}: {text}", file=sys.stderr)
    elif not isinstance(error, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)


sys.excepthook = explain
