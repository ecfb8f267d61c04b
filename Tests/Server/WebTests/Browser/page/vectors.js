// Runs the client's own steps on the inputs of docs/vectors. /testable/card-companion.js is the client with one more
// line at its end, which exports these steps.

import * as client from "/testable/card-companion.js";

const bytesIn = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (digits) => parseInt(digits, 16));
const utf8 = (text) => new TextEncoder().encode(text);
const { subtle } = crypto;

/** The results by name. An error of the client becomes its code. */
async function resultsOf(cases, step) {
    const results = {};
    for (const each of cases) {
        results[each.name] = await step(each).catch((error) => error.code ?? String(error));
    }
    return results;
}

async function recipient({ kty, n, e, d, p, q, dp, dq, qi, crv, x, y }) {
    const algorithm = kty === "RSA" ? "RSA-OAEP-256" : "ECDH-ES+A256KW";
    const jwk = kty === "RSA" ? { kty, n, e, d, p, q, dp, dq, qi } : { kty, crv, x, y, d };
    const { generation, privateUses } = client.keyKinds[algorithm];
    return { algorithm, privateKey: await subtle.importKey("jwk", jwk, generation, false, privateUses) };
}

/** The plaintext of each sealed value. */
export const openVectors = (cases) => resultsOf(cases, async ({ compact, jwk }) =>
    client.toHex(await client.openSealed(compact, await recipient(jwk))));

/** What an app gets of each delivery. The notify key cannot be read, so this shows what it signs. */
export const deliverVectors = (cases, message, hints = {}) => resultsOf(cases, async ({ compact, jwk }) => {
    const delivery = await client.parsedDelivery(await client.openSealed(compact, await recipient(jwk)), hints);
    const shown = client.shownParts(delivery);
    if (!shown) return client.LibraryCode.incompletePIN;
    const { format, freeField = null } = delivery;
    const mac = client.toHex(await client.hmac(delivery.notifyKey, message));
    return { format, images: shown.images, freeField, mac };
});

/** Each step of the key agreement: the shared secret, and the key that both sides derive from it. */
export const agreeVectors = (cases) => resultsOf(cases, async ({ jwk, epk, apu, apv }) => {
    const { privateKey } = await recipient(jwk);
    const algorithm = { name: "ECDH", public: await client.p256PublicKey(epk) };
    const sharedSecret = new Uint8Array(await subtle.deriveBits(algorithm, privateKey, 256));
    const key = await client.concatKDF(sharedSecret, "ECDH-ES+A256KW", bytesIn(apu), bytesIn(apv));
    return { sharedSecret: client.toHex(sharedSecret), wrappingKey: client.toHex(key) };
});

/** Seals each plaintext to the key that a server publishes. */
export const sealVectors = (cases) => resultsOf(cases, async ({ keySet, alg, plaintext, binding }) => {
    const key = await client.serverKey(keySet, alg, { pinnedServerKeyThumbprints: [] });
    return client.seal(utf8(plaintext), key, binding);
});

/** The plaintext of each PIN or list of indexes. */
export const writeVectors = (cases) => resultsOf(cases, async ({ pin, indexes }) => {
    const lengths = { minimum: 4, maximum: 6 };
    const plaintext = indexes ? client.indexesPlaintext(indexes, lengths) : client.pinPlaintext(pin, lengths);
    return new TextDecoder().decode(plaintext);
});

export const keypadVectors = (cases) => resultsOf(cases, async ({ keypad, keypadSize, pin }) =>
    [client.isKeypad(keypad, keypadSize), client.KeyPad.indexes(pin, keypad)]);

export const hashMacVectors = (cases) => resultsOf(cases, async ({ key, bankId, uniqueId, timestamp, binding }) =>
    client.CryptoUtil.computeHMAC(key, bankId + uniqueId + timestamp + (binding ? `.${binding}.` : "")));

/** The digest of each key or sealed value that is sent. */
export const bindingVectors = (cases) => resultsOf(cases, async ({ member, sent }) => {
    const isKey = member.endsWith("PublicKey");
    const bytes = isKey ? Uint8Array.from(atob(sent), (letter) => letter.charCodeAt(0)) : new TextEncoder().encode(sent);
    return client.digestOf(bytes);
});

/** The hash of each notify. The names come from the token, if there is one. */
export const notifyVectors = (cases) => resultsOf(cases, async ({ notifyKey, token, sessionId, status, ...named }) => {
    const key = await client.importNotifyKey(bytesIn(notifyKey));
    const { bankId, uniqueId } = token ? client.namesIn(token) : named;
    const state = { notifyKeys: { values: () => [key] } };
    return (await client.notifyHash({ bankId, uniqueId, sessionId }, status, state)).hash;
});

export const thumbprintVectors = (cases) => resultsOf(cases, async ({ jwk }) => client.thumbprint(jwk));

/** What the client reads in each token. */
export const tokenVectors = (cases) => resultsOf(cases, async ({ token }) => {
    const { bankId, uniqueId, idTransaction } = client.namesIn(token);
    return [bankId, uniqueId, idTransaction];
});

export const base64URLVectors = (cases) => resultsOf(cases, async ({ text }) => {
    const bytes = client.base64URLDecoded(text);
    return bytes && client.toHex(bytes);
});

/** AES-GCM with the parameters that the client uses. */
export const gcmVectors = (cases) => resultsOf(cases, async ({ key, iv, additionalData, ciphertext, tag }) => {
    const algorithm = { name: "AES-GCM", iv: bytesIn(iv), additionalData: bytesIn(additionalData) };
    const imported = await subtle.importKey("raw", bytesIn(key), "AES-GCM", false, ["decrypt"]);
    return subtle.decrypt(algorithm, imported, bytesIn(ciphertext + tag))
        .then((bytes) => client.toHex(new Uint8Array(bytes)), () => null);
});

/** AES key wrap with the parameters that the client uses. The key that comes out is read again as an HMAC key. */
export const keyWrapVectors = (cases) => resultsOf(cases, async ({ wrappingKey, wrappedKey }) => {
    const unwrapping = await subtle.importKey("raw", bytesIn(wrappingKey), "AES-KW", false, ["unwrapKey"]);
    const kind = { name: "HMAC", hash: "SHA-256" };
    return subtle.unwrapKey("raw", bytesIn(wrappedKey), unwrapping, "AES-KW", kind, true, ["sign"])
        .then((key) => subtle.exportKey("raw", key))
        .then((bytes) => client.toHex(new Uint8Array(bytes)), () => null);
});

/** After how many seconds the client sends again, for each answer and number of sends. */
export const overloadWaits = (cases) => cases.map(({ body, sendCount, ...answer }) =>
    client.overloadRetry.secondsToWait({ ...answer, body: utf8(body) }, sendCount));
