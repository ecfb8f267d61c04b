// Which function of the client libraries makes an app's call, and with which members. Their names are in no OpenAPI document.

const code = ["bankId", "uniqueId"];
const token = ["token", "signature"];

const calls = {
  captcha: {
    name: "postGetPINCaptchaRequest", parameters: "ProvisioningParameters", javaAnswer: "ProvisioningResponse",
    members: [...code, "authCode", "timestamp", "hashMac"],
  },
  notify: {
    name: "postNotifyRequest", parameters: "NotifyParameters", javaAnswer: "NotifyResponse",
    members: [...code, "sessionId", "status"], javaMembers: ["sessionId", ...code, "status"],
    note: "With the same session as the fetch, which has the key.",
  },
  tokenCaptcha: {
    name: "postGetPINCaptchaTokenRequest", parameters: "TokenProvisioningParameters", javaAnswer: "GetPINTokenResponse",
    members: token,
  },
  tokenNotify: {
    name: "postNotifyTokenRequest", parameters: "TokenNotifyParameters", javaAnswer: "TokenNotifyResponse",
    members: ["token", "sessionId", "status"], note: "With the same session as the fetch, which has the key.",
  },
  keypadCoordinates: {
    name: "postGetKeyPadCoordinatesRequest", parameters: "KeyPadCoordinatesParameters",
    javaAnswer: "KeyPadCoordinatesResponse", members: [...code, "keypadSize"],
  },
  definePIN: {
    name: "postDefinePINRequest", parameters: "DefinitionParameters", javaAnswer: "DefinitionResponse",
    members: [...code, "timestamp", "hashMac", "pin"], note: "The library seals the PIN.",
  },
  definePINToken: {
    name: "postDefinePINECDHRequest", parameters: "DefinitionTokenParameters", javaAnswer: "GetPINTokenResponse",
    members: [...token, "pin"], note: "The library seals the PIN.",
  },
  definePINIndexes: {
    name: "postDefinePINECDHCBRequest", parameters: "DefinitionTokenParameters", javaAnswer: "DefinitionResponse",
    members: [...token, "indexes"], note: "On the keypad that was requested last. The library seals the positions.",
  },
};

/** What the library seals itself. On the keypad of the description the PIN 4391 has these indexes. */
const unsealed = { pin: "4391", indexes: "0,1,5,11" };
const shown = {
  swift: ".success", java: "NotifyStatus.SUCCESS", javaScript: "NotifyStatus.success", javaScriptImport: "NotifyStatus",
};

/** The call for an operation and a body, or null if no app makes it with a library. */
export function clientCall(operationId, body) {
  const call = calls[operationId];
  if (!call) return null;
  const valueOf = (name) => (name === "status" ? shown : unsealed[name] ?? body[name]);
  return {
    ...call,
    type: operationId.startsWith("define") || operationId === "keypadCoordinates" ? "PINDefinition" : "PINDistribution",
    members: call.members.map((name) => [name, valueOf(name)]),
    javaMembers: (call.javaMembers ?? call.members).map(valueOf),
  };
}
