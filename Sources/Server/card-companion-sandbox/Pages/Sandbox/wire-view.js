// Shows what went over the wire: an action of the cardholder, and below it each step.

import { code, element } from "/docs/elements.js";
import { meaningOf, purposes } from "./member-meanings.js";

/** Longer values are shortened. */
const shownCharacters = 44;
/** What is left of them. */
const startCharacters = 24;
/** Older actions are removed. */
const maximumActionCount = 20;

const verdicts = { good: "✓", bad: "✗ wrong:", note: "" };

export class WireView {
  #place;
  #checks;
  #number = 0;
  #steps = null;

  /** `checks` knows what the server checked in a request. */
  constructor(place, checks) {
    this.#place = place;
    this.#checks = checks;
  }

  /** Begins a new action. What comes next belongs to it. */
  begin(title) {
    this.#number += 1;
    for (const earlier of this.#place.children) earlier.open = false;
    this.#steps = element("ol", { class: "steps" });
    const heading = element("summary", {}, element("h3", {}, `${this.#number}. ${title}`));
    this.#place.prepend(element("details", { class: "action", open: "" }, heading, this.#steps));
    while (this.#place.children.length > maximumActionCount) this.#place.lastChild.remove();
  }

  clear() {
    this.#place.replaceChildren();
    this.#number = 0;
  }

  /** Adds what `listen` reports. */
  add(kind, content) {
    if (this.#steps === null) return;
    if (kind === "exchange") this.#steps.append(this.#exchange(content));
    else if (kind === "opened") this.#steps.append(opened(content));
    else this.#steps.append(sealed(content));
  }

  #exchange({ method, path, request, status, answer, milliseconds }) {
    const step = element(
      "li", { class: "step" },
      element("h4", {}, receiver(path), code(`${method} ${path}`), result(status, answer, milliseconds)),
      element("p", { class: "quiet" }, purposes[path]),
      request && members("Sent", request, "request"),
      answer && members("Answered", answer, "answer"));
    this.#addChecks(step, path, request, answer);
    return step;
  }

  async #addChecks(step, path, request, answer) {
    try {
      const findings = await this.#checks.of(path, request, answer);
      if (findings.length > 0) step.append(checks(findings));
    } catch (error) {
      step.append(element("p", { class: "quiet" }, `The server's checks cannot be shown: ${error.message}`));
    }
  }
}

/** Who is asked. */
function receiver(path) {
  if (path.startsWith("/sandbox/phone/")) return element("span", { class: "who" }, "to the phone");
  return path.startsWith("/sandbox/")
    ? element("span", { class: "who" }, "to the bank")
    : element("span", { class: "who server" }, "to Card Companion");
}

const inTheApp = () => element("span", { class: "who" }, "in the app");

function result(status, answer, milliseconds) {
  if (status === null) return element("span", { class: "result bad" }, "no answer");
  const { errorCode } = answer ?? {};
  const isGood = status === 200 && (errorCode ?? 0) === 0;
  const words = errorCode === undefined ? `HTTP ${status}` : `code ${errorCode}`;
  return element("span", { class: `result ${isGood ? "good" : "bad"}` }, `${words}, ${milliseconds} ms`);
}

function opened(delivery) {
  return element(
    "li", { class: "step" },
    element("h4", {}, inTheApp(), "Open what was encrypted"),
    element("p", { class: "quiet" }, "It decrypts pin with the private half of its key."),
    members("Plaintext", delivery, "plaintext"));
}

function sealed(plaintext) {
  return element(
    "li", { class: "step" },
    element("h4", {}, inTheApp(), "Encrypt the PIN"),
    element(
      "p", { class: "quiet" },
      "It encrypts this to the server's public key. A dot is a digit, which is not shown here. ",
      "␠ is a space: each value has the same length."),
    element("p", {}, code(plaintext)));
}

function members(title, content, side) {
  const rows = Object.entries(content).map(([name, value]) => element(
    "div", { class: "member" },
    element("dt", {}, code(name)),
    element("dd", {}, valueView(value)),
    element("dd", { class: "meaning" }, meaningOf(name, side))));
  if (rows.length === 0) return null;
  return element("div", { class: "members" }, element("p", {}, title), element("dl", {}, rows));
}

function checks(findings) {
  const rows = findings.map(({ verdict, subject, text }) => element(
    "li", { class: "finding" },
    code(subject),
    element("span", {}, element("span", { class: `verdict ${verdict}` }, verdicts[verdict] ?? ""), ` ${text}`)));
  const heading = element("p", {}, "What the server checked");
  return element("div", { class: "members checks" }, heading, element("ul", {}, rows));
}

/** A short value, or a text for people, as it is. Any other is shortened, and can be opened. */
function valueView(value) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const isForPeople = / /.test(text) && !/^[{[]/.test(text);
  if (text.length <= shownCharacters || isForPeople) return code(text);
  const start = text.slice(0, startCharacters);
  return element(
    "details", {},
    element(
      "summary", {}, code(`${start}…`), " ",
      element("span", { class: "count" }, `${text.length.toLocaleString("en")} characters`)),
    parts(value, text).map(([words, part]) => [
      words && element("p", { class: "meaning" }, words), element("pre", {}, code(part)),
    ]));
}

/** What a long value consists of, with words before each part. */
function parts(value, text) {
  const header = /^(eyJ[\w-]+)\.[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+$/.exec(text)?.[1];
  if (header) {
    const json = atob(header.replaceAll("-", "+").replaceAll("_", "/"));
    return [["An encrypted value (JWE). Anyone can read its header:", indented(json)], ["The whole value:", text]];
  }
  if (typeof value !== "string") return [[null, indented(text)]];
  const isJSON = text.startsWith("{");
  return isJSON ? [["What it says:", indented(text)], ["Byte for byte:", text]] : [[null, text]];
}

function indented(json) {
  return JSON.stringify(JSON.parse(json), null, 2);
}
