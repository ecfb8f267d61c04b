"""When a request may be sent again because the server had too much to do."""

import json
import random
import time
from collections.abc import Callable

from .messages import Fields

SEND_LIMIT = 3
_SHORTEST_SECONDS, _LONGEST_SECONDS = 1, 5
_LOWEST_FACTOR, _HIGHEST_FACTOR = 0.5, 1.5
_PROBLEM_TYPE = "urn:card-companion:problem:overloaded"


def seconds_to_wait(status: int, headers: Fields, body: bytes, send_count: int) -> int | None:
    """After how many seconds a request may be sent again, before the random factor; None if the answer is the last one.

    The server says that it has too much to do with status 503 and a problem of its own type. It has then used nothing of the request:
    no token, hashMac, nonce or attempt. Any other 503 does not promise that, and must not be retried.

    :param status: the answer's status
    :param headers: the answer's header fields
    :param body: the answer's content
    :param send_count: how often the request was sent
    """
    fields = {name.lower(): value for name, value in headers.items()}
    media_type = fields.get("content-type", "").partition(";")[0].strip().lower()
    is_problem = status == 503 and media_type == "application/problem+json"
    if send_count >= SEND_LIMIT or not is_problem or not _has_right_type(body):
        return None
    text = fields.get("retry-after", "").strip()
    if not (text.isascii() and text.isdigit()):
        return _SHORTEST_SECONDS
    # Python refuses to read numbers of very many digits.
    return _LONGEST_SECONDS if len(text) > 9 else min(max(int(text), _SHORTEST_SECONDS), _LONGEST_SECONDS)


def _has_right_type(body: bytes) -> bool:
    try:
        problem = json.loads(body)
    except ValueError:
        return False
    return isinstance(problem, dict) and problem.get("type") == _PROBLEM_TYPE


class OverloadRetry:
    """Waits before a request is sent again. A back-end's call must be signed again each time: its signature names its time."""

    def __init__(
        self, *, sleep: Callable[[float], object] = time.sleep, factor: Callable[[float, float], float] = random.uniform,
    ) -> None:
        """
        :param sleep: waits for some seconds
        :param factor: a random number between two others, so that clients do not come back all at once
        """
        self._sleep, self._factor = sleep, factor

    def wait(self, status: int, headers: Fields, body: bytes, send_count: int) -> bool:
        """Waits if the request may be sent again. Returns whether it may. The parameters are those of `seconds_to_wait`."""
        seconds = seconds_to_wait(status, headers, body, send_count)
        if seconds is None:
            return False
        self._sleep(seconds * self._factor(_LOWEST_FACTOR, _HIGHEST_FACTOR))
        return True
