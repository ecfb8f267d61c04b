// The screen on which a cardholder sees the PIN, as long as the button is held, and confirms it.

import { DistributionCode, LibraryCode, NotifyStatus, PINDistribution } from "/sandbox/card-companion.js";
import { bankBackEnd, tokenTypes } from "./bank-back-end.js";
import { distributionMessage, lockingCodeMessage } from "./code-messages.js";
import { onHold } from "./hold.js";
import { PINView } from "./pin-view.js";

/** How long a PIN can be on the screen, counted from when it was first shown. */
const shownSeconds = 10;
/** How long the page keeps a PIN that was fetched and not shown. */
const unseenSeconds = 30;

const place = (id) => document.getElementById(id);
const enteredCode = () => place("code").value.trim();

export class MyPIN {
  #app;
  #view = new PINView(place("frame"), place("covered"));
  #isWanted = false;
  #isFetching = false;
  /** With which the PIN was fetched. */
  #code = null;
  #endsAt = null;
  #clock = null;
  /** What the notify of the last delivery needs. */
  #delivery = null;
  #hasConfirmed = false;
  /** The digits, if the bank sends them, for as long as the PIN can be shown. */
  #digits = null;
  #speaksNext = false;

  constructor(app) {
    this.#app = app;
    onHold(place("hold"), {
      start: () => this.#want(),
      stop: () => this.#letGo(),
      press: () => (this.#view.isShown ? this.forget() : this.#want()),
      isTap: () => app.settings.isTap,
    });
    place("seen").addEventListener("click", () => this.#confirm(NotifyStatus.success));
    place("not-seen").addEventListener("click", () => this.#confirm(NotifyStatus.appError));
    place("speak").addEventListener("click", () => this.#wantSpoken());
    place("code").addEventListener("input", () => this.forget());
    // Nobody looks at a page in the background, but its picture can be seen in the list of windows.
    document.addEventListener("visibilitychange", () => document.hidden && this.forget());
    window.addEventListener("pagehide", () => this.forget());
    window.addEventListener("beforeprint", () => this.forget());
  }

  /** The screen of a cardholder who has just signed in. */
  begin({ uniqueId, code }) {
    this.end();
    this.#hasConfirmed = false;
    place("code").value = code;
    place("letter").textContent = `The bank's letter to ${uniqueId} says ${code}.`;
    place("speak").hidden = true;
    this.label();
  }

  /** Nothing of the PIN stays, and no question about it. */
  end() {
    this.forget();
    this.#delivery = null;
    place("question").hidden = true;
  }

  label() {
    const { isTap } = this.#app.settings;
    const what = this.#view.isShown ? "Hide" : "See";
    place("hold").textContent = isTap ? `${what} my PIN` : "Hold to see my PIN";
    place("hold-hint").textContent = isTap
      ? "Press once to see it. It hides after ten seconds."
      : "Press and hold, with the mouse, a finger or the space bar. Let go to hide it.";
  }

  #want() {
    // A PIN can arrive after the code was changed.
    if (this.#view.isFilled && this.#code !== enteredCode()) this.forget();
    this.#isWanted = true;
    if (this.#view.isFilled) this.#show();
    else if (!this.#isFetching) this.#fetch();
  }

  #letGo() {
    this.#isWanted = false;
    this.#view.cover();
    place("remaining").textContent = "";
  }

  /** Reads the digits aloud, also if they are hidden by now. */
  #wantSpoken() {
    if (this.#digits !== null) return this.#speak();
    this.#speaksNext = true;
    return this.#want();
  }

  async #fetch() {
    const code = enteredCode();
    place("code").setAttribute("aria-invalid", String(code === ""));
    if (code === "") {
      this.#isWanted = false;
      this.#app.say({ tone: "bad", title: "Your code is missing.", text: "Type the code from the letter." });
      return place("code").focus();
    }
    this.#isFetching = true;
    this.end();
    this.#code = code;
    this.#isWanted = true;
    place("remaining").textContent = "The app asks for your PIN…";
    const { uniqueId, session } = this.#app;
    await this.#app.act(`${uniqueId} asks for the PIN`, async () => {
      const { response, token } = await this.#request(code);
      if (this.#app.session !== session) return;  // somebody else has signed in meanwhile
      await this.#received(response, token);
    });
    this.#isFetching = false;
    this.#speaksNext = false;
    if (this.#view.isFilled) return;
    this.#isWanted = false;
    place("remaining").textContent = "";
  }

  async #request(code) {
    const { uniqueId, way, session, hostUrl, hints, ageSeconds } = this.#app;
    if (way === "code") {
      const preparedFetch = await PINDistribution.prepareFetch(session);
      const claim = await bankBackEnd.hashMac({ uniqueId, ageSeconds, binding: preparedFetch.binding });
      const parameters = { ...claim, ...hints, authCode: code, preparedFetch };
      return { response: await PINDistribution.postGetPINCaptchaRequest(parameters, hostUrl, session) };
    }
    const type = this.#hasConfirmed ? tokenTypes.reminder : tokenTypes.delivery;
    const preparedFetch = await PINDistribution.prepareTokenFetch(session);
    const { binding } = preparedFetch;
    const { token, signature } = await bankBackEnd.token({ uniqueId, type, code, ageSeconds, binding });
    const parameters = { token, signature, ...hints, preparedFetch };
    return { token, response: await PINDistribution.postGetPINCaptchaTokenRequest(parameters, hostUrl, session) };
  }

  async #received(response, token) {
    const { errorCode, sessionId, images, text, freeField } = response;
    const isWrongCode = errorCode === DistributionCode.wrongAuthenticationCode;
    place("code").setAttribute("aria-invalid", String(isWrongCode));
    if (sessionId !== null) this.#delivery = { sessionId, token };
    if (errorCode !== 0) {
      this.#isWanted = false;
      if (sessionId !== null) await this.#notify(NotifyStatus.appError);
      const locks = isWrongCode && await bankBackEnd.isLocked(this.#app.uniqueId);
      return this.#app.say(locks ? lockingCodeMessage(response) : distributionMessage(response));
    }
    try {
      await this.#view.fill({ images, text }, this.#app.hints.scale);
    } catch {
      this.forget();
      await this.#notify(NotifyStatus.appError);
      const title = "This browser cannot show the image.";
      return this.#app.say({ tone: "bad", title, text: "The bank knows it now." });
    }
    this.#digits = text;
    this.#endsIn(unseenSeconds);
    this.#app.say(null);
    place("words").textContent = freeField ?? "";
    place("speak").hidden = text === null || !("speechSynthesis" in window);
    if (this.#speaksNext && text !== null) this.#speak();
    if (this.#isWanted) this.#show();
    else place("remaining").textContent = "Your PIN is here. Hold the button to see it.";
  }

  #show() {
    const isFirst = place("question").hidden;
    this.#view.show();
    if (isFirst) this.#endsIn(shownSeconds);
    place("question").hidden = false;
    this.#tick();
    this.label();
  }

  #endsIn(seconds) {
    this.#endsAt = performance.now() + seconds * 1000;
    clearInterval(this.#clock);
    this.#clock = setInterval(() => this.#tick(), 200);
  }

  #tick() {
    const seconds = Math.ceil((this.#endsAt - performance.now()) / 1000);
    if (seconds <= 0) return this.forget();
    if (this.#view.isShown) place("remaining").textContent = `It hides in ${seconds} s.`;
  }

  /** Takes the PIN off the screen and out of the page's hands. The browser reuses the memory when it likes. */
  forget() {
    clearInterval(this.#clock);
    this.#isWanted = false;
    this.#digits = null;
    this.#view.wipe();
    globalThis.speechSynthesis?.cancel();
    for (const id of ["words", "remaining"]) place(id).textContent = "";
    this.label();
  }

  #speak() {
    if (this.#digits === null) return;
    const words = new SpeechSynthesisUtterance([...this.#digits].join(", "));
    words.lang = "en";
    words.rate = 0.8;
    speechSynthesis.cancel();
    speechSynthesis.speak(words);
  }

  async #confirm(status) {
    const { uniqueId } = this.#app;
    const isSeen = status === NotifyStatus.success;
    this.forget();
    place("question").hidden = true;
    place("hold").focus();
    await this.#app.act(`${uniqueId} ${isSeen ? "has seen the PIN" : "has not seen the PIN"}`, async () => {
      const response = await this.#notify(status);
      // The server may not have heard it. The cardholder can answer again.
      place("question").hidden = response.errorCode < LibraryCode.invalidInput;
      if (response.errorCode !== 0) return this.#app.say(distributionMessage(response));
      this.#hasConfirmed ||= isSeen;
      this.#app.say(
        isSeen
          ? { tone: "good", title: "Thank you.", text: "The bank knows that you have seen your PIN." }
          : { tone: "note", title: "The bank knows that you have not seen it.", text: "Ask for your PIN again." });
    });
  }

  async #notify(status) {
    const { bankId, uniqueId, session, hostUrl } = this.#app;
    const { sessionId, token } = this.#delivery;
    return token === undefined
      ? PINDistribution.postNotifyRequest({ bankId, uniqueId, sessionId, status }, hostUrl, session)
      : PINDistribution.postNotifyTokenRequest({ token, sessionId, status }, hostUrl, session);
  }
}
