"""Messages in the form that http-message-signatures reads."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol


class Fields(Protocol):
    """Header fields: a dict, or what http.client, requests and httpx have."""

    def items(self) -> Iterable[tuple[str, str]]:
        """Names and values. A name can come more than once."""


@dataclass
class Request:
    method: str
    url: str
    headers: Fields


@dataclass
class Answer:
    status_code: int
    headers: Fields
