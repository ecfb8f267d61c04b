"""What can go wrong. The messages name what is wrong, and contain no secret."""


class BackEndError(Exception):
    """Something that the server sent cannot be trusted, or cannot be checked."""


class SignatureRefused(BackEndError):
    """A message is not signed by the server as required. The message says which check has failed."""


class KeysUnavailable(BackEndError):
    """The server's keys cannot be fetched. The same message can be right later."""


class SealedPINRefused(BackEndError):
    """A sealed PIN cannot be opened with this key, or is not the PIN of this event."""
