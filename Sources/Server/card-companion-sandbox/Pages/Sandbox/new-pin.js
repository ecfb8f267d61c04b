// The screen on which a cardholder chooses a PIN: typed twice, or entered twice on a scrambled keypad.

import { PINDefinition } from "/sandbox/card-companion.js";
import { element } from "/docs/elements.js";
import { bankBackEnd, tokenTypes } from "./bank-back-end.js";
import { definitionMessage } from "./code-messages.js";

const lengths = Object.freeze({ minimum: 4, maximum: 6 });
/** Ten digits and two empty places, in rows of three. */
const keypadSize = 12;

const place = (id) => document.getElementById(id);
const hasRightLength = ({ length }) => length >= lengths.minimum && length <= lengths.maximum;

const wrongLength = { tone: "bad", title: "A PIN has 4 to 6 digits." };
const notTheSame = { tone: "bad", title: "The two PINs are not the same.", text: "Enter your new PIN twice." };
const success = { tone: "good", title: "Your new PIN is set.", text: "Hold the button to see it." };

export class NewPIN {
  #app;
  #keypad = new Keypad((positions) => this.#defineByPositions(positions), (message) => this.#app.say(message));

  constructor(app) {
    this.#app = app;
    place("typed").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submitTyped();
    });
    for (const choice of document.querySelectorAll("[name=entry]")) {
      choice.addEventListener("change", () => {
        app.say(null);
        this.open();
      });
    }
  }

  get #isKeypad() { return document.querySelector("[name=entry]:checked").value === "keypad"; }

  async open() {
    this.end();
    place("typed").hidden = this.#isKeypad;
    place("keypad").hidden = !this.#isKeypad;
    place("how").textContent = this.#how;
    if (this.#isKeypad) await this.#app.act(`${this.#app.uniqueId} gets a keypad`, () => this.#fetchKeypad());
  }

  get #how() {
    if (this.#isKeypad) {
      return "The app sends the positions of your keys, encrypted, with a token that the bank has signed.";
    }
    return this.#app.way === "code"
      ? "The app sends your PIN, encrypted, with an HMAC that the bank has made."
      : "The app sends your PIN, encrypted, with a token that the bank has signed.";
  }

  /** Nothing of what was entered stays. */
  end() {
    for (const id of ["first", "second"]) {
      place(id).value = "";
      place(id).setAttribute("aria-invalid", "false");
    }
    this.#keypad.clear();
  }

  async #submitTyped() {
    const [first, second] = ["first", "second"].map((id) => new TextEncoder().encode(place(id).value));
    const isSame = first.length === second.length && first.every((digit, index) => digit === second[index]);
    const isPIN = hasRightLength(first) && first.every((digit) => digit >= 0x30 && digit <= 0x39);
    second.fill(0);
    this.end();
    if (!isPIN || !isSame) {
      first.fill(0);
      this.#app.say(isPIN ? notTheSame : wrongLength);
      for (const id of isPIN ? ["first", "second"] : ["first"]) place(id).setAttribute("aria-invalid", "true");
      return place("first").focus();
    }
    const { uniqueId } = this.#app;
    await this.#app.act(`${uniqueId} chooses a PIN`, async () => {
      const response = await this.#defineTyped(first).finally(() => first.fill(0));
      if (this.#isSet(response)) return;
      place("first").focus();
    });
  }

  async #defineTyped(pin) {
    const { bankId, uniqueId, way, session, hostUrl, ageSeconds } = this.#app;
    const names = { bankId, uniqueId, ...await bankBackEnd.transaction(ageSeconds) };
    if (way === "code") {
      const sealedPIN = await PINDefinition.sealPIN({ ...names, pin }, hostUrl, session);
      if (sealedPIN.errorCode !== 0) return sealedPIN;
      const { hashMac } = await bankBackEnd.hashMac({ ...names, binding: sealedPIN.binding });
      return PINDefinition.postDefinePINRequest({ sealedPIN, hashMac }, hostUrl, session);
    }
    const sealedPIN = await PINDefinition.sealTokenPIN({ ...names, pin }, hostUrl, session);
    if (sealedPIN.errorCode !== 0) return sealedPIN;
    const signed = await this.#token(names, sealedPIN);
    return PINDefinition.postDefinePINECDHRequest({ ...signed, sealedPIN }, hostUrl, session);
  }

  #token({ uniqueId, timestamp, idTransaction }, { binding }) {
    return bankBackEnd.token({ uniqueId, type: tokenTypes.definition, timestamp, idTransaction, binding });
  }

  async #fetchKeypad() {
    const { bankId, uniqueId, session, hostUrl } = this.#app;
    const response =
      await PINDefinition.postGetKeyPadCoordinatesRequest({ bankId, uniqueId, keypadSize }, hostUrl, session);
    if (response.errorCode !== 0) return this.#app.say(definitionMessage(response));
    this.#keypad.show(response);
  }

  async #defineByPositions(positions) {
    const { uniqueId } = this.#app;
    await this.#app.act(`${uniqueId} chooses a PIN on the keypad`, async () => {
      const indexes = positions.join(",");
      positions.fill(0);
      const response = await this.#definePositions(indexes, this.#keypad.keypadId);
      if (response.errorCode !== 0) await this.#fetchKeypad();  // each is for one attempt
      if (this.#isSet(response)) return;
      place("step").focus();
    });
  }

  async #definePositions(indexes, keypadId) {
    const { bankId, uniqueId, session, hostUrl, ageSeconds } = this.#app;
    const names = { bankId, uniqueId, ...await bankBackEnd.transaction(ageSeconds) };
    const sealedPIN = await PINDefinition.sealIndexes({ ...names, indexes, keypadId }, hostUrl, session);
    if (sealedPIN.errorCode !== 0) return sealedPIN;
    const signed = await this.#token(names, sealedPIN);
    return PINDefinition.postDefinePINECDHCBRequest({ ...signed, sealedPIN }, hostUrl, session);
  }

  /** Says how it ended, and whether the PIN is set. */
  #isSet(response) {
    const isSet = response.errorCode === 0;
    if (isSet) {
      this.#app.showMyPIN();
      this.#app.watchDefinedPIN();
    }
    this.#app.say(isSet ? success : definitionMessage(response));
    return isSet;
  }
}

/** The keypad on the screen, and the positions that were pressed. It never looks at the digits themselves. */
class Keypad {
  #define;
  #say;
  #pressed = [];
  #first = null;
  keypadId = null;

  constructor(define, say) {
    this.#define = define;
    this.#say = say;
    place("delete").addEventListener("click", () => {
      this.#pressed.pop();
      this.#update();
    });
    place("continue").addEventListener("click", () => this.#continue());
  }

  show({ keypad, keypadId }) {
    this.clear();
    this.keypadId = keypadId;
    place("keypad").inert = false;
    place("keys").replaceChildren(...keypad.map((digit, position) => {
      if (digit === null) return element("span");
      const key = element("button", { type: "button" }, digit);
      key.addEventListener("click", () => this.#press(position));
      return key;
    }));
  }

  clear() {
    this.#pressed.fill(0);
    this.#first?.fill(0);
    [this.#pressed, this.#first, this.keypadId] = [[], null, null];
    place("keys").replaceChildren();
    this.#update();
  }

  #press(position) {
    if (this.#pressed.length < lengths.maximum) this.#pressed.push(position);
    this.#update();
  }

  #continue() {
    if (!hasRightLength(this.#pressed)) return this.#say(wrongLength);
    const pressed = this.#pressed;
    this.#pressed = [];
    if (this.#first === null) {
      this.#first = pressed;
      this.#say(null);
      return this.#update();
    }
    const isSame = String(this.#first) === String(pressed);
    this.#first = null;
    this.#update();
    if (!isSame) return this.#say(notTheSame);
    place("keypad").inert = true;
    return this.#define(pressed);
  }

  #update() {
    const count = this.#pressed.length;
    const isFirst = this.#first === null;
    place("step").textContent = isFirst ? "Enter your new PIN, 4 to 6 digits." : "Enter the same PIN again.";
    place("dots").textContent = "●".repeat(count) + "○".repeat(Math.max(0, lengths.minimum - count));
    place("count").textContent = count === 0 ? "" : `${count} ${count === 1 ? "digit" : "digits"}`;
    place("delete").disabled = count === 0;
    place("continue").textContent = isFirst ? "Continue" : "Set my new PIN";
  }
}
