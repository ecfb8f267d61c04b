// What each member of a request or an answer is for, in one sentence.

const meanings = {
  bankId: "The bank.",
  uniqueId: "The bank's name for the cardholder.",
  timestamp: "When the bank has made the HMAC, in Unix seconds.",
  hashMac:
    "The bank's HMAC over bankId, uniqueId, timestamp and binding. Only the bank's back-end and the server have its key. It is good " +
    "once. The timestamp has whole seconds: without a binding, a second hashMac in the same second is the same, and refused (205).",
  binding: "The digest of the app's key, or of the sealed PIN. The bank binds its HMAC or token to it.",
  idTransaction: "The id of the token to come. The sealed PIN names it.",
  authCode: "The code from the bank's letter. It proves that this is the cardholder.",
  rsaPublicKey: "A key that the app has just made for this one answer. Its private half never leaves the browser.",
  ecdhPublicKey: "A key that the app has just made for this one answer. Its private half never leaves the browser.",
  style: "The image that the app wishes. The bank may ignore it.",
  theme: "Whether the page is light or dark.",
  scale: "How many pixels of the image are one of the screen's.",
  formats: "The forms of a PIN that this app can show.",
  token: "What the bank has signed, byte for byte: who, when, what for, and an id that can be used once.",
  signature: "The bank's RSA signature of the token.",
  sessionId: "The name of this delivery. The app names it when it confirms.",
  status: "0: the PIN was shown. 1 or 2: it was not.",
  hash: "Proves that the app could open the delivery: an HMAC with the notifyKey that was in it.",
  keypadSize: "How many places the keypad has.",
  keypad: "The digit at each place; null is an empty place.",
  keypadId: "This keypad, encrypted by the server. The server stores nothing.",
  indexes: "The positions of the keys that were pressed, encrypted to the server. No digit of the PIN is sent.",
  errorCode: "0 is success. Each other code says what was wrong.",
  errorMessage: "The code in words.",
  keys: "The server's public keys. The app encrypts a new PIN to one of them.",
  ageSeconds: "How many seconds ago the bank has signed. A real bank signs now.",
  type: "00: first delivery of a PIN. 01: to see it again. 02: to choose one.",
  code: "The cardholder's code, which the bank puts into the token.",
  accessibility: "What this cardholder needs: calm images, or the digits as text.",
  isLocked: "Whether too many wrong codes, or too many PINs that nobody confirmed, have locked the cardholder.",
  isRequired: "Whether the bank wants to see a passport before it shows or takes a PIN.",
  chip: "What is held to the phone.",
  messages: "What the app has sent to Card Companion and received from it.",
  passiveAuthentication: "Whether a state that the bank trusts has signed the chip's files.",
  chipAuthentication: "Whether the chip has proved, in a key agreement, that it has its secret key.",
  activeAuthentication: "Whether the chip has signed a number that the server has just drawn.",
  errors: "Why the passport did not pass.",
  notes: "What else the server noticed. It does not decide whether the passport passes.",
  hasPassed: "Whether the cardholder has a pass now. It serves until a PIN was confirmed or chosen.",
  closeCode: "With which code the session ended; 1000 is a normal end.",
  closeReason: "Why it ended, if not normally.",
  cardholders: "Who you can be.",
  detail: "What is wrong.",
  format: "captcha: one image. digits: an image for each digit. text: the digits themselves.",
  length: "How many digits the PIN has.",
  images: "The PIN, drawn by the server. No program needs to know the digits.",
  order: "The place of each digit among the images.",
  text: "The digits, because the bank has marked this cardholder.",
  notifyKey: "The app proves with this key that it could open the delivery.",
  freeField: "The bank's words for the cardholder.",
  padding: "Spaces, so that each delivery has the same length, whatever is in it.",
};

const pins = {
  answer: "The PIN's image, encrypted to the key that the app has just made. Nobody else can open it.",
  request: "The new PIN, encrypted to the server's public key, for this bank, cardholder and request.",
};

/** What a member is for. `side` is `request`, `answer` or `plaintext`. */
export const meaningOf = (name, side) => (name === "pin" ? pins[side] : meanings[name]) ?? "";

/** What a request is for. */
export const purposes = {
  "/sandbox/bank": "The app asks who the cardholders of the sandbox are.",
  "/sandbox/bank/transaction": "The app asks the bank's back-end what to seal the PIN for: when, and under which id.",
  "/sandbox/bank/hash-mac": "The app asks the bank's back-end for an HMAC. A real one first checks who is signed in.",
  "/sandbox/bank/token": "The app asks the bank's back-end for a token. A real one first checks who is signed in.",
  "/sandbox/bank/lock":
    "The app asks the bank whether this code has locked the cardholder. A real bank gets the event authentication.locked.",
  "/sandbox/bank/unlock": "The bank unlocks the cardholder.",
  "/sandbox/bank/identity-requirement": "The bank says whether it wants to see a passport.",
  "/sandbox/phone/document":
    "The bank asks Card Companion for a check, and the phone's app reads the chip. A real app speaks with Card Companion itself, " +
    "over a WebSocket.",
  "/sandbox/bank/accessibility": "The bank marks what the cardholder needs.",
  "/v1/pin-distribution/captcha": "The app asks for the PIN, with the code and the bank's HMAC.",
  "/v1/pin-distribution/notify": "The app says whether the PIN was shown.",
  "/v1/pin-distribution/token/captcha": "The app asks for the PIN, with the bank's token.",
  "/v1/pin-distribution/token/notify": "The app says whether the PIN was shown.",
  "/v1/pin-definition/keypad-coordinates": "The app asks for a keypad with its digits at random places.",
  "/v1/pin-definition/pin": "The app sends the new PIN, with the bank's HMAC.",
  "/v1/pin-definition/token/pin": "The app sends the new PIN, with the bank's token.",
  "/v1/pin-definition/token/pin-indexes": "The app sends the positions on the keypad, with the bank's token.",
  "/.well-known/jwks.json": "The app fetches the server's public keys.",
};
