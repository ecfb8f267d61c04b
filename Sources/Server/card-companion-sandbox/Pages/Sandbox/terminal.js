// The screen with a terminal, at which a cardholder tries a PIN. The terminal asks the bank's host.

const noPIN = { tone: "bad", title: "A PIN has 4 to 12 digits." };

const place = (id) => document.getElementById(id);

export class Terminal {
  #app;
  #host;

  constructor(app, host) {
    this.#app = app;
    this.#host = host;
    place("terminal-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#enter();
    });
  }

  /** Nothing of what was entered stays. */
  end() {
    place("entered").value = "";
    place("entered").setAttribute("aria-invalid", "false");
  }

  async #enter() {
    const { uniqueId, session } = this.#app;
    const pin = place("entered").value;
    this.end();
    const isPIN = /^[0-9]{4,12}$/.test(pin);
    const message = isPIN ? await this.#host.enterPIN(uniqueId, pin).then(shown).catch(problem) : noPIN;
    if (this.#app.session !== session) return;  // somebody else has signed in meanwhile
    this.#app.say(message);
    place("entered").setAttribute("aria-invalid", String(message.tone === "bad"));
    place("entered").focus();
  }
}

function shown({ isAccepted, knows, triesLeft, cardNumber }) {
  const small = `Card ${cardNumber}`;
  if (isAccepted) return { tone: "good", title: "Accepted", text: "The PIN is right.", small };
  if (!knows) {
    const text = "The host has no value of a PIN for this card yet. Choose a new PIN, and wait until it works.";
    return { tone: "note", title: "Not accepted", text, small };
  }
  if (triesLeft === 0) {
    return { tone: "bad", title: "Card blocked", text: "There were three wrong PINs. Choose a new PIN.", small };
  }
  const tries = triesLeft === 1 ? "You have one try left." : `You have ${triesLeft} tries left.`;
  return { tone: "bad", title: "Wrong PIN", text: tries, small };
}

const problem = ({ message }) => ({ tone: "bad", title: "The terminal did not answer.", text: message });
