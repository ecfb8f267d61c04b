// What the server checked in a request: the bank's proof, which the sandbox explains, and the check that failed.

export class ServerChecks {
  #fetch;
  #openAPI = null;

  /** `fetch` is one that nobody listens to. */
  constructor(fetch) {
    this.#fetch = fetch;
  }

  /** The findings of the checks, in the order of the server: what was checked, and the result. */
  async of(path, request, answer) {
    const isProved = Boolean(request?.hashMac || request?.signature);
    const findings = isProved ? await this.#explained(path, request) : [];
    const isExplained = findings.some(({ verdict }) => verdict === "bad");
    if (!answer?.errorCode || isExplained) return findings;
    return [...findings, await this.#failed(path, answer, isProved)];
  }

  async #explained(path, request) {
    const { findings } = await this.#json("/sandbox/explain", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ path, request }),
    });
    return findings;
  }

  /** The operation's checks are a table in openapi.json, with the code of each. */
  async #failed(path, { errorCode, errorMessage }, isProved) {
    this.#openAPI ??= this.#json("/docs/openapi.json");
    const { description } = (await this.#openAPI).paths[path].post;
    const reasons = reasonsFor(errorCode, description);
    // If the bank's proof is good, it was one of the checks after it.
    const text = (isProved ? reasons.slice(-1) : reasons).join("; or ") || errorMessage;
    return { verdict: "bad", subject: `code ${errorCode}`, text };
  }

  async #json(path, options) {
    const answer = await this.#fetch(path, options);
    const content = await answer.json();
    if (!answer.ok) throw new Error(content.detail);
    return content;
  }
}

/** When an operation answers with this code, in the words of its table: `| 204, 203 | 204: …; 203: … |`. */
function reasonsFor(errorCode, description) {
  const rows = description.split("\n").filter((line) => /^\| \d/.test(line));
  const checks = rows.map((row) => row.slice(1, -1).split("|").map((cell) => cell.trim()));
  return checks.filter(([codes]) => codes.split(", ").includes(String(errorCode))).map(([, when]) => {
    const own = when.split("; ").find((part) => part.includes(`${errorCode}: `));
    return own === undefined ? when : own.slice(own.indexOf(`${errorCode}: `) + `${errorCode}: `.length);
  });
}
