"""What is played against the AusweisApp and against eid-simulator: scripts of commands, of answers to wait for, and of what
happens to the card.

A step is one of
    send(COMMAND)          sends it, as a JSON object or as it is
    wait(NAME)             waits until a message with this name comes
    INSERT, REMOVE         what the hand with the card does
    RECONNECT              the app closes its connection, and opens another one
    SILENCE                waits a while, in which nothing should come
    request(PATH, ...)     another program asks on the same port; what it gets is noted
"""

import collections
import json

Step = collections.namedtuple("Step", "kind value")
Scenario = collections.namedtuple("Scenario", "name card is_inserted steps is_service_away", defaults=[False])

# A run of the program `eid`, with the lines that a cardholder enters and the exit status.
Run = collections.namedtuple("Run", "name card arguments lines status is_service_away is_inserted", defaults=[False, True])

PIN, CAN, PUK = "123456", "654321", "1234567890"


def send(command):
    return Step("send", command if isinstance(command, str) else json.dumps(command))


def wait(name):
    return Step("wait", name)


def request(path, **headers):
    return Step("request", (path, tuple(headers.items())))


INSERT = Step("card", "insert")
REMOVE = Step("card", "remove")
RECONNECT = Step("reconnect", None)
SILENCE = Step("silence", None)

CANCEL = [send({"cmd": "CANCEL"}), wait("CHANGE_PIN")]


def ask(command, answer):
    """A command, and the message that answers it."""
    return [send(command), wait(answer)]


def begin(answer):
    """Begins the change of a PIN. STATUS is compared in a scenario of its own."""
    return [send({"cmd": "RUN_CHANGE_PIN", "status": False}), wait("CHANGE_PIN"), wait(answer)]


def enter(secret, value, answer):
    return ask({"cmd": f"SET_{secret}", "value": value}, answer)


def malformed(secret, long, short, answer):
    """Values of the wrong form. Each is answered with the same question."""
    values = [{}, {"value": 123456}, {"value": None}, {"value": []}, {"value": ""}, {"value": short}, {"value": long},
              {"value": "12345a"}, {"value": " 12345"}, {"value": "١٢٣٤٥٦"}]
    return [step for value in values for step in ask({"cmd": f"SET_{secret}"} | value, answer)]


def all_scenarios():
    return list(pin_change()) + list(wrong_values()) + list(cancelled()) + list(cards()) + list(sessions())


def pin_change():
    done = enter("NEW_PIN", "222222", "CHANGE_PIN")
    yield Scenario(
        "a transport PIN becomes a PIN", {"pin": "12345"}, True,
        begin("ENTER_PIN") + enter("PIN", "12345", "ENTER_NEW_PIN") + done
        + begin("ENTER_PIN") + enter("PIN", "222222", "ENTER_NEW_PIN") + CANCEL)
    yield Scenario(
        "the card comes after INSERT_CARD", {}, False,
        begin("INSERT_CARD") + [INSERT, wait("ENTER_PIN")] + enter("PIN", PIN, "ENTER_NEW_PIN") + done)
    yield Scenario(
        "wrong PINs, a wrong CAN, the CAN, the PIN", {}, True,
        begin("ENTER_PIN") + enter("PIN", "000000", "ENTER_PIN") + enter("PIN", "000001", "ENTER_CAN")
        + enter("CAN", "000000", "ENTER_CAN") + enter("CAN", CAN, "ENTER_PIN")
        + enter("PIN", PIN, "ENTER_NEW_PIN") + done)
    yield Scenario(
        "a wrong PIN, and then the right one", {}, True,
        begin("ENTER_PIN") + enter("PIN", "000000", "ENTER_PIN") + enter("PIN", PIN, "ENTER_NEW_PIN") + done)
    yield Scenario(
        "the last try is wrong, a wrong PUK, the PUK, the PIN", {"tries": 1}, True,
        begin("ENTER_CAN") + enter("CAN", CAN, "ENTER_PIN") + enter("PIN", "000000", "ENTER_PUK")
        + enter("PUK", "0000000000", "ENTER_PUK") + enter("PUK", PUK, "ENTER_PIN")
        + enter("PIN", PIN, "ENTER_NEW_PIN") + done)
    yield Scenario(
        "an exhausted PUK", {"tries": 0, "pukUses": 0}, True,
        begin("ENTER_PUK") + enter("PUK", "0000000000", "ENTER_PUK") + enter("PUK", PUK, "CHANGE_PIN")
        + begin("ENTER_PUK") + enter("PUK", PUK, "CHANGE_PIN"))


def wrong_values():
    yield Scenario(
        "malformed PINs", {}, True,
        begin("ENTER_PIN") + malformed("PIN", "1234567", "1234", "ENTER_PIN") + enter("PIN", PIN, "ENTER_NEW_PIN")
        + malformed("NEW_PIN", "1234567", "12345", "ENTER_NEW_PIN") + CANCEL)
    yield Scenario(
        "malformed CANs", {"tries": 1}, True,
        begin("ENTER_CAN") + malformed("CAN", "1234567", "12345", "ENTER_CAN") + CANCEL)
    yield Scenario(
        "malformed PUKs", {"tries": 0}, True,
        begin("ENTER_PUK") + malformed("PUK", "12345678901", "123456789", "ENTER_PUK") + CANCEL)
    yield Scenario(
        "values at the wrong time", {}, True,
        ask({"cmd": "SET_PIN", "value": PIN}, "BAD_STATE") + begin("ENTER_PIN")
        + [step for name in ["SET_CAN", "SET_PUK", "SET_NEW_PIN", "ACCEPT", "GET_CERTIFICATE", "GET_ACCESS_RIGHTS",
                             "SET_ACCESS_RIGHTS", "RUN_CHANGE_PIN", "RUN_AUTH"]
           for step in ask({"cmd": name, "value": PIN}, "BAD_STATE")] + CANCEL
        + ask({"cmd": "CANCEL"}, "BAD_STATE"))


def cancelled():
    to_new_pin = begin("ENTER_PIN") + enter("PIN", PIN, "ENTER_NEW_PIN")
    yield Scenario("cancelled at INSERT_CARD", {}, False, begin("INSERT_CARD") + CANCEL)
    yield Scenario("cancelled at ENTER_PIN", {}, True, begin("ENTER_PIN") + CANCEL)
    yield Scenario("cancelled at ENTER_NEW_PIN", {}, True, to_new_pin + CANCEL)
    yield Scenario("cancelled at ENTER_NEW_PIN, after a wrong PIN", {}, True,
                   begin("ENTER_PIN") + enter("PIN", "000000", "ENTER_PIN") + enter("PIN", PIN, "ENTER_NEW_PIN")
                   + CANCEL)
    yield Scenario("cancelled at ENTER_CAN", {"tries": 1}, True, begin("ENTER_CAN") + CANCEL)
    yield Scenario("cancelled after the CAN", {"tries": 1}, True,
                   begin("ENTER_CAN") + enter("CAN", CAN, "ENTER_PIN") + CANCEL + begin("ENTER_CAN") + CANCEL)
    yield Scenario("cancelled at ENTER_PUK", {"tries": 0}, True, begin("ENTER_PUK") + CANCEL)


def cards():
    listed = ask({"cmd": "GET_READER_LIST"}, "READER_LIST")
    started = ask({"cmd": "RUN_CHANGE_PIN", "status": False}, "CHANGE_PIN")
    away, back = [REMOVE, wait("READER")], [INSERT, wait("READER")]
    # The command gives what happens next a message to happen after.
    quiet = [SILENCE] + ask({"cmd": "GET_API_LEVEL"}, "API_LEVEL")
    yield Scenario(
        "a card comes and goes", {}, False, listed + back + listed + away + listed)
    yield Scenario(
        "a deactivated card is there", {"deactivated": True}, True,
        listed + started + quiet + away + quiet + back + quiet + CANCEL)
    yield Scenario(
        "a deactivated card comes", {"deactivated": True}, False,
        begin("INSERT_CARD") + back + quiet + CANCEL)
    yield Scenario(
        "a card without the eID function is there", {"unknown": True}, True, listed + begin("INSERT_CARD") + CANCEL)
    yield Scenario(
        "a card without the eID function comes", {"unknown": True}, False,
        begin("INSERT_CARD") + back + quiet + listed + CANCEL)
    yield Scenario(
        "the card is gone when the PIN comes", {}, True,
        begin("ENTER_PIN") + away + quiet + enter("PIN", "1234", "ENTER_PIN") + enter("PIN", PIN, "INSERT_CARD")
        + back + [wait("ENTER_NEW_PIN")] + enter("NEW_PIN", "222222", "CHANGE_PIN"))
    yield Scenario(
        "the card is gone when a wrong PIN comes", {"tries": 2}, True,
        begin("ENTER_PIN") + away + enter("PIN", "000000", "INSERT_CARD") + back + [wait("ENTER_CAN")] + CANCEL)
    yield Scenario(
        "the card is gone when the new PIN comes", {}, True,
        begin("ENTER_PIN") + enter("PIN", PIN, "ENTER_NEW_PIN") + away
        + enter("NEW_PIN", "222222", "INSERT_CARD") + back + [wait("CHANGE_PIN")])
    yield Scenario(
        "the card is gone when the CAN comes", {"tries": 1}, True,
        begin("ENTER_CAN") + away + enter("CAN", CAN, "INSERT_CARD") + back + [wait("ENTER_PIN")]
        + enter("PIN", PIN, "ENTER_NEW_PIN") + CANCEL)
    yield Scenario(
        "the card is gone when the PUK comes", {"tries": 0}, True,
        begin("ENTER_PUK") + away + enter("PUK", PUK, "INSERT_CARD") + back + [wait("ENTER_PIN")] + CANCEL)
    yield Scenario(
        "the card goes and comes back while the PIN is entered", {}, True,
        begin("ENTER_PIN") + away + back + enter("PIN", PIN, "ENTER_NEW_PIN") + CANCEL)
    yield Scenario(
        "cancelled while the card is gone", {}, True,
        begin("ENTER_PIN") + away + enter("PIN", PIN, "INSERT_CARD") + CANCEL + begin("INSERT_CARD")
        + back + [wait("ENTER_PIN")] + CANCEL)


def sessions():
    upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
               "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
    yield Scenario("what an app asks at any time", {}, True, [
        step for command, answer in [
            ({"cmd": "GET_INFO"}, "INFO"), ({"cmd": "GET_API_LEVEL"}, "API_LEVEL"),
            ({"cmd": "GET_READER", "name": "Virtual PCD 00 00"}, "READER"),
            ({"cmd": "GET_READER", "name": "Virtual PCD 00 01"}, "READER"),
            ({"cmd": "GET_READER", "name": "nobody"}, "READER"), ({"cmd": "GET_READER"}, "READER"),
            ({"cmd": "GET_READER", "name": 1}, "READER"),
            ({"cmd": "SET_API_LEVEL"}, "API_LEVEL"), ({"cmd": "SET_API_LEVEL", "level": "1"}, "API_LEVEL"),
            ({"cmd": "SET_API_LEVEL", "level": 99}, "API_LEVEL"), ({"cmd": "SET_API_LEVEL", "level": 0}, "API_LEVEL"),
            ({"cmd": "SET_API_LEVEL", "level": 1.5}, "API_LEVEL"), ({"cmd": "SET_API_LEVEL", "level": 1}, "API_LEVEL"),
            ({"cmd": "GET_STATUS"}, "UNKNOWN_COMMAND"), ({"cmd": "SET_CARD", "name": "x"}, "UNKNOWN_COMMAND"),
            ({"cmd": "INTERRUPT"}, "UNKNOWN_COMMAND"),
        ] for step in ask(command, answer)])
    yield Scenario("what is no command", {}, False, [
        step for command in [
            "", " ", "x", "1", "null", "\"x\"", "[", "[]", "[1", "[1]", "[1,", "[1,]", "[1 2]", "[,]", "{", "{}", "}", "{,}",
            "{1}", "{\"cmd", "{\"cmd\"", "{\"cmd\" ", "{\"cmd\"}", "{\"cmd\":", "{\"cmd\": ", "{\"cmd\":}", "{\"cmd\":,",
            "{\"cmd\":]", "{\"cmd\"1", "{\"cmd\":n", "{\"cmd\":nul", "{\"cmd\":null", "{\"cmd\":null}", "{\"cmd\":nix}   ",
            "{\"cmd\":t", "{\"cmd\":tru}", "{\"cmd\":true", "{\"cmd\":true}", "{\"cmd\":f", "{\"cmd\":fals}",
            "{\"cmd\":false", "{\"cmd\":false}", "{\"cmd\":1", "{\"cmd\":1}", "{\"cmd\":-}", "{\"cmd\":1e}", "{\"cmd\":.}",
            "{\"cmd\":01}", "{\"cmd\":1.5e}", "{\"cmd\":GET_INFO}", "{\"cmd\":\"GET_INFO", "{\"cmd\":\"GET_INFO\"",
            "{\"cmd\":\"GET_INFO\",", "{\"cmd\":\"GET_INFO\",}", "{\"cmd\":\"GET_INFO\",1}", "{\"cmd\":\"GET_INFO\"}}",
            "{\"cmd\":\"GET_INFO\"} x", "{\"cmd\":\"\\", "{\"cmd\":\"\\u", "{\"cmd\":\"\\u12", "{\"cmd\":\"\\u12xx\"}",
            "{\"cmd\":[}", "{\"cmd\":[1}", "{\"cmd\":[]}", "{\"cmd\":{}}", "{\"cmd\":{\"a\"}}", "{\"CMD\":\"GET_INFO\"}",
            "{\"cmd\":\"\"}", "'cmd'", "[" * 1025, "{\"a\":" * 1025,
        ] for step in ask(command, "INVALID")])
    yield Scenario("commands that are not known", {}, False, [
        step for name in ["get_info", "nothing", " GET_INFO", "GET_INFO ", "SET_CARD2", "ä"]
        for step in ask({"cmd": name}, "UNKNOWN_COMMAND")])
    yield Scenario("addresses of a token that are refused", {}, True, [
        step for member in [
            {}, {"tcTokenURL": 1}, {"tcTokenURL": None}, {"tcTokenURL": []}, {"tcTokenURL": ""}, {"tcTokenURL": "x"},
            {"tcTokenURL": "x:y"}, {"tcTokenURL": "/x"}, {"tcTokenURL": "https:"}, {"tcTokenURL": "https://"},
            {"tcTokenURL": "https:///x"}, {"tcTokenURL": "https:/x"}, {"tcTokenURL": "https://a b/x"},
        ] for step in ask({"cmd": "RUN_AUTH"} | member, "AUTH")])
    yield Scenario("an address of a token where nobody is", {}, True, [
        step for address in ["https://127.0.0.1:1/token", "http://127.0.0.1:1/token", "ftp://127.0.0.1:1/token"]
        for step in ask({"cmd": "RUN_AUTH", "tcTokenURL": address, "status": True}, "AUTH") + [wait("AUTH")]], True)
    yield Scenario("a second client, and other paths", {}, True, begin("ENTER_PIN") + [
        request("/eID-Kernel", **upgrade), request("/", **upgrade), request("/eid-kernel", **upgrade),
        request("/eID-Kernel"), request("/other"), request("/"), request("/eID-Client"), request("/eID-Client?Status"),
        request("/eID-Client?status"), request("/eID-Client?Status=json"), request("/eID-Client?x"),
    ] + CANCEL)
    yield Scenario("the app disconnects in mid-workflow", {}, True,
                   begin("ENTER_PIN") + enter("PIN", "000000", "ENTER_PIN") + [RECONNECT]
                   + ask({"cmd": "GET_API_LEVEL"}, "API_LEVEL") + ask({"cmd": "CANCEL"}, "BAD_STATE")
                   + begin("ENTER_PIN") + enter("PIN", PIN, "ENTER_NEW_PIN") + [RECONNECT]
                   + begin("ENTER_PIN") + CANCEL)


def all_runs():
    change = ["change-pin"]
    yield Run("eid changes a transport PIN", {"pin": "12345"}, change, ["12345", "222222", "222222"], 0)
    yield Run("eid asks for the CAN after a wrong PIN", {"tries": 2}, change,
              ["000000", "222222", "222222", CAN, PIN], 0)
    yield Run("eid asks for the PUK", {"tries": 0}, change, [PIN, "222222", "222222", "0000000000", PUK, PIN], 0)
    yield Run("eid fails with an exhausted PUK", {"tries": 0, "pukUses": 0}, change,
              [PIN, "222222", "222222", PUK], 1)
    yield Run("eid is ended by its cardholder", {"tries": 1}, change, [PIN, "222222", "222222"], 2)
    yield Run("eid finds nobody at an address", {}, ["authenticate", "https://127.0.0.1:1/token"], [PIN], 1, True)
