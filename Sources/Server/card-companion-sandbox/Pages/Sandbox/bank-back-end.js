// The bank's back-end in small, which only the sandbox has. A real app asks its own bank, which knows who is signed in.

/** `send` is the fetch that is used. */
async function answerOf(path, members, send = fetch) {
  const options = members && {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(members),
  };
  const answer = await send(path, options);
  const content = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(content.detail ?? `the server answered ${answer.status} to ${path}`);
  return content;
}

/** The ages of signatures that the bank can be asked for. The server takes them for five minutes. */
export const freshSeconds = 0;
export const oldSeconds = 600;

export const bankBackEnd = {
  /** The bank and its cardholders, with the codes that a real bank sends by letter. */
  description: () => answerOf("/sandbox/bank"),

  /** What a PIN is sealed for: the timestamp and the idTransaction of the proof that is asked for next. */
  transaction: (ageSeconds) => answerOf("/sandbox/bank/transaction", { ageSeconds }),

  /** What authenticates a request by HMAC: bankId, uniqueId, timestamp and hashMac, bound to a digest. */
  hashMac: (members) => answerOf("/sandbox/bank/hash-mac", members),

  /** What authenticates a request by token: the token and its signature, bound to a digest. `type` is 00, 01 or 02. */
  token: (members) => answerOf("/sandbox/bank/token", members),

  /** Whether wrong codes or unconfirmed fetches have locked the cardholder. */
  isLocked: async (uniqueId) => (await answerOf("/sandbox/bank/lock", { uniqueId })).isLocked,

  unlock: (uniqueId) => answerOf("/sandbox/bank/unlock", { uniqueId }),

  /** Whether the bank wants to see a document before each PIN. */
  requiresDocument: async () => (await answerOf("/sandbox/bank/identity-requirement", {})).isRequired,

  requireDocument: (isRequired) => answerOf("/sandbox/bank/identity-requirement", { isRequired }),

  /** Marks a cardholder as one who needs calm images (`calm`) or digits (`text`); null for nobody special. */
  setAccessibility: (uniqueId, accessibility) =>
    answerOf("/sandbox/bank/accessibility", { uniqueId, accessibility }),
};

/**
 * The bank's host, and a terminal that asks it. No app speaks with them, so what is sent is not shown among what went over the wire:
 * `fetch` is one that nobody listens to.
 */
export class BankHost {
  #fetch;

  constructor(fetch) {
    this.#fetch = fetch;
  }

  /** What has become of the PIN that the cardholder has chosen last: `state` and, if it has failed, `reason`; or nothing. */
  definedPIN(uniqueId) {
    return answerOf("/sandbox/bank/defined-pin", { uniqueId }, this.#fetch);
  }

  /** Enters a PIN at the terminal. */
  enterPIN(uniqueId, pin) {
    return answerOf("/sandbox/terminal", { uniqueId, pin }, this.#fetch);
  }
}

/** A phone with a chip reader, which a browser does not have. `chip` says what is held to it. */
export const phone = {
  readDocument: (uniqueId, chip) => answerOf("/sandbox/phone/document", { uniqueId, chip }),
};

export const tokenTypes = Object.freeze({ delivery: "00", reminder: "01", definition: "02" });
