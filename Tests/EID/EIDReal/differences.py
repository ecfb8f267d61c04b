"""How the transcripts may differ: the table in docs/eid.md says why. What is not here must be equal."""

# The AusweisApp's own simulator of a card.
OWN_READER = "Simulator"


def normal_of_app(message, level):
    """A message of the AusweisApp as it is compared; None if it is left out."""
    if message["msg"] == "READER" and message.get("name") == OWN_READER:
        return None
    if message["msg"] == "READER_LIST":
        key = "readers" if "readers" in message else "reader"
        message[key] = [reader for reader in message[key] if reader.get("name") != OWN_READER]
    if level == 1:
        without_insertable(message)
    return normal_of_simulator(message, level)


def normal_of_simulator(message, level):
    """A message of eid-simulator as it is compared."""
    if message["msg"] == "INFO":
        message["VersionInfo"] = dict.fromkeys(message["VersionInfo"], "...")
    # Why nobody answers at an address is said in many words.
    if message["msg"] == "AUTH" and "message" in message.get("result", {}):
        message["result"]["message"] = "..."
    # What is wrong with a text that is not JSON, and where, is said in the words of each one's parser.
    if message["msg"] == "INVALID" and "(offset: " in message["error"]:
        message["error"] = "..."
    return message


def without_insertable(value):
    if isinstance(value, dict):
        value.pop("insertable", None)
        for part in value.values():
            without_insertable(part)
    elif isinstance(value, list):
        for part in value:
            without_insertable(part)


def normal_of_run(screen):
    """A line that `eid` writes as it is compared; None if it is left out. STATUS makes it say that it works."""
    if screen.get("screen") == "working":
        return None
    return screen | {"message": "..."} if "message" in screen else screen
