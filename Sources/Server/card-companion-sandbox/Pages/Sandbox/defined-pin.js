// The line that says whether terminals accept the PIN that the cardholder has chosen. A real app is told by its bank; this one asks.

const pauseMilliseconds = 1000;

const words = {
  pending: "Your new PIN does not work at terminals yet. It is on its way to the bank's host.",
  sent: "Your new PIN does not work at terminals yet. The bank's host has it, and uses it soon.",
  effective: "Your new PIN works at terminals.",
};

export class DefinedPIN {
  #host;
  #place;
  /** Only the last watch goes on. */
  #watch = null;

  /** `place` is where the line is. */
  constructor(host, place) {
    this.#host = host;
    this.#place = place;
  }

  /** Shows what has become of the cardholder's PIN, until it works or has failed. */
  async watch(uniqueId) {
    const watch = {};
    this.#watch = watch;
    this.#place.textContent = "";
    for (;;) {
      const { state, reason } = await this.#host.definedPIN(uniqueId).catch(() => ({ state: "unknown" }));
      if (this.#watch !== watch) return;
      this.#show(state, reason);
      if (state === undefined || state === "effective" || state === "failed") return;
      await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
      if (this.#watch !== watch) return;
    }
  }

  end() {
    this.#watch = null;
    this.#place.textContent = "";
  }

  #show(state, reason) {
    if (state === "unknown") return;  // what was known before stays
    const text = state === "failed" ? `Your new PIN does not work at terminals. The bank says: ${reason}` : words[state];
    // A screen reader reads it once.
    if (this.#place.textContent !== (text ?? "")) this.#place.textContent = text ?? "";
  }
}
