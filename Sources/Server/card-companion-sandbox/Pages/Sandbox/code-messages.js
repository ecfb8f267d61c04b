// What the app says to the cardholder about the codes of the server and of card-companion.js.

import { DefinitionCode, DistributionCode, LibraryCode } from "/sandbox/card-companion.js";

const tooOld = {
  title: "The bank's signature is too old.",
  text: "The server takes it for five minutes. Under Settings, a switch lets it be ten minutes old.",
};
const usedBefore = {
  title: "The bank's signature was used before.",
  text: "Each one is good for one PIN. Wait a second and ask again, and the bank makes a new one.",
};
const notTheBank = {
  title: "The bank's signature is not right.",
  text: "So the server does not believe that the bank has asked.",
};
const locked = {
  title: "You are locked.",
  text: "There were too many wrong codes, or too many PINs that nobody confirmed. Only the bank can unlock you.",
  isLocked: true,
};

const distribution = {
  [DistributionCode.wrongAuthenticationCode]: {
    title: "This code is not right.",
    text: "Look at the letter from the bank. After too many wrong codes you are locked.",
  },
  [DistributionCode.badAuthenticationCodeFormat]: {
    title: "This is not a code of this bank.",
    text: "A code has letters and digits only. Look at the letter from the bank.",
  },
  [DistributionCode.missingAuthenticationCode]: {
    title: "Your code is missing.", text: "Type the code from the letter.",
  },
  [DistributionCode.invalidTimestamp]: tooOld,
  [DistributionCode.badHashMac]: usedBefore,
  [DistributionCode.transactionAlreadyTreated]: usedBefore,
  [DistributionCode.invalidSignature]: notTheBank,
  [DistributionCode.retryLimitReached]: locked,
  [DistributionCode.cardholderStatusNotSatisfied]: {
    title: "The bank does not show your PIN now.",
    text: "Your card is not active, your PIN cannot be shown again, or the bank wants to see your passport first.",
  },
  [DistributionCode.pinNotAvailable]: { title: "There is no PIN.", text: "The bank has none for you at the moment." },
  [DistributionCode.badParameter]: {
    title: "This delivery has ended.",
    text: "Too much time has passed, or it was answered before. Look at your PIN again.",
  },
};

const definition = {
  [DefinitionCode.invalidPINFormat]: {
    title: "This PIN is too easy to guess.",
    text: "Choose another one: not a row such as 1234, no repetition such as 1212, and none that many choose.",
  },
  [DefinitionCode.invalidTimestamp]: tooOld,
  [DefinitionCode.badHashMac]: usedBefore,
  [DefinitionCode.transactionAlreadyTreated]: usedBefore,
  [DefinitionCode.invalidSignature]: notTheBank,
  [DefinitionCode.keypadNotFound]: {
    title: "The keypad is too old.", text: "Here is a new one. Enter your PIN again.",
  },
  [DefinitionCode.cardholderStatusNotSatisfied]: {
    ...locked,
    title: "You cannot choose a PIN now.",
    text: "You are locked, you have chosen too many PINs today, or the bank wants to see your passport first.",
  },
};

const library = {
  [LibraryCode.noNetwork]: { title: "The server cannot be reached.", text: "Does it still run?" },
  [LibraryCode.serverNotOK]: { title: "The server is busy.", text: "Try again in a moment." },
};

const unknown = { title: "That did not work.", text: "Try again." };

const lockingCode = {
  title: "This code is not right. It has locked you.",
  text: "There were too many wrong codes. Only the bank can unlock you.",
  isLocked: true,
};

/** What to say about a response of card-companion.js, and the code itself in the words of the server. */
function messageFor(codes, { errorCode, errorMessage }) {
  const words = codes[errorCode] ?? library[errorCode] ?? unknown;
  return message(words, errorCode, errorMessage);
}

function message(words, errorCode, errorMessage) {
  return { ...words, tone: "bad", small: `Code ${errorCode}: ${errorMessage}` };
}

export const distributionMessage = (response) => messageFor(distribution, response);

/** Of the wrong code after which the server takes no more. */
export const lockingCodeMessage = ({ errorCode, errorMessage }) => message(lockingCode, errorCode, errorMessage);

export const definitionMessage = (response) => messageFor(definition, response);
