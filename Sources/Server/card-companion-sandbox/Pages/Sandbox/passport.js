// The screen on which a cardholder shows a passport. The phone that reads it is played by the server.

import { element } from "/docs/elements.js";
import { bankBackEnd, phone } from "./bank-back-end.js";

const chips = [
  ["genuine", "My passport"],
  ["clone", "A copy of my passport", "It has all files of the chip, but not its secret keys."],
  ["forged", "My passport with another name", "Somebody has changed a file."],
  ["stranger", "Somebody else's passport"],
  ["expired", "My old passport"],
  ["untrusted", "A passport of a state that nobody trusts"],
];
/** What the server puts before each reason for which a document did not pass. */
const refusal = "not passed: ";

const place = (id) => document.getElementById(id);

export class Passport {
  #app;

  constructor(app) {
    this.#app = app;
    place("chips").replaceChildren(...chips.map(choice));
    place("passport-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#read();
    });
    place("required").addEventListener("change", () => this.#require());
  }

  /** Shows what the bank asks for now. */
  async open() {
    place("reading").hidden = true;
    await this.#app.act("The app asks whether the bank wants to see a passport", async () => {
      place("required").checked = await bankBackEnd.requiresDocument();
    });
  }

  async #require() {
    const isRequired = place("required").checked;
    const title = isRequired ? "The bank asks for a passport" : "The bank does without a passport";
    await this.#app.act(title, async () => {
      await bankBackEnd.requireDocument(isRequired);
      const text = isRequired ? "Look at your PIN: you must show your passport first." : "Look at your PIN.";
      this.#app.say({ tone: "good", title: `${title} now.`, text });
    });
  }

  async #read() {
    const { uniqueId } = this.#app;
    const chip = document.querySelector('[name="chip"]:checked').value;
    place("read").disabled = true;
    await this.#app.act(`${uniqueId} holds a passport to the phone`, async () => {
      const reading = await phone.readDocument(uniqueId, chip);
      place("said").replaceChildren(...steps(reading.messages).map((step) => element("li", {}, step)));
      place("reading").hidden = false;
      this.#app.say(message(reading));
    });
    place("read").disabled = false;
  }
}

function choice([value, words, more], index) {
  const input = element("input", { type: "radio", name: "chip", value });
  input.checked = index === 0;
  return element(
    "label", { class: "choice" }, input, " ", element("span", {}, words, more ? element("small", {}, more) : null));
}

/** The messages, with a count in place of repetitions. */
function steps(messages) {
  const found = [];
  for (const message of messages) {
    const last = found.at(-1);
    if (last?.message === message) last.count += 1;
    else found.push({ message, count: 1 });
  }
  return found.map(({ message, count }) => (count > 1 ? `${message}, ${count} times` : message));
}

function message({ hasPassed, errors, notes, closeCode, closeReason }) {
  const remarks = hasPassed ? notes.map((note) => `Note: ${note}.`) : [];
  const small = [...remarks, `The session ended with ${closeCode} ${closeReason}`.trim()].join(" ");
  if (hasPassed) {
    return { tone: "good", title: "Your passport is genuine.", text: "The bank shows your PIN for 15 minutes.", small };
  }
  const reasons = errors.filter((error) => error.startsWith(refusal)).map((error) => error.slice(refusal.length));
  const text = reasons.length > 0 ? `${sentence(reasons.join("; "))}.` : "The chip did not prove that it is no copy.";
  return { tone: "bad", title: "This passport does not pass.", text, small };
}

const sentence = (words) => words.charAt(0).toUpperCase() + words.slice(1);
