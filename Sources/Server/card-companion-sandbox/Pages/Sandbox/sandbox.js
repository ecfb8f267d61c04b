// The page at /sandbox/: a bank's app in small, and beside it what goes over the wire.

import { CardCompanionSession } from "/sandbox/card-companion.js";
import { element } from "/docs/elements.js";
import { BankHost, bankBackEnd, freshSeconds, oldSeconds } from "./bank-back-end.js";
import { DefinedPIN } from "./defined-pin.js";
import { MyPIN } from "./my-pin.js";
import { NewPIN } from "./new-pin.js";
import { Passport } from "./passport.js";
import { ServerChecks } from "./server-checks.js";
import { Terminal } from "./terminal.js";
import { listen } from "./wire.js";
import { WireView } from "./wire-view.js";

const place = (id) => document.getElementById(id);
const checkedValue = (name) => document.querySelector(`[name="${name}"]:checked`).value;
const darkPage = matchMedia("(prefers-color-scheme: dark)");

/** What the screens share: who is signed in, how, and with which settings. */
class App {
  hostUrl = location.origin;
  bankId = null;
  uniqueId = null;
  way = null;
  /** Keeps the keys of deliveries. It ends when the cardholder signs out. */
  session = null;
  /** Goes back to the first screen. */
  showMyPIN = () => {};
  /** Says on the first screen whether terminals accept the PIN that was chosen last. */
  watchDefinedPIN = () => {};

  constructor(wire) {
    this.wire = wire;
  }

  get settings() { return { isTap: place("tap").checked }; }

  get ageSeconds() { return place("old").checked ? oldSeconds : freshSeconds; }

  /** What the app wishes of images. */
  get hints() {
    const style = place("style").value;
    return { ...(style && { style }), ...surroundings(), formats: ["captcha", "digits", "text"] };
  }

  /** Does something for which requests are sent, and says what has failed. */
  async act(title, steps) {
    this.wire.begin(title);
    place("nothing").hidden = true;
    place("clear").hidden = false;
    try {
      await steps();
    } catch (error) {
      this.say({ tone: "bad", title: "The bank's back-end did not answer.", text: error.message });
    }
  }

  /** Shows a message in place of the one before. Null for none. */
  say(message) {
    for (const earlier of document.querySelectorAll(".message")) earlier.replaceChildren();
    if (!message) return;
    // A screen with a button to hold has its own place, below the button: that must not move under the pointer.
    const own = document.querySelector(".screen:not([hidden]) .message");
    (own ?? place("message")).append(this.#view(message));
    if (!own) place("message").scrollIntoView({ block: "nearest" });
  }

  #view({ tone, title, text, small, isLocked }) {
    const unlock = element("button", { type: "button", id: "unlock" }, `The bank unlocks ${this.uniqueId}`);
    unlock.addEventListener("click", () => this.#unlock());
    return element(
      "div", { class: tone },
      element("p", {}, element("strong", {}, title), text ?? null),
      isLocked ? unlock : null,
      small ? element("p", { class: "quiet" }, small) : null);
  }

  async #unlock() {
    await this.act(`The bank unlocks ${this.uniqueId}`, async () => {
      await bankBackEnd.unlock(this.uniqueId);
      this.say({ tone: "good", title: "You are unlocked.", text: "Use the code from the letter." });
    });
    document.querySelector(".screen:not([hidden])").focus();
  }
}

/** What fits this page and this display. */
function surroundings() {
  const scale = Math.min(3, Math.max(1, Math.ceil(devicePixelRatio)));
  return { theme: darkPage.matches ? "dark" : "light", scale };
}

function showSurroundings() {
  const { theme, scale } = surroundings();
  place("surroundings").textContent =
    `The app also asks for a ${theme} image, as this page is, and for scale ${scale}, as this display is.`;
}

class Screens {
  constructor(app, host) {
    this.app = app;
    this.myPIN = new MyPIN(app);
    this.newPIN = new NewPIN(app);
    this.passport = new Passport(app);
    this.terminal = new Terminal(app, host);
    this.definedPIN = new DefinedPIN(host, place("effect"));
    app.watchDefinedPIN = () => this.definedPIN.watch(app.uniqueId);
    app.showMyPIN = () => {
      this.show("my-pin");
      place("hold").focus();
    };
    for (const button of place("screens").children) {
      button.addEventListener("click", () => this.show(button.dataset.screen));
    }
    place("sign-in-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.signIn();
    });
    place("sign-out").addEventListener("click", () => this.signOut());
    place("tap").addEventListener("change", () => this.myPIN.label());
    place("old").addEventListener("change", () => app.say(null));
    place("accessibility").addEventListener("change", () => this.mark());
    darkPage.addEventListener("change", showSurroundings);
  }

  show(id) {
    this.myPIN.forget();
    this.newPIN.end();
    this.terminal.end();
    this.app.say(null);
    for (const screen of document.querySelectorAll(".screen")) screen.hidden = screen.id !== id;
    for (const button of place("screens").children) {
      if (button.dataset.screen === id) button.setAttribute("aria-current", "page");
      else button.removeAttribute("aria-current");
    }
    if (id === "new-pin") this.newPIN.open();
    if (id === "passport") this.passport.open();
    if (id === "settings") showSurroundings();
  }

  showCardholders({ cardholders }) {
    this.cardholders = new Map(cardholders.map((cardholder) => [cardholder.uniqueId, { ...cardholder }]));
    place("cardholders").replaceChildren(...cardholders.map(({ uniqueId }, index) => {
      const choice = element("input", { type: "radio", name: "cardholder", value: uniqueId });
      choice.checked = index === 0;
      choice.addEventListener("change", () => this.labelEntry());
      return element("label", { class: "choice" }, choice, " ", element("span", {}, uniqueId));
    }));
    this.labelEntry();
    place("enter").disabled = false;
  }

  labelEntry() {
    place("enter").textContent = `Sign in as ${checkedValue("cardholder")}`;
  }

  signIn() {
    const uniqueId = checkedValue("cardholder");
    Object.assign(this.app, { uniqueId, way: checkedValue("way"), session: new CardCompanionSession() });
    place("name").textContent = uniqueId;
    this.isSignedIn(true);
    const cardholder = this.cardholders.get(uniqueId);
    this.myPIN.begin(cardholder);
    document.querySelector(`[name="accessibility"][value="${cardholder.accessibility ?? ""}"]`).checked = true;
    this.app.showMyPIN();
    this.app.watchDefinedPIN();
  }

  signOut() {
    this.myPIN.end();
    this.definedPIN.end();
    Object.assign(this.app, { uniqueId: null, way: null, session: null });
    this.isSignedIn(false);
    this.show("sign-in");
    place("enter").focus();
  }

  isSignedIn(isSignedIn) {
    place("who").hidden = !isSignedIn;
    place("screens").hidden = !isSignedIn;
  }

  /** The bank marks what the cardholder needs. */
  async mark() {
    const accessibility = checkedValue("accessibility") || null;
    const { uniqueId } = this.app;
    await this.app.act(`The bank marks what ${uniqueId} needs`, async () => {
      await bankBackEnd.setAccessibility(uniqueId, accessibility);
      this.cardholders.get(uniqueId).accessibility = accessibility;
      this.app.say({ tone: "good", title: "The bank knows it now.", text: "Look at your PIN again." });
    });
  }
}

async function start() {
  const unheard = listen((kind, content) => wire.add(kind, content));
  const wire = new WireView(place("actions"), new ServerChecks(unheard));
  const app = new App(wire);
  const screens = new Screens(app, new BankHost(unheard));
  place("clear").addEventListener("click", () => {
    wire.clear();
    place("nothing").hidden = false;
    place("clear").hidden = true;
  });
  try {
    const description = await bankBackEnd.description();
    app.bankId = description.bankId;
    screens.showCardholders(description);
  } catch (error) {
    app.say({ tone: "bad", title: "The sandbox's bank did not answer.", text: `${error.message}. Reload the page.` });
  }
}

start();
