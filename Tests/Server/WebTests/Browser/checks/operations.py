"""The eight operations, and parameters that are right in form."""

FETCH = "PINDistribution.postGetPINCaptchaRequest"
NOTIFY = "PINDistribution.postNotifyRequest"
TOKEN_FETCH = "PINDistribution.postGetPINCaptchaTokenRequest"
TOKEN_NOTIFY = "PINDistribution.postNotifyTokenRequest"
DEFINE = "PINDefinition.postDefinePINRequest"
TOKEN_DEFINE = "PINDefinition.postDefinePINECDHRequest"
KEYPAD = "PINDefinition.postGetKeyPadCoordinatesRequest"
KEYPAD_DEFINE = "PINDefinition.postDefinePINECDHCBRequest"

CLAIM = {"bankId": "b", "uniqueId": "u", "timestamp": "1562320989", "hashMac": "00"}
SIGNED = {"token": '{"IdBEL":"b","IdPorteur":"u","IdTransaction":"t"}', "signature": "AA=="}
GOOD = {
    FETCH: CLAIM | {"authCode": "1234"},
    NOTIFY: {"bankId": "b", "uniqueId": "u", "sessionId": "s", "status": 0},
    TOKEN_FETCH: SIGNED,
    TOKEN_NOTIFY: {"token": SIGNED["token"], "sessionId": "s", "status": 0},
    DEFINE: CLAIM | {"pin": "4391"},
    TOKEN_DEFINE: SIGNED | {"pin": "4391"},
    KEYPAD: {"bankId": "b", "uniqueId": "u", "keypadSize": 10},
    KEYPAD_DEFINE: SIGNED | {"indexes": "0,1,2,3", "keypadId": "k"},
}

# The operations that send something without a fetch before them.
SENDING = [operation for operation in GOOD if operation not in (NOTIFY, TOKEN_NOTIFY)]
