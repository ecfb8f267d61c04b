// A delivered PIN on the screen: covered or shown, and wiped at the end.

import { element } from "/docs/elements.js";

/** Images as the browser shows them. Their bytes are overwritten, and their addresses end, with `wipe`. */
class Images {
  #urls;

  constructor(images) {
    this.#urls = images.map((image) => {
      const bytes = Uint8Array.from(atob(image), (character) => character.charCodeAt(0));
      const url = URL.createObjectURL(new Blob([bytes], { type: "image/png" }));
      bytes.fill(0);
      return url;
    });
  }

  /** Throws if one of them is not an image that the browser can show. */
  async elements(scale) {
    return Promise.all(this.#urls.map(async (url, index) => {
      const count = this.#urls.length;
      const alt = count === 1 ? "Your PIN, as an image" : `Digit ${index + 1} of ${count} of your PIN, as an image`;
      const image = element("img", { alt, draggable: "false" });
      image.src = url;
      await image.decode();
      image.width = image.naturalWidth / scale;
      return image;
    }));
  }

  wipe() {
    this.#urls.forEach((url) => URL.revokeObjectURL(url));
    this.#urls = [];
  }
}

/** Digits to look at, and the same, one by one, for a screen reader. */
function digits(text) {
  return element(
    "p", { class: "digits" },
    element("span", { "aria-hidden": "true" }, text),
    element("span", { class: "unseen" }, `Your PIN is ${[...text].join(" ")}.`));
}

/** The frame in which the PIN is covered or shown. */
export class PINView {
  #frame;
  #covered;
  #images = null;
  #content = [];

  constructor(frame, covered) {
    this.#frame = frame;
    this.#covered = covered;
    for (const name of ["contextmenu", "dragstart", "selectstart", "copy"]) {
      frame.addEventListener(name, (event) => event.preventDefault());
    }
  }

  /** Whether there is a PIN to show. */
  get isFilled() { return this.#content.length > 0; }

  get isShown() { return this.isFilled && this.#content[0].isConnected; }

  /** Takes what was delivered. Throws if the browser cannot show it. */
  async fill({ images, text }, scale) {
    this.wipe();
    if (text !== null) {
      this.#content = [digits(text)];
      return;
    }
    this.#images = new Images(images);
    this.#content = await this.#images.elements(scale);
  }

  show() { this.#frame.replaceChildren(...this.#content); }

  cover() { this.#frame.replaceChildren(this.#covered); }

  wipe() {
    this.cover();
    this.#images?.wipe();
    for (const part of this.#content) {
      part.removeAttribute("src");
      part.textContent = "";
    }
    this.#content = [];
    this.#images = null;
  }
}
