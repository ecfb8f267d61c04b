// What the driver calls in the browser: functions with JSON in and out. The driver knows what is right.

import * as product from "/client/card-companion.js";
import * as vectors from "/page/vectors.js";

const sessions = new Map([["shared", product.CardCompanionSession.shared], ["no session", {}]]);
const responses = new Map();
const clock = { milliseconds: 0 };
/** For how many seconds retries have waited, and their random number. */
const waits = { seconds: [], random: 0 };

/** Stands in for what a test needs to control: the clock, the making of keys, and the waits. */
function surroundings(failsToMakeKeys) {
    return {
        nowMilliseconds: () => clock.milliseconds,
        generateKey: (...what) =>
            failsToMakeKeys ? Promise.reject(new Error("no keys today")) : crypto.subtle.generateKey(...what),
        random: () => waits.random,
        sleep: async (seconds) => { waits.seconds.push(seconds); },
    };
}

/** The waits since the last call. `random` is the random number of those to come. */
function takeWaits(random) {
    waits.random = random;
    return waits.seconds.splice(0);
}

function newSession(name, configuration = {}, failsToMakeKeys = false) {
    try {
        sessions.set(name, new product.CardCompanionSession(configuration, surroundings(failsToMakeKeys)));
        return "ok";
    } catch (error) {
        return error.name;
    }
}

function advance(seconds) {
    clock.milliseconds += seconds * 1000;
}

/** What cannot be written in JSON. */
function unwritten(value) {
    if (value?.bytes) return Uint8Array.from(value.bytes);
    return value === "<half of a surrogate pair>" ? "\ud83d" : value;
}

function parametersIn(json) {
    if (typeof json !== "object" || json === null) return json;
    return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, unwritten(value)]));
}

/** Calls an operation such as "PINDistribution.postNotifyRequest". Bytes arrive as `{"bytes": [49, 50]}`. */
async function call(operation, parameters, hostUrl, session = "shared") {
    const [object, name] = operation.split(".");
    const response = await product[object][name](parametersIn(parameters), hostUrl, sessions.get(session));
    responses.set(session, response);
    const names = ["pin", "images", "text", "sessionId", "freeField", "keypad", "keypadId", "effective"];
    const view = Object.fromEntries(names.map((member) => [member, response[member] ?? null]));
    const { errorCode, errorMessage, retryAfterSeconds } = response;
    return { ...view, errorCode, errorMessage, retryAfterSeconds, json: JSON.stringify(response) };
}

/** The codes of definitions with PINs that were sealed for the IdTransaction sealed-before, or could not be sealed. */
async function sealedBefore(bankId, uniqueId, hostUrl, { right, other }) {
    const { PINDefinition } = product;
    const names = { bankId, uniqueId, idTransaction: "sealed-before" };
    const seal = (pin, url = hostUrl) => PINDefinition.sealTokenPIN({ ...names, pin }, url);
    const define = async (signed, sealedPIN) =>
        (await PINDefinition.postDefinePINECDHRequest({ ...signed, sealedPIN }, hostUrl)).errorCode;
    const sealed = await seal("7305");
    return {
        other: await define(other, sealed), short: await define(right, await seal("1")),
        unreachable: await define(right, await seal("7305", "http://127.0.0.1:1")), right: await define(right, sealed),
    };
}

/** Calls an operation twice at the same time, and returns both responses. */
function callTwice(...given) {
    return Promise.all([call(...given), call(...given)]);
}

/** The sizes of base64 PNGs, as the browser decodes them. */
async function imageSizes(images) {
    return Promise.all(images.map(async (image) => {
        const element = new Image();
        element.src = `data:image/png;base64,${image}`;
        await element.decode();
        return [element.naturalWidth, element.naturalHeight];
    }));
}

function database() {
    return new Promise((resolve, reject) => {
        const request = indexedDB.open("receipts", 1);
        request.onupgradeneeded = () => request.result.createObjectStore("receipts");
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
}

async function stored(mode, action) {
    const store = (await database()).transaction("receipts", mode).objectStore("receipts");
    return new Promise((resolve, reject) => {
        const request = action(store);
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
}

/** Stores the receipt of a session's last response, as an app would. Returns whether its key could be exported. */
async function storeReceipt(session) {
    const { notifyReceipt } = responses.get(session);
    await stored("readwrite", (store) => store.put(notifyReceipt, "receipt"));
    return notifyReceipt.key.extractable;
}

async function restoreReceipt(session, changes = {}) {
    const receipt = await stored("readonly", (store) => store.get("receipt"));
    return sessions.get(session).restore({ ...receipt, ...changes });
}

/** Receipts with keys that are no notify keys. */
async function restoreOtherKeys(session) {
    const { subtle } = crypto;
    const hmac = (hash, length, usages) => subtle.generateKey({ name: "HMAC", hash, length }, false, usages);
    const keys = [
        await hmac("SHA-256", 128, ["sign"]), await hmac("SHA-1", 256, ["sign"]),
        await hmac("SHA-256", 256, ["verify"]),
        await subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt"]), "a text", null,
    ];
    return keys.map((key) => sessions.get(session).restore({ version: 1, sessionId: "s", key }));
}

function restoreNothing(session) {
    return [null, undefined, "1.c2Vzc2lvbg.AA", {}].map((receipt) => sessions.get(session).restore(receipt));
}

/** Runs an operation and reports each buffer that was a secret (whether it is all zero now) and each secret key. */
async function watched(...operation) {
    const [buffers, keys] = [[], []];
    const watch = (name, look) => {
        const real = SubtleCrypto.prototype[name];
        crypto.subtle[name] = async (...what) => {
            const result = await real.apply(crypto.subtle, what);
            look(what, result);
            return result;
        };
    };
    const keep = (what, bytes) => buffers.push({ what, bytes: new Uint8Array(bytes.buffer ?? bytes) });
    watch("importKey", ([format, bytes], key) => {
        if (key.type === "secret") keep(`importKey ${key.algorithm.name}`, bytes);
        if (key.type === "secret") keys.push(["imported", key]);
    });
    watch("digest", ([, bytes]) => keep("digest", bytes));
    watch("encrypt", ([, , bytes]) => keep("encrypt", bytes));
    watch("decrypt", (_, bytes) => keep("decrypt", bytes));
    watch("deriveBits", (_, bytes) => keep("deriveBits", bytes));
    watch("unwrapKey", (_, key) => keys.push(["unwrapped", key]));
    watch("generateKey", (_, made) => keys.push(["generated", made.privateKey ?? made]));
    let response;
    try {
        response = await call(...operation);
    } finally {
        for (const name of Object.keys(crypto.subtle)) delete crypto.subtle[name];
    }
    const wiped = buffers.map(({ what, bytes }) => [what, bytes.every((byte) => byte === 0)]);
    const extractable = keys.map(([how, { algorithm, extractable }]) => [how, algorithm.name, extractable]);
    return { response, wiped, extractable };
}

/** Whether the client leaves the bytes of a PIN as they were. */
async function pinBytesAfter(operation, parameters, hostUrl) {
    const given = parametersIn(parameters);
    const [object, name] = operation.split(".");
    const { errorCode } = await product[object][name](given, hostUrl);
    return { errorCode, bytes: [...given.pin] };
}

function discardKeypads(bankId, uniqueId, session) {
    product.PINDefinition.discardKeypads(bankId, uniqueId, sessions.get(session));
}

/** The exported names, and the codes under them. */
function surface() {
    const { DistributionCode, DefinitionCode, LibraryCode, NotifyStatus } = product;
    return { names: Object.keys(product), codes: { DistributionCode, DefinitionCode, LibraryCode, NotifyStatus } };
}

/** Runs an example of docs/javascript.md on this page. */
async function runExample(url, name, ...given) {
    const example = await import(url);
    const image = new Image();
    const returned = await example[name](image, ...given);
    return { returned, source: image.src.slice(0, 40), width: image.naturalWidth };
}

window.page = {
    ...vectors, advance, call, callTwice, discardKeypads, imageSizes, newSession, pinBytesAfter, restoreNothing,
    restoreOtherKeys, restoreReceipt, runExample, sealedBefore, storeReceipt, surface, takeWaits, watched,
};
