// Listens to what this page sends, receives, encrypts and decrypts, so that it can be shown. It can do so because any
// script of a page can replace fetch and WebCrypto. That is why a bank's page must not load foreign scripts.

const jsonOf = async (message) => JSON.parse(await message.text());

/**
 * From now on, reports each request of this page and its answer, and each plaintext without the PIN in it. Returns a
 * fetch that nobody listens to.
 */
export function listen(report) {
  const unheard = globalThis.fetch.bind(globalThis);
  globalThis.fetch = async (url, options = {}) => {
    const { pathname: path } = new URL(url, location.href);
    const { method = "GET", body } = options;
    const exchange = { method, path, request: body ? JSON.parse(body) : null };
    const started = performance.now();
    try {
      const answer = await unheard(url, options);
      const copy = await jsonOf(answer.clone()).catch(() => null);
      const milliseconds = Math.round(performance.now() - started);
      report("exchange", { ...exchange, status: answer.status, answer: copy, milliseconds });
      return answer;
    } catch (error) {
      report("exchange", { ...exchange, status: null, answer: null });
      throw error;
    }
  };
  listenToWebCrypto(report);
  return unheard;
}

function listenToWebCrypto(report) {
  const { decrypt, encrypt } = SubtleCrypto.prototype;
  crypto.subtle.decrypt = async (...given) => {
    const plaintext = await decrypt.apply(crypto.subtle, given);
    withoutEffect(() => report("opened", deliveryWithoutPIN(new Uint8Array(plaintext))));
    return plaintext;
  };
  crypto.subtle.encrypt = (...given) => {
    withoutEffect(() => report("sealed", paddedWithoutDigits(given[2])));
    return encrypt.apply(crypto.subtle, given);
  };
}

/** Whatever happens while listening, the page goes on as if nobody listened. */
function withoutEffect(listening) {
  try {
    listening();
  } catch (error) {
    console.warn("not shown:", error);
  }
}

/** What was delivered, with words in place of the PIN and of the key. */
function deliveryWithoutPIN(plaintext) {
  const { images, order, text, notifyKey, padding, ...shown } = JSON.parse(new TextDecoder().decode(plaintext));
  const hidden = {
    images: images && `${images.length} PNG, ${images.join("").length} characters, not shown here`,
    order: order && `${order.length} places, not shown here`,
    text: text && `${text.length} digits, not shown here`,
    notifyKey: `${notifyKey.length} characters, not shown here`,
    padding: `${padding.length} characters`,
  };
  return { ...shown, ...Object.fromEntries(Object.entries(hidden).filter(([, words]) => words !== undefined)) };
}

/** A PIN or its positions as they were encrypted, with a dot for each digit. */
function paddedWithoutDigits(plaintext) {
  const isDigit = (byte) => byte >= 0x30 && byte <= 0x39;
  const shown = Array.from(plaintext, (byte) => (isDigit(byte) ? "•" : String.fromCharCode(byte)));
  return shown.join("").replaceAll(" ", "␠");
}
