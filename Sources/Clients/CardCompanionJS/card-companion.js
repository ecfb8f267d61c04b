/**
 * Card Companion's client for browsers, with the functions of the SDK document (Mobile SDK Library 1.7). One ES module
 * on WebCrypto and fetch, without dependencies. card-companion.d.ts describes what it exports, docs/javascript.md how
 * to use it.
 *
 * What JavaScript cannot promise: a text cannot be wiped. Codes, tokens, the images in base64 and the JSON that they
 * arrive in are texts, so copies of them stay in the memory of the page until the browser reuses it. Keys are
 * different: they are CryptoKeys that no script can read. The bytes that are secret in between, such as a shared secret
 * or a padded PIN, are in a Uint8Array that this module overwrites after use, though the browser may have copied it.
 * Each script on the page can replace fetch and crypto, and read what the page shows. So embed this module only in a
 * page with a strict Content-Security-Policy and no foreign scripts.
 */

// Codes.

/** The server's result codes for PIN distribution (SDK document, table 1). */
export const DistributionCode = Object.freeze({
    success: 0,
    missingBankId: 100,
    missingUniqueId: 101,
    missingAuthenticationCode: 102,
    missingTimestamp: 103,
    missingHash: 104,
    missingStatus: 105,
    missingRSAPublicKey: 106,
    missingECDHPublicKey: 107,
    missingHashMac: 108,
    missingTransactionId: 109,
    missingSignature: 110,
    missingFournisseurId: 111,
    missingType: 112,
    missingToken: 113,
    invalidTimestamp: 200,
    badHash: 201,
    invalidRSAPublicKey: 202,
    wrongAuthenticationCode: 203,
    badAuthenticationCodeFormat: 204,
    badHashMac: 205,
    invalidSignature: 206,
    invalidECDHPublicKey: 207,
    invalidTokenFormat: 208,
    invalidTokenType: 209,
    transactionAlreadyTreated: 210,
    bankNotFound: 300,
    cardholderNotFound: 301,
    cardholderStatusNotSatisfied: 302,
    pinNotAvailable: 303,
    internalKeyNotFound: 304,
    unexpectedCryptoError: 305,
    unknownStatus: 306,
    retryLimitReached: 307,
    incompatibleBankAndCardholder: 308,
    incompatibleChannel: 309,
    badParameter: 312,
    unexpectedError: 500,
});

/** The server's result codes for PIN definition (SDK document, table 3, which does not list 0 for success). */
export const DefinitionCode = Object.freeze({
    success: 0,
    missingBankId: 100,
    bankNotFound: 101,
    missingECDHPublicKey: 107,
    missingUniqueId: 110,
    cardholderNotFound: 111,
    cardholderStatusNotSatisfied: 114,
    missingFournisseurId: 115,
    missingTransactionId: 116,
    missingType: 117,
    missingToken: 118,
    missingTimestamp: 120,
    invalidTimestamp: 121,
    missingPIN: 130,
    invalidPINFormat: 131,
    missingHashMac: 140,
    badHashMac: 141,
    cryptoError: 200,
    missingAESKey: 201,
    invalidSignature: 206,
    invalidECDHPublicKey: 207,
    invalidTokenFormat: 208,
    invalidTokenType: 209,
    missingSignature: 210,
    transactionAlreadyTreated: 211,
    invalidKeypadSize: 212,
    missingKeypadSize: 213,
    keypadNotFound: 214,
    unexpectedError: 300,
});

/** The result codes of errors that this client detects, not the server (SDK document, end of tables 1 and 3). */
export const LibraryCode = Object.freeze({
    invalidInput: 90000,
    noNetwork: 90001,
    emptyAnswer: 90002,
    badAnswerFormat: 90003,
    rsaKeyGenerationFailed: 90004,
    decryptionFailed: 90005,
    requestFailed: 90006,
    badPINFormat: 90007,
    ecKeyGenerationFailed: 90008,
    untrustedServerKey: 90009,
    keyAgreementFailed: 90010,
    plaintextNotParsed: 90011,
    contentKeyNotUnwrapped: 90012,
    incompletePIN: 90013,
    unreadableECKey: 90014,
    serverNotOK: 90015,
});

/** The messages of the library's codes, as in the SDK document. Some of them name the algorithms of an older SDK. */
const libraryMessages = Object.freeze({
    [LibraryCode.invalidInput]: "Null/Invalid input parameters",
    [LibraryCode.noNetwork]: "No Network",
    [LibraryCode.emptyAnswer]: "Null received data",
    [LibraryCode.badAnswerFormat]: "Received data has bad format",
    [LibraryCode.rsaKeyGenerationFailed]: "Generating/recovering RSA Keys problem",
    [LibraryCode.decryptionFailed]: "Data decryption or data decoding problem",
    [LibraryCode.requestFailed]: "Request failed",
    [LibraryCode.badPINFormat]: "PIN bad length (4 to 6 digits) or bad format",
    [LibraryCode.ecKeyGenerationFailed]: "Generating/recovering ECDH Keys problem",
    [LibraryCode.untrustedServerKey]: "ECDH key doesn't belong to the elliptic curve – maybe an imposter",
    [LibraryCode.keyAgreementFailed]: "Shared secret computation failed",
    [LibraryCode.plaintextNotParsed]: "PIN parsing failed",
    [LibraryCode.contentKeyNotUnwrapped]: "Failed to xor the AES key and get it back",
    [LibraryCode.incompletePIN]: "The received PIN seems to be incomplete",
    [LibraryCode.unreadableECKey]: "Failed to convert ECDH key into public key",
    [LibraryCode.serverNotOK]: "Server's response not OK, request is not successful",
});

/** The outcome of a delivery, as the app reports it (SDK document, table 2). */
export const NotifyStatus = Object.freeze({ success: 0, serverError: 1, appError: 2 });

/** An error that this client detected. Apps never see it: it becomes errorCode and errorMessage of the response. */
class LibraryError extends Error {
    constructor(code, detail, retryAfterSeconds = null) {
        super(`${libraryMessages[code]} (${detail})`);
        this.code = code;
        this.retryAfterSeconds = retryAfterSeconds;
    }
}

// Responses.

/** The code of an operation. */
class CodedResponse {
    constructor({ errorCode, errorMessage, retryAfterSeconds = null }) {
        Object.assign(this, { errorCode, errorMessage, retryAfterSeconds });
    }
}

/** The result of a PIN definition. */
class DefinitionResponse extends CodedResponse {
    constructor(result) {
        super(result);
        this.effective = ["now", "later"].includes(result.effective) ? result.effective : null;
    }
}

/** A keypad, or the code of an error. */
class KeyPadCoordinatesResponse extends CodedResponse {
    constructor(result, keypad = [], keypadId = null) {
        super(result);
        Object.assign(this, { keypad, keypadId });
    }
}

/**
 * A delivered PIN, or the code of an error. What is secret is behind getters, so that JSON.stringify, and with it most
 * loggers and error reporters, finds only the code.
 */
class ProvisioningResponse extends CodedResponse {
    #delivery;

    constructor(result, delivery = {}) {
        super(result);
        this.#delivery = delivery;
    }

    get pin() { return this.#delivery.pin ?? null; }
    get images() { return this.#delivery.images ?? []; }
    get text() { return this.#delivery.text ?? null; }
    get sessionId() { return this.#delivery.sessionId ?? null; }
    get freeField() { return this.#delivery.freeField ?? null; }

    get notifyReceipt() {
        const { sessionId, notifyKey } = this.#delivery;
        return sessionId ? { version: receiptVersion, sessionId, key: notifyKey } : null;
    }
}

const receiptVersion = 1;

/**
 * The key of a fetch, made before the fetch, so that the bank's back-end can bind its hashMac or token to it (protocol,
 * section 2.2.1). It is for one fetch, which can be repeated if the answer was lost.
 */
class PreparedFetch extends CodedResponse {
    #key;

    constructor(result, key = null, binding = null) {
        super(result);
        this.#key = key;
        this.binding = binding;
    }

    /** The key. 90000 if it was prepared for the other kind of fetch. */
    static keyOf(prepared, algorithm) {
        if (prepared instanceof PreparedFetch) requireSuccess(prepared, "the fetch could not be prepared");
        if (!(prepared instanceof PreparedFetch) || prepared.#key.algorithm !== algorithm) {
            throw new LibraryError(
                LibraryCode.invalidInput,
                "preparedFetch must come from prepareFetch, or from prepareTokenFetch for a fetch with a token");
        }
        return prepared.#key;
    }
}

/**
 * A chosen PIN, sealed before the definition, so that the bank's back-end can bind its hashMac or token to it
 * (protocol, section 2.2.1).
 */
class SealedPIN extends CodedResponse {
    #sealed;

    constructor(result, sealed = null, binding = null) {
        super(result);
        this.#sealed = sealed;
        this.binding = binding;
    }

    /**
     * The sealed value and what it is for. 90000 if it was sealed for another kind of definition, or for another token
     * than that with these names.
     */
    static sealedIn(sealedPIN, algorithm, content, names = null) {
        if (sealedPIN instanceof SealedPIN) requireSuccess(sealedPIN, "the PIN could not be sealed");
        const sealed = sealedPIN instanceof SealedPIN ? sealedPIN.#sealed : null;
        if (sealed?.algorithm !== algorithm || sealed.request.cty !== content) {
            throw new LibraryError(
                LibraryCode.invalidInput, "sealedPIN must come from the function that seals for this operation");
        }
        const { iss, sub, jti } = sealed.request;
        if (names && (iss !== names.bankId || sub !== names.uniqueId || jti !== names.idTransaction)) {
            throw new LibraryError(
                LibraryCode.invalidInput, "the PIN was sealed for another IdBEL, IdPorteur or IdTransaction");
        }
        return sealed;
    }
}

/** What could not be made before an operation fails with the code of its error. */
function requireSuccess({ errorCode }, detail) {
    if (errorCode !== 0) throw new LibraryError(errorCode, detail);
}

const success = Object.freeze({ errorCode: 0, errorMessage: "Success" });

/** Runs an operation and returns its response, or a response with the code and message of its error. */
async function responseOf(operation, Failure = CodedResponse) {
    try {
        return await operation();
    } catch (error) {
        const isKnown = error instanceof LibraryError;
        const known = isKnown ? error : new LibraryError(LibraryCode.requestFailed, `unexpected ${error?.name}`);
        const { code: errorCode, message: errorMessage, retryAfterSeconds } = known;
        return new Failure({ errorCode, errorMessage, retryAfterSeconds });
    }
}

// What is remembered between calls.

/** Values that end after some time. When there are too many, the oldest one is removed. */
class Memory {
    static maximumCount = 64;
    #entries = [];

    constructor(lifetimeSeconds, now) {
        Object.assign(this, { lifetimeSeconds, now });
    }

    keep(name, value) {
        const end = this.now() + this.lifetimeSeconds * 1000;
        this.#entries = [...this.#live(), { name, value, end }].slice(-Memory.maximumCount);
    }

    /** The values under a name, oldest first. */
    values(name) {
        this.#entries = this.#live();
        return this.#entries.filter((entry) => entry.name === name).map((entry) => entry.value);
    }

    forget(name) {
        this.#entries = this.#entries.filter((entry) => entry.name !== name);
    }

    #live() {
        return this.#entries.filter((entry) => entry.end > this.now());
    }
}

/**
 * The keypads that cardholders were given last, so that a definition can name its keypad although the document's
 * functions have no parameter for it (protocol, section 2.7).
 */
class KeypadMemory {
    static maximumCount = 64;
    #entries = new Map();

    constructor(lifetimeSeconds, now) {
        Object.assign(this, { lifetimeSeconds, now });
    }

    /** Runs a request for a keypad, and remembers the keypad of its answer. */
    async remember(name, request) {
        const entry = this.#entry(name);
        if (entry.waiting === 0) entry.hasNewKeypad = false;
        entry.waiting += 1;
        try {
            const answer = await request();
            if (answer.keypadId !== null) {
                entry.keypadIds = entry.hasNewKeypad ? [...entry.keypadIds, answer.keypadId] : [answer.keypadId];
                entry.hasNewKeypad = true;
                entry.end = this.now() + this.lifetimeSeconds * 1000;
            }
            return answer;
        } finally {
            entry.waiting -= 1;
        }
    }

    /** The keypad that the cardholder sees; undefined if there is none. 90000 if nobody can know which one it is. */
    newest(name) {
        const { keypadIds, end } = this.#entries.get(name) ?? {};
        if (!(end > this.now())) return undefined;
        if (keypadIds.length > 1) {
            throw new LibraryError(
                LibraryCode.invalidInput,
                "keypads were requested at the same time: pass keypadId, or request one keypad and show that one");
        }
        return keypadIds[0];
    }

    forget(name) {
        const entry = this.#entries.get(name);
        if (entry) entry.keypadIds = [];
    }

    /** Forgets a keypad that has served. A newer one stays. */
    forgetUsed(name, keypadId) {
        const { keypadIds } = this.#entries.get(name) ?? { keypadIds: [] };
        if (keypadIds.length === 1 && keypadIds[0] === keypadId) this.forget(name);
    }

    /** The entry of a cardholder, made if there is none. Those that nobody needs are removed. */
    #entry(name) {
        const entry = this.#entries.get(name) ?? { waiting: 0, hasNewKeypad: false, keypadIds: [], end: this.now() };
        this.#entries.delete(name);
        for (const [other, { waiting, end }] of this.#entries) {
            const isFull = this.#entries.size >= KeypadMemory.maximumCount;
            if (waiting === 0 && (isFull || end <= this.now())) this.#entries.delete(other);
        }
        this.#entries.set(name, entry);
        return entry;
    }
}

/**
 * The longest session that a bank can have on the server. The client does not know the bank's setting, so it keeps
 * every notify key that long, and the server judges whether the session is over.
 */
const notifyKeyLifetimeSeconds = 24 * 3600;

/** How long the server takes indexes on a keypad. */
const keypadLifetimeSeconds = 5 * 60;

/** The clock, the source of keys, and random numbers and waits for retries. Tests replace them. */
const browser = Object.freeze({
    nowMilliseconds: () => performance.now(),
    generateKey: (...what) => crypto.subtle.generateKey(...what),
    random: () => Math.random(),
    sleep: (seconds) => new Promise((resolve) => { setTimeout(resolve, seconds * 1000); }),
});

const defaultConfiguration = Object.freeze({
    timeoutSeconds: 30,
    maximumAnswerByteCount: 1 << 20,
    pinnedServerKeyThumbprints: Object.freeze([]),
    allowsPlainHTTP: false,
    definedPINLengths: Object.freeze({ minimum: 4, maximum: 6 }),
});

/** A misspelt setting must not go unnoticed: without its pins, for example, a session would trust every key. */
function checkedConfiguration(given) {
    const settings = { ...defaultConfiguration, ...given };
    const { minimum, maximum } = settings.definedPINLengths ?? {};
    const checks = {
        timeoutSeconds: Number.isFinite(settings.timeoutSeconds) && settings.timeoutSeconds > 0,
        maximumAnswerByteCount:
            Number.isSafeInteger(settings.maximumAnswerByteCount) && settings.maximumAnswerByteCount > 0,
        pinnedServerKeyThumbprints:
            Array.isArray(settings.pinnedServerKeyThumbprints) && settings.pinnedServerKeyThumbprints.every(isText),
        allowsPlainHTTP: typeof settings.allowsPlainHTTP === "boolean",
        definedPINLengths:
            Number.isInteger(minimum) && Number.isInteger(maximum)
            && pinLengths.minimum <= minimum && minimum <= maximum && maximum <= pinLengths.maximum,
    };
    for (const name of Object.keys(settings)) {
        if (checks[name] !== true) throw new TypeError(`the setting ${name} is unknown or has a bad value`);
    }
    settings.pinnedServerKeyThumbprints = Object.freeze([...settings.pinnedServerKeyThumbprints]);
    settings.definedPINLengths = Object.freeze({ minimum, maximum });
    return Object.freeze(settings);
}

/** What a session keeps, out of reach of the app. */
const states = new WeakMap();

/**
 * The state that the client keeps between calls: the notify key of each fetch, which its notify needs, and the keypad
 * that each cardholder was given last. So a notify must use the same session as its fetch, and a definition by keypad
 * the same as its keypad.
 */
export class CardCompanionSession {
    constructor(configuration = {}, surroundings = browser) {
        this.configuration = checkedConfiguration(configuration);
        states.set(this, {
            configuration: this.configuration,
            surroundings,
            notifyKeys: new Memory(notifyKeyLifetimeSeconds, surroundings.nowMilliseconds),
            keypads: new KeypadMemory(keypadLifetimeSeconds, surroundings.nowMilliseconds),
        });
        Object.freeze(this);
    }

    static #shared;

    /** The default session of all operations. */
    static get shared() {
        return (CardCompanionSession.#shared ??= new CardCompanionSession());
    }

    /** Brings back the notify key of a fetch after the page was loaded again. Returns whether it is a receipt. */
    restore(notifyReceipt) {
        const { version, sessionId, key } = notifyReceipt ?? {};
        const isNotifyKey =
            key instanceof CryptoKey && key.type === "secret" && key.usages.includes("sign")
            && key.algorithm.name === "HMAC" && key.algorithm.hash.name === "SHA-256"
            && key.algorithm.length === notifyKeyByteCount * 8;
        if (version !== receiptVersion || !isText(sessionId) || !isNotifyKey) return false;
        keepNotifyKey(states.get(this), sessionId, key);
        return true;
    }
}

function stateOf(session) {
    const state = states.get(session);
    if (!state) throw new LibraryError(LibraryCode.invalidInput, "session must be a CardCompanionSession");
    return state;
}

// The operations. They do not throw: errorCode of the response is 0 for success or the code of an error.

/** PIN distribution (SDK document, sections 4.1 and 4.2): fetch the PIN's image, show it, and notify the server. */
export const PINDistribution = Object.freeze({
    postGetPINCaptchaRequest: (parameters, hostUrl, session = CardCompanionSession.shared) =>
        responseOf(() => fetchPIN(parameters, hostUrl, stateOf(session)), ProvisioningResponse),

    postNotifyRequest: (parameters, hostUrl, session = CardCompanionSession.shared) =>
        responseOf(() => notify(parameters, hostUrl, stateOf(session))),

    postGetPINCaptchaTokenRequest: (parameters, hostUrl, session = CardCompanionSession.shared) =>
        responseOf(() => fetchPINByToken(parameters, hostUrl, stateOf(session)), ProvisioningResponse),

    postNotifyTokenRequest: (parameters, hostUrl, session = CardCompanionSession.shared) =>
        responseOf(() => notifyByToken(parameters, hostUrl, stateOf(session))),

    /** Makes the key of a fetch with an authentication code, so that the bank's back-end can bind the hashMac to it. */
    prepareFetch: (session = CardCompanionSession.shared) =>
        responseOf(() => preparedFetch(rsaOAEP256, stateOf(session)), PreparedFetch),

    /** Makes the key of a fetch with a token, so that the bank's back-end can bind the token to it. */
    prepareTokenFetch: (session = CardCompanionSession.shared) =>
        responseOf(() => preparedFetch(ecdhESA256KW, stateOf(session)), PreparedFetch),
});

/** PIN definition (SDK document, sections 4.3 to 4.5): the cardholder chooses the PIN. */
export const PINDefinition = Object.freeze({
    postDefinePINRequest: (parameters, hostUrl, session = CardCompanionSession.shared) =>
        responseOf(() => definePIN(parameters, hostUrl, stateOf(session)), DefinitionResponse),

    postDefinePINECDHRequest: (parameters, hostUrl, session = CardCompanionSession.shared) =>
        responseOf(() => definePINByToken(parameters, hostUrl, stateOf(session)), DefinitionResponse),

    postGetKeyPadCoordinatesRequest: (parameters, hostUrl, session = CardCompanionSession.shared) =>
        responseOf(() => fetchKeypad(parameters, hostUrl, stateOf(session)), KeyPadCoordinatesResponse),

    postDefinePINECDHCBRequest: (parameters, hostUrl, session = CardCompanionSession.shared) =>
        responseOf(() => definePINByIndexes(parameters, hostUrl, stateOf(session)), DefinitionResponse),

    /** Forgets the keypad of a cardholder, for example because its screen was closed. */
    discardKeypads: (bankId, uniqueId, session = CardCompanionSession.shared) => {
        stateOf(session).keypads.forget(holder(bankId, uniqueId));
    },

    /** Seals a PIN for postDefinePINRequest, so that the bank's back-end can bind the hashMac to it. */
    sealPIN: (parameters, hostUrl, session = CardCompanionSession.shared) =>
        responseOf(() => sealedPIN(parameters, "timestamp", rsaOAEP256, hostUrl, stateOf(session)), SealedPIN),

    /** Seals a PIN for postDefinePINECDHRequest, so that the bank's back-end can bind the token to it. */
    sealTokenPIN: (parameters, hostUrl, session = CardCompanionSession.shared) =>
        responseOf(() => sealedPIN(parameters, "idTransaction", ecdhESA256KW, hostUrl, stateOf(session)), SealedPIN),

    /** Seals indexes for postDefinePINECDHCBRequest, so that the bank's back-end can bind the token to them. */
    sealIndexes: (parameters, hostUrl, session = CardCompanionSession.shared) =>
        responseOf(() => sealedIndexes(parameters, hostUrl, stateOf(session)), SealedPIN),
});

/** Functions for a keypad that the server has scrambled (SDK document, section 5.5). */
export const KeyPad = Object.freeze({
    /** The index of each digit of a PIN: `0,1,0,1`. Null if the PIN is empty or a digit is not on the keypad. */
    indexes: (pin, keypad) => {
        const indexes = Array.from(pin, (digit) => keypad.indexOf(digit));
        return indexes.length > 0 && !indexes.includes(-1) ? indexes.join(",") : null;
    },
});

/** The HMAC of the SDK document's section 5.6. Use the bank's key only in a back-end and in tests, never in a page. */
export const CryptoUtil = Object.freeze({
    /** HMAC-SHA-256 in hex. The key is in hex; if it is not, or is empty, the result is empty. */
    computeHMAC: async (key, data) => {
        if (typeof key !== "string" || !/^([0-9a-fA-F]{2})+$/.test(key)) return "";
        const bytes = Uint8Array.from(key.match(/../g), (digits) => parseInt(digits, 16));
        return toHex(await hmac(await importNotifyKey(bytes), data));
    },
});

// Parameters.

function isText(value) {
    return value !== "" && isWellFormed(value);
}

/** A text that can be sent as it is. Half of a surrogate pair cannot be written in UTF-8. */
function isWellFormed(value) {
    return typeof value === "string" && !/\p{Surrogate}/u.test(value);
}

/** The parameters with these names. 90000 if one is missing, empty or not a text. */
function texts(parameters, ...names) {
    const given = names.map((name) => [name, parameters?.[name]]);
    for (const [name, value] of given) {
        if (!isText(value)) throw new LibraryError(LibraryCode.invalidInput, `${name} must be a text and not empty`);
    }
    return Object.fromEntries(given);
}

/** What an app may ask for about the images. The bank's settings allow or ignore it. */
const hintValues = Object.freeze({
    style: ["standard", "strong", "calm"],
    theme: ["light", "dark"],
    scale: [1, 2, 3],
    formats: ["captcha", "digits", "text"],
});

function hintsIn(parameters) {
    const hints = {};
    for (const [name, allowed] of Object.entries(hintValues)) {
        const hint = parameters[name] ?? null;
        if (hint === null) continue;
        const isRight = name === "formats"
            ? Array.isArray(hint) && hint.every((format) => allowed.includes(format))
            : allowed.includes(hint);
        if (!isRight) throw new LibraryError(LibraryCode.invalidInput, `${name} can be ${allowed.join(", ")}`);
        hints[name] = name === "formats" ? [...hint] : hint;
    }
    return hints;
}

/** The members of a token that name its request. The server says what is missing. */
function namesIn(token) {
    const members = objectIn(token);
    const names = ["IdBEL", "IdPorteur", "IdTransaction"].map((name) => members?.[name] ?? undefined);
    if (!members || !names.every((name) => name === undefined || isWellFormed(name))) {
        throw new LibraryError(
            LibraryCode.invalidInput, "the token must be a JSON object, and its names must be texts");
    }
    const [bankId, uniqueId, idTransaction] = names;
    return { bankId, uniqueId, idTransaction };
}

// Distribution.

async function fetchPIN(parameters, hostUrl, state) {
    const named = texts(parameters, "bankId", "uniqueId", "authCode", "timestamp", "hashMac");
    const hints = hintsIn(parameters);
    const host = checkedHost(hostUrl, state);
    const key = await keyOfFetch(parameters, rsaOAEP256, state);
    const request = { ...named, ...hints, rsaPublicKey: key.publicKeyInfo };
    const answer = await post(request, `${host}/v1/pin-distribution/captcha`, state);
    return deliveredIn(answer, key, hints, state);
}

async function fetchPINByToken(parameters, hostUrl, state) {
    const named = texts(parameters, "token", "signature");
    const hints = hintsIn(parameters);
    const host = checkedHost(hostUrl, state);
    const key = await keyOfFetch(parameters, ecdhESA256KW, state);
    const request = { ...named, ...hints, ecdhPublicKey: key.publicKeyInfo };
    const answer = await post(request, `${host}/v1/pin-distribution/token/captcha`, state);
    return deliveredIn(answer, key, hints, state);
}

/** The key that the app has prepared, or a new one. */
async function keyOfFetch({ preparedFetch = null }, algorithm, state) {
    return preparedFetch === null
        ? generateRecipientKey(algorithm, state)
        : PreparedFetch.keyOf(preparedFetch, algorithm);
}

async function preparedFetch(algorithm, state) {
    const key = await generateRecipientKey(algorithm, state);
    const info = Uint8Array.from(atob(key.publicKeyInfo), (character) => character.charCodeAt(0));
    return new PreparedFetch(success, key, await digestOf(info));
}

/** What binds a proof to its request: 43 characters of base64url. */
async function digestOf(bytes) {
    return toBase64URL(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

async function deliveredIn(answer, key, hints, state) {
    if (answer.errorCode !== DistributionCode.success) return new ProvisioningResponse(answer);
    const { pin: sealed, sessionId } = answer;
    if (!isText(sealed) || !isText(sessionId)) {
        throw new LibraryError(LibraryCode.badAnswerFormat, "pin or sessionId is missing");
    }
    const plaintext = await openSealed(sealed, key);
    const delivery = await parsedDelivery(plaintext, hints).finally(() => plaintext.fill(0));
    keepNotifyKey(state, sessionId, delivery.notifyKey);
    const shown = shownParts(delivery);
    if (!shown) {
        // Keeps the session, so that the app can notify the server of the error.
        const errorCode = LibraryCode.incompletePIN;
        const result = { errorCode, errorMessage: libraryMessages[errorCode] };
        return new ProvisioningResponse(result, { sessionId, notifyKey: delivery.notifyKey });
    }
    const { notifyKey, freeField } = delivery;
    return new ProvisioningResponse(answer, { sessionId, notifyKey, freeField, ...shown });
}

/** PINs have 4 to 12 digits (ISO 9564-1). */
const pinLengths = Object.freeze({ minimum: 4, maximum: 12 });
const notifyKeyByteCount = 32;

/** Parses the plaintext of a delivered PIN. 90011 if a member is missing or invalid. */
async function parsedDelivery(plaintext, hints) {
    const refused = (detail) => new LibraryError(LibraryCode.plaintextNotParsed, detail);
    const { format, length, images, order, text, notifyKey, freeField } = objectIn(plaintext) ?? {};
    const isDigits = format === "text" && (hints.formats ?? []).includes("text");
    if (!isDigits && format !== "captcha" && format !== "digits") throw refused("the app cannot show this format");
    const rightTypes =
        Number.isInteger(length)
        && (Array.isArray(images) || (isDigits && images === undefined))
        && (order === undefined || (Array.isArray(order) && order.every(Number.isInteger)))
        && (freeField === undefined || typeof freeField === "string");
    if (!rightTypes) throw refused("a member is missing or has the wrong type");
    if (!(images ?? []).every(isPNG)) throw refused("images must be PNG in base64");
    if (isDigits && !(typeof text === "string" && /^[0-9]*$/.test(text))) throw refused("text must be digits");
    const key = base64URLDecoded(notifyKey);
    if (key?.length !== notifyKeyByteCount) throw refused("notifyKey must be 32 bytes in base64url");
    return { format, length, images: images ?? [], order, text, freeField, notifyKey: await importNotifyKey(key) };
}

/**
 * What the app shows: the captcha, or one image per digit in the PIN's order, or the digits as text. Null if that does
 * not match the PIN's length (code 90013).
 */
function shownParts({ format, length, images, order, text }) {
    if (length < pinLengths.minimum || length > pinLengths.maximum) return null;
    switch (format) {
        case "captcha":
            return images.length === 1 ? { images, pin: images[0] } : null;
        case "digits": {
            const places = [...(order ?? [])].sort((one, other) => one - other);
            const isComplete = places.length === length && places.every((place, index) => place === index);
            return isComplete && images.length === length ? { images: order.map((place) => images[place]) } : null;
        }
        default:
            return text.length === length && images.length === 0 ? { text } : null;
    }
}

const pngSignature = "\x89PNG\r\n\x1a\n";

function isPNG(image) {
    return base64Decoded(image)?.startsWith(pngSignature) ?? false;
}

// Notify.

/** Imports an HMAC key, which no script can read again, and overwrites its bytes. */
async function importNotifyKey(bytes) {
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    return crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign"]).finally(() => bytes.fill(0));
}

async function hmac(key, text) {
    return new Uint8Array(await crypto.subtle.sign("HMAC", key, utf8(text)));
}

function keepNotifyKey({ notifyKeys }, sessionId, key) {
    notifyKeys.forget(sessionId);
    notifyKeys.keep(sessionId, key);
}

async function notify(parameters, hostUrl, state) {
    const named = texts(parameters, "bankId", "uniqueId", "sessionId");
    const { hash, status } = await notifyHash(named, parameters.status, state);
    const url = `${checkedHost(hostUrl, state)}/v1/pin-distribution/notify`;
    return concluded(named.sessionId, await post({ ...named, status, hash }, url, state), state);
}

async function notifyByToken(parameters, hostUrl, state) {
    const { token, sessionId } = texts(parameters, "token", "sessionId");
    const { bankId, uniqueId } = namesIn(token);
    if (!bankId || !uniqueId) throw new LibraryError(LibraryCode.invalidInput, "the token lacks IdBEL or IdPorteur");
    const { hash, status } = await notifyHash({ bankId, uniqueId, sessionId }, parameters.status, state);
    const url = `${checkedHost(hostUrl, state)}/v1/pin-distribution/token/notify`;
    return concluded(sessionId, await post({ token, sessionId, status, hash }, url, state), state);
}

/** The proof that the app could open the delivery: its key was in the delivery. */
async function notifyHash({ bankId, uniqueId, sessionId }, status, state) {
    if (!Object.values(NotifyStatus).includes(status)) {
        throw new LibraryError(LibraryCode.invalidInput, "status must be 0, 1 or 2, see NotifyStatus");
    }
    const [key] = state.notifyKeys.values(sessionId);
    if (!key) {
        throw new LibraryError(
            LibraryCode.invalidInput,
            "this session fetched no PIN with this sessionId in the last 24 hours, or the page was loaded again");
    }
    return { hash: toHex(await hmac(key, bankId + uniqueId + sessionId + status)), status };
}

/** Keeps the key until the server has recorded the session's result, so that the app can retry a lost notify. */
function concluded(sessionId, answer, state) {
    const decided = [DistributionCode.success, DistributionCode.badParameter];
    if (decided.includes(answer.errorCode)) state.notifyKeys.forget(sessionId);
    return new CodedResponse(answer);
}

// Definition.

async function definePIN(parameters, hostUrl, state) {
    const isSealed = parameters?.sealedPIN != null;
    const { compact, request } = isSealed
        ? SealedPIN.sealedIn(parameters.sealedPIN, rsaOAEP256, "pin")
        : await sealedChoice(
            withPIN(parameters, "bankId", "uniqueId", "timestamp", "hashMac"), "timestamp", rsaOAEP256, hostUrl, state);
    const { hashMac } = texts(parameters, "hashMac");
    const named = { bankId: request.iss, uniqueId: request.sub, timestamp: request.jti, hashMac };
    return defined({ ...named, pin: compact }, "pin", hostUrl, state);
}

async function definePINByToken(parameters, hostUrl, state) {
    const isSealed = parameters?.sealedPIN != null;
    const given = isSealed ? parameters : withPIN(parameters, "token", "signature");
    const { compact } = isSealed
        ? SealedPIN.sealedIn(parameters.sealedPIN, ecdhESA256KW, "pin", namesIn(texts(parameters, "token").token))
        : await sealedChoice({ ...given, ...namesIn(given.token) }, "idTransaction", ecdhESA256KW, hostUrl, state);
    return defined({ ...texts(parameters, "token", "signature"), pin: compact }, "token/pin", hostUrl, state);
}

async function definePINByIndexes(parameters, hostUrl, state) {
    const isSealed = parameters?.sealedPIN != null;
    const named = texts(parameters, "token", "signature");
    const names = namesIn(named.token);
    const { compact, request } = isSealed
        ? SealedPIN.sealedIn(parameters.sealedPIN, ecdhESA256KW, "indexes", names)
        : await indexesSealed({ ...parameters, ...names }, hostUrl, state);
    const { keypadId } = request;
    const answer = await defined({ ...named, indexes: compact, keypadId }, "token/pin-indexes", hostUrl, state);
    if (answer.errorCode === DefinitionCode.success) {
        state.keypads.forgetUsed(holder(names.bankId, names.uniqueId), keypadId);
    }
    return answer;
}

async function defined(request, path, hostUrl, state) {
    return new DefinitionResponse(await post(request, `${checkedHost(hostUrl, state)}/v1/pin-definition/${path}`, state));
}

async function sealedPIN(parameters, idName, algorithm, hostUrl, state) {
    const sealed = await sealedChoice(
        withPIN(parameters, "bankId", "uniqueId", idName), idName, algorithm, hostUrl, state);
    return new SealedPIN(success, sealed, await digestOf(utf8(sealed.compact)));
}

async function sealedIndexes(parameters, hostUrl, state) {
    const named = texts(parameters, "bankId", "uniqueId", "idTransaction", "indexes");
    const sealed = await indexesSealed({ ...named, keypadId: parameters.keypadId }, hostUrl, state);
    return new SealedPIN(success, sealed, await digestOf(utf8(sealed.compact)));
}

/** Seals a PIN for the request that a timestamp or an IdTransaction names. */
async function sealedChoice({ pin, bankId, uniqueId, ...ids }, idName, algorithm, hostUrl, state) {
    const host = checkedHost(hostUrl, state);
    const plaintext = pinPlaintext(pin, state.configuration.definedPINLengths);
    const request = { cty: "pin", iss: bankId, sub: uniqueId, jti: ids[idName] };
    return { algorithm, request, compact: await sealedToServer(plaintext, algorithm, request, host, state) };
}

/** Seals indexes into the keypad that the app names, or into the newest one. */
async function indexesSealed(parameters, hostUrl, state) {
    const { indexes } = texts(parameters, "indexes");
    const { bankId, uniqueId, idTransaction } = parameters;
    const host = checkedHost(hostUrl, state);
    const plaintext = indexesPlaintext(indexes, state.configuration.definedPINLengths);
    const { keypadId } = parameters.keypadId == null
        ? { keypadId: state.keypads.newest(holder(bankId, uniqueId)) }
        : texts(parameters, "keypadId");
    const algorithm = ecdhESA256KW;
    const request = { cty: "indexes", iss: bankId, sub: uniqueId, jti: idTransaction, keypadId };
    return { algorithm, request, compact: await sealedToServer(plaintext, algorithm, request, host, state) };
}

async function fetchKeypad(parameters, hostUrl, state) {
    const named = texts(parameters, "bankId", "uniqueId");
    const { keypadSize } = parameters;
    if (!Number.isSafeInteger(keypadSize)) {
        throw new LibraryError(LibraryCode.invalidInput, "keypadSize must be an integer");
    }
    const url = `${checkedHost(hostUrl, state)}/v1/pin-definition/keypad-coordinates`;
    return state.keypads.remember(
        holder(named.bankId, named.uniqueId), () => requestedKeypad(named, keypadSize, url, state));
}

async function requestedKeypad(named, keypadSize, url, state) {
    const answer = await post({ ...named, keypadSize }, url, state);
    if (answer.errorCode !== DefinitionCode.success) return new KeyPadCoordinatesResponse(answer);
    const { keypad, keypadId } = answer;
    if (!isKeypad(keypad, keypadSize) || !isText(keypadId)) {
        throw new LibraryError(
            LibraryCode.badAnswerFormat, `the answer does not contain a keypad of ${keypadSize} places`);
    }
    return new KeyPadCoordinatesResponse(answer, keypad, keypadId);
}

/** Whether the keypad has this many places, each digit exactly once and null elsewhere. */
function isKeypad(keypad, size) {
    if (!Array.isArray(keypad) || keypad.length !== size) return false;
    const digits = keypad.filter((digit) => digit !== null);
    return digits.length === 10 && [..."0123456789"].every((digit) => digits.includes(digit));
}

/** The name under which a cardholder's keypad is remembered. */
function holder(bankId, uniqueId) {
    return JSON.stringify([bankId, uniqueId]);
}

const pinByteCount = 16;
const indexesByteCount = 64;
const maximumKeypadSize = 60;

/** The parameters, of which `pin` is a text or the bytes of its digits. */
function withPIN(parameters, ...names) {
    const pin = parameters?.pin;
    return pin instanceof Uint8Array && pin.length > 0
        ? { ...texts(parameters, ...names), pin }
        : texts(parameters, ...names, "pin");
}

/** The plaintext of a PIN in digits, padded so that its length is hidden. 90007 if it is not one. */
function pinPlaintext(pin, { minimum, maximum }) {
    const digits = typeof pin === "string" ? utf8(pin) : Uint8Array.from(pin);
    try {
        const isDigits = digits.every((digit) => digit >= 0x30 && digit <= 0x39);
        if (!isDigits || digits.length < minimum || digits.length > maximum) {
            throw new LibraryError(LibraryCode.badPINFormat, `the PIN must have ${minimum} to ${maximum} digits`);
        }
        return padded(digits, pinByteCount);
    } finally {
        digits.fill(0);
    }
}

/** The plaintext of a PIN in indexes: `0,1,0,1`, `[0, 1, 0, 1]`, or plain digits for a keypad of ten places. */
function indexesPlaintext(text, { minimum, maximum }) {
    const isRight = (count) => count >= minimum && count <= maximum;
    if (isRight(text.length) && /^[0-9]+$/.test(text)) return padded(utf8(text), indexesByteCount);
    const list = (/^\[(.*)\]$/.exec(text)?.[1] ?? text).split(",").map((index) => index.trim());
    if (!isRight(list.length) || !list.every((index) => /^[0-9]+$/.test(index) && index < maximumKeypadSize)) {
        throw new LibraryError(LibraryCode.badPINFormat, `the PIN must have ${minimum} to ${maximum} indexes`);
    }
    return padded(utf8(list.map(Number).join(",")), indexesByteCount);
}

function padded(bytes, byteCount) {
    const plaintext = new Uint8Array(byteCount).fill(0x20);
    plaintext.set(bytes);
    return plaintext;
}

/**
 * Seals a plaintext to the server, and overwrites it. Fetches the server's key set for each call, because a cached key
 * may have been rotated.
 */
async function sealedToServer(plaintext, algorithm, binding, host, state) {
    try {
        const set = await get(`${host}/.well-known/jwks.json`, state);
        return await seal(plaintext, await serverKey(set, algorithm, state.configuration), binding);
    } catch (error) {
        if (error instanceof LibraryError) throw error;
        throw new LibraryError(LibraryCode.decryptionFailed, `the browser could not encrypt; ${webCryptoRule}`);
    } finally {
        plaintext.fill(0);
    }
}

// Sealed values: JWE in compact serialization (RFC 7516).

const rsaOAEP256 = "RSA-OAEP-256";
const ecdhESA256KW = "ECDH-ES+A256KW";
const contentEncryption = "A256GCM";
const ivByteCount = 12;
const tagByteCount = 16;
const rsaBitCount = 2048;

/** What WebCrypto needs for each algorithm. */
const keyKinds = Object.freeze({
    [rsaOAEP256]: {
        type: "RSA",
        generation: {
            name: "RSA-OAEP", hash: "SHA-256", modulusLength: rsaBitCount, publicExponent: new Uint8Array([1, 0, 1]),
        },
        privateUses: ["unwrapKey"],
        failure: LibraryCode.rsaKeyGenerationFailed,
    },
    [ecdhESA256KW]: {
        type: "EC",
        generation: { name: "ECDH", namedCurve: "P-256" },
        privateUses: ["deriveBits"],
        failure: LibraryCode.ecKeyGenerationFailed,
    },
});

const webCryptoRule = "it has WebCrypto only in pages that come by https or from this machine";

/** Generates the key of one fetch. The server encrypts the PIN to it. No script can read the private key. */
async function generateRecipientKey(algorithm, { surroundings }) {
    const { generation, privateUses, failure } = keyKinds[algorithm];
    const uses = algorithm === rsaOAEP256 ? ["wrapKey", ...privateUses] : privateUses;
    try {
        const pair = await surroundings.generateKey(generation, false, uses);
        const info = new Uint8Array(await crypto.subtle.exportKey("spki", pair.publicKey));
        return { algorithm, privateKey: pair.privateKey, publicKeyInfo: btoa(String.fromCharCode(...info)) };
    } catch {
        throw new LibraryError(failure, `the browser could not generate a key; ${webCryptoRule}`);
    }
}

/** Decrypts a value that was sealed to a key of this client. */
async function openSealed(compact, key) {
    const refused = (detail) => new LibraryError(LibraryCode.decryptionFailed, detail);
    const parts = compact.split(".");
    const [headerBytes, encryptedKey, iv, ciphertext, tag] = parts.map(base64URLDecoded);
    const isWhole = parts.length === 5 && headerBytes && encryptedKey && ciphertext;
    if (!isWhole || iv?.length !== ivByteCount || tag?.length !== tagByteCount) {
        throw refused("the value is not a compact JWE");
    }
    const header = objectIn(headerBytes);
    if (!header || !isHeader(header)) throw refused("the JWE's header is invalid or has an unsupported parameter");
    if (header.alg !== key.algorithm || header.enc !== contentEncryption) {
        throw refused("the JWE uses other algorithms than expected");
    }
    const contentKey = await unwrappedContentKey(encryptedKey, header, key);
    const algorithm = { name: "AES-GCM", iv, additionalData: utf8(parts[0]) };
    try {
        return new Uint8Array(await crypto.subtle.decrypt(algorithm, contentKey, concatenated(ciphertext, tag)));
    } catch {
        throw refused("the content does not authenticate");
    }
}

/** No parameter may change how the JWE is processed, and each that is known must have its type. */
function isHeader(header) {
    const names = ["alg", "enc", "kid", "apu", "apv", "cty", "typ", "iss", "sub", "jti", "keypadId"];
    const hasTypes = names.every((name) => header[name] === undefined || typeof header[name] === "string");
    return hasTypes && (header.epk === undefined || isObject(header.epk)) && !("crit" in header) && !("zip" in header);
}

/** The content key. It never is in the script's memory. */
async function unwrappedContentKey(encryptedKey, header, { algorithm, privateKey }) {
    const isRSA = algorithm === rsaOAEP256;
    const unwrapping = isRSA ? privateKey : await agreedWrappingKey(privateKey, header);
    const contentKey = await crypto.subtle
        .unwrapKey("raw", encryptedKey, unwrapping, isRSA ? "RSA-OAEP" : "AES-KW", "AES-GCM", false, ["decrypt"])
        .catch(() => null);
    if (contentKey?.algorithm.length !== 256) {
        throw new LibraryError(
            LibraryCode.contentKeyNotUnwrapped, `the content key does not unwrap with ${algorithm} or is too short`);
    }
    return contentKey;
}

async function agreedWrappingKey(privateKey, { epk, apu = "", apv = "" }) {
    if (!epk) throw new LibraryError(LibraryCode.unreadableECKey, "the JWE has no epk");
    const [partyU, partyV] = [base64URLDecoded(apu), base64URLDecoded(apv)];
    if (!partyU || !partyV) throw new LibraryError(LibraryCode.decryptionFailed, "apu and apv must be base64url");
    return wrappingKey(privateKey, await p256PublicKey(epk), partyU, partyV, ["unwrapKey"]);
}

/** The key of A256KW that both sides of ECDH-ES derive. */
async function wrappingKey(privateKey, publicKey, partyU, partyV, uses) {
    let secret, bytes;
    try {
        secret = new Uint8Array(await crypto.subtle.deriveBits({ name: "ECDH", public: publicKey }, privateKey, 256));
        bytes = await concatKDF(secret, ecdhESA256KW, partyU, partyV);
        return await crypto.subtle.importKey("raw", bytes, "AES-KW", false, uses);
    } catch {
        throw new LibraryError(LibraryCode.keyAgreementFailed, "ECDH failed");
    } finally {
        secret?.fill(0);
        bytes?.fill(0);
    }
}

/** The key derivation of ECDH-ES for 256 bits (RFC 7518 section 4.6.2): one round of SHA-256. */
async function concatKDF(secret, algorithm, partyU, partyV) {
    const parts = [utf8(algorithm), partyU, partyV].flatMap((part) => [bigEndian(part.length), part]);
    const input = concatenated(bigEndian(1), secret, ...parts, bigEndian(256));
    return new Uint8Array(await crypto.subtle.digest("SHA-256", input).finally(() => input.fill(0)));
}

/** Encrypts a plaintext to a key of the server. The header says which request it is for. */
async function seal(plaintext, key, binding) {
    const iv = crypto.getRandomValues(new Uint8Array(ivByteCount));
    // WebCrypto only wraps keys that could also be exported. This one is used once, and never leaves this function.
    const contentKey = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, true, ["encrypt"]);
    const { epk, wrapping, how } = await key.wrapping();
    const encryptedKey = new Uint8Array(await crypto.subtle.wrapKey("raw", contentKey, wrapping, how));
    const header = { alg: key.algorithm, enc: contentEncryption, kid: key.kid, epk, ...binding };
    const protectedHeader = toBase64URL(utf8(JSON.stringify(header)));
    const algorithm = { name: "AES-GCM", iv, additionalData: utf8(protectedHeader) };
    const sealed = new Uint8Array(await crypto.subtle.encrypt(algorithm, contentKey, plaintext));
    const [ciphertext, tag] = [sealed.subarray(0, -tagByteCount), sealed.subarray(-tagByteCount)];
    return [protectedHeader, ...[encryptedKey, iv, ciphertext, tag].map(toBase64URL)].join(".");
}

// The server's keys: JWK (RFC 7517).

/** The first key in the server's set for an algorithm that the app trusts, ready to wrap a content key. */
async function serverKey(set, algorithm, { pinnedServerKeyThumbprints: pinned }) {
    const keys = Array.isArray(set.keys) && set.keys.every(isObject) ? set.keys : [];
    const fitting = keys.filter((key) => isMeant(key, algorithm));
    if (fitting.length === 0) {
        throw new LibraryError(LibraryCode.badAnswerFormat, `the server publishes no key for ${algorithm}`);
    }
    const thumbprints = pinned.length > 0 ? await Promise.all(fitting.map(thumbprint)) : [];
    const trusted = fitting.filter((_, index) => pinned.length === 0 || pinned.includes(thumbprints[index]));
    if (trusted.length === 0) {
        throw new LibraryError(LibraryCode.untrustedServerKey, "the app has pinned none of the server's keys");
    }
    const [{ kid }, publicKey] = [trusted[0], await publicKeyIn(trusted[0], algorithm)];
    const wrapping = algorithm === rsaOAEP256
        ? async () => ({ wrapping: publicKey, how: "RSA-OAEP" })
        : () => ephemeralWrapping(publicKey);
    return { algorithm, kid, wrapping };
}

function isMeant(key, algorithm) {
    return key.kty === keyKinds[algorithm].type && typeof key.kid === "string" && (key.use ?? "enc") === "enc"
        && (key.alg ?? algorithm) === algorithm;
}

function publicKeyIn(key, algorithm) {
    return algorithm === rsaOAEP256 ? rsaPublicKey(key) : p256PublicKey(key);
}

/** Agrees on a key with the server's, with a new key that is used once. */
async function ephemeralWrapping(publicKey) {
    const { generation, privateUses } = keyKinds[ecdhESA256KW];
    const ephemeral = await crypto.subtle.generateKey(generation, false, privateUses);
    const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", ephemeral.publicKey);
    const none = new Uint8Array();
    const wrapping = await wrappingKey(ephemeral.privateKey, publicKey, none, none, ["wrapKey"]);
    return { epk: { kty, crv, x, y }, wrapping, how: "AES-KW" };
}

/** 90014 if this is not a P-256 key, 90009 if the point is not on the curve. */
async function p256PublicKey({ kty, crv, x, y }) {
    const coordinates = [x, y].map(base64URLDecoded);
    if (kty !== "EC" || crv !== "P-256" || !coordinates.every((bytes) => bytes?.length === 32)) {
        throw new LibraryError(LibraryCode.unreadableECKey, "the JWK is not a P-256 key");
    }
    const point = concatenated([4], ...coordinates);
    const algorithm = { name: "ECDH", namedCurve: "P-256" };
    return crypto.subtle.importKey("raw", point, algorithm, false, []).catch(() => {
        throw new LibraryError(LibraryCode.untrustedServerKey, "the point is not on P-256");
    });
}

/** 90003 if this is not an RSA key of at least 2048 bits. */
async function rsaPublicKey({ kty, n, e }) {
    const isReadable = kty === "RSA" && base64URLDecoded(n) && base64URLDecoded(e);
    const key = isReadable && await crypto.subtle
        .importKey("jwk", { kty, n, e }, { name: "RSA-OAEP", hash: "SHA-256" }, false, ["wrapKey"])
        .catch(() => null);
    if (!key || key.algorithm.modulusLength < rsaBitCount) {
        throw new LibraryError(
            LibraryCode.badAnswerFormat, "the server's RSA key is invalid or has less than 2048 bits");
    }
    return key;
}

/** The key's SHA-256 thumbprint in base64url (RFC 7638). Null if a required member is missing. */
async function thumbprint(key) {
    const names = key.kty === "EC" ? ["crv", "kty", "x", "y"] : ["e", "kty", "n"];
    if (!names.every((name) => typeof key[name] === "string")) return null;
    const text = JSON.stringify(Object.fromEntries(names.map((name) => [name, key[name]])));
    return toBase64URL(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(text))));
}

// HTTP.

/** The server's base URL, without a slash at its end. Plain HTTP is for this machine, or if the app allows it. */
function checkedHost(hostUrl, { configuration }) {
    const form = /^https?:\/\/[^\s/\\?#@]+(\/[^\s\\?#]*)?$/i;
    const url = isText(hostUrl) && form.test(hostUrl) ? parsedURL(hostUrl) : null;
    if (!url) throw new LibraryError(LibraryCode.invalidInput, "hostUrl must have the form https://host[:port][/path]");
    if (url.protocol !== "https:" && !configuration.allowsPlainHTTP && !isLoopback(url.hostname)) {
        throw new LibraryError(LibraryCode.invalidInput, "hostUrl must start with https://");
    }
    return url.href.replace(/\/$/, "");
}

function parsedURL(text) {
    try {
        return new URL(text);
    } catch {
        return null;
    }
}

function isLoopback(hostname) {
    return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** Sends a POST with a JSON body. Returns the answer, which has a code and a message. */
async function post(body, url, state) {
    const headers = { "Content-Type": "application/json" };
    const answer = await exchange(url, { method: "POST", headers, body: JSON.stringify(body) }, state);
    if (!Number.isInteger(answer.errorCode) || typeof answer.errorMessage !== "string") {
        throw new LibraryError(LibraryCode.badAnswerFormat, "errorCode or errorMessage is missing");
    }
    return { ...answer, retryAfterSeconds: null };  // only HTTP's Retry-After counts
}

function get(url, state) {
    return exchange(url, { method: "GET" }, state);
}

/**
 * Decides whether a request is sent again because the server had too much to do. The server says so with status 503 and
 * a problem of its own type. It has then used nothing of the request: no token, hashMac, nonce or attempt. So the same
 * bytes can be sent again. Any other 503 does not promise that, and is never retried.
 */
const overloadRetry = Object.freeze({
    /** How often a request is sent at most. */
    maximumSendCount: 3,

    problemType: "urn:card-companion:problem:overloaded",

    /** Whether an answer can be such a problem, so that its body is worth reading. */
    canBe: (status, contentType) =>
        status === 503 && /^application\/problem\+json *(;|$)/i.test((contentType ?? "").trim()),

    /** After how many seconds the same bytes are sent again, before jitter. Null if the answer is for the caller. */
    secondsToWait({ status, contentType, retryAfter, body }, sendCount) {
        const isOverloaded = overloadRetry.canBe(status, contentType)
            && objectIn(body)?.type === overloadRetry.problemType;
        if (!isOverloaded || sendCount >= overloadRetry.maximumSendCount) return null;
        const text = (retryAfter ?? "").trim();
        return /^[0-9]+$/.test(text) ? Math.min(Math.max(Number(text), 1), 5) : 1;
    },

    /** Half to one and a half of the seconds, so that clients do not come back all at once. `random` is from 0 to 1. */
    jittered: (seconds, random) => seconds * (0.5 + random),
});

/** A status other than 200: 90015. `body` is empty unless the answer can say that the server has too much to do. */
class StatusError extends LibraryError {
    constructor(response, body) {
        const { status, headers } = response;
        super(LibraryCode.serverNotOK, `HTTP status ${status || "of a redirect"}`, retryAfterSeconds(response));
        const [contentType, retryAfter] = ["Content-Type", "Retry-After"].map((name) => headers.get(name));
        this.answer = { status, contentType, retryAfter, body };
    }
}

/** Sends a request as `exchangeOnce`, and again as often as `overloadRetry` says. The timeout counts for each time. */
async function exchange(url, request, state) {
    const { random, sleep } = state.surroundings;
    for (let sendCount = 1; ; sendCount += 1) {
        try {
            return await exchangeOnce(url, request, state);
        } catch (error) {
            const seconds = error instanceof StatusError ? overloadRetry.secondsToWait(error.answer, sendCount) : null;
            if (seconds === null) throw error;
            await sleep(overloadRetry.jittered(seconds, random()));
        }
    }
}

/**
 * Sends a request and returns the JSON object of the answer. 90001 or 90006 if there is no answer, 90015 if the status
 * is not 200, 90002 if the body is empty, 90003 if it is not a JSON object or is too large.
 */
async function exchangeOnce(url, request, { configuration }) {
    const timeout = AbortSignal.timeout(configuration.timeoutSeconds * 1000);
    const late = `no complete answer within ${configuration.timeoutSeconds} seconds`;
    const response = await fetch(url, { ...request, ...fetchPolicy, signal: timeout }).catch(() => {
        // A browser does not tell a script why: no network, a refused connection, TLS or CORS.
        throw timeout.aborted
            ? new LibraryError(LibraryCode.requestFailed, late)
            : new LibraryError(LibraryCode.noNetwork, "cannot reach the server");
    });
    if (response.status !== 200) {
        throw new StatusError(response, await problemIn(response, configuration.maximumAnswerByteCount));
    }
    const body = await bodyOf(response, configuration.maximumAnswerByteCount).catch((error) => {
        if (error instanceof LibraryError) throw error;
        throw new LibraryError(LibraryCode.requestFailed, timeout.aborted ? late : "the answer was cut off");
    });
    if (body.length === 0) throw new LibraryError(LibraryCode.emptyAnswer, "the answer has no body");
    const answer = objectIn(body);
    if (!answer) throw new LibraryError(LibraryCode.badAnswerFormat, "the answer is not a JSON object");
    return answer;
}

/** Redirects are not followed: what is sent is for one server. */
const fetchPolicy = Object.freeze({
    mode: "cors", credentials: "omit", cache: "no-store", redirect: "manual", referrerPolicy: "no-referrer",
});

/** The body of an answer that can say that the server has too much to do. Empty if it cannot, or cannot be read. */
async function problemIn(response, maximumByteCount) {
    const none = new Uint8Array();
    if (response.body !== null && overloadRetry.canBe(response.status, response.headers.get("Content-Type"))) {
        return bodyOf(response, maximumByteCount).catch(() => none);
    }
    response.body?.cancel().catch(() => {});
    return none;
}

async function bodyOf({ body }, maximumByteCount) {
    const chunks = [];
    let room = maximumByteCount;
    const reader = body.getReader();
    for (;;) {
        const { done, value } = await reader.read();
        if (done) return concatenated(...chunks);
        chunks.push(value);
        room -= value.length;
        if (room < 0) {
            reader.cancel().catch(() => {});
            throw new LibraryError(LibraryCode.badAnswerFormat, "the answer is too large");
        }
    }
}

/** The seconds of Retry-After. Null for its other form, a date: the server does not send it, and clocks differ. */
function retryAfterSeconds(response) {
    const text = response.headers.get("Retry-After") ?? "";
    return [429, 503].includes(response.status) && /^[0-9]{1,9}$/.test(text) ? Number(text) : null;
}

// JSON and bytes.

/** The JSON object in a text or in its UTF-8 bytes. Null if it is anything else, or has a name twice. */
function objectIn(json) {
    try {
        const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
        const text = typeof json === "string" ? json : decoder.decode(json);
        const value = JSON.parse(text);
        return isObject(value) && namesAreUnique(text) ? value : null;
    } catch {
        return null;
    }
}

function isObject(value) {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether the names in each object are unique. JSON.parse takes the last one. The text must be well-formed JSON. */
function namesAreUnique(text) {
    const objects = [];
    for (const [, brace, string, colon] of text.matchAll(/([{}])|("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?/g)) {
        if (brace === "{") objects.push(new Set());
        else if (brace === "}") objects.pop();
        else if (colon) {
            const [names, name] = [objects.at(-1), JSON.parse(string)];
            if (names.has(name)) return false;
            names.add(name);
        }
    }
    return true;
}

function utf8(text) {
    return new TextEncoder().encode(text);
}

function toHex(bytes) {
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function bigEndian(number) {
    return new Uint8Array([number >>> 24, number >>> 16, number >>> 8, number]);
}

function concatenated(...parts) {
    const bytes = new Uint8Array(parts.reduce((count, part) => count + part.length, 0));
    let offset = 0;
    for (const part of parts) {
        bytes.set(part, offset);
        offset += part.length;
    }
    return bytes;
}

/** The bytes behind standard base64, one character for each. Null if it is not the canonical form. */
function base64Decoded(text) {
    try {
        return typeof text === "string" && btoa(atob(text)) === text ? atob(text) : null;
    } catch {
        return null;
    }
}

/** Base64url without padding (RFC 7515 section 2). */
function toBase64URL(bytes) {
    return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The bytes behind base64url. Null if it is not the canonical form. */
function base64URLDecoded(text) {
    if (typeof text !== "string" || !/^[A-Za-z0-9_-]*$/.test(text)) return null;
    const padding = "=".repeat((4 - (text.length % 4)) % 4);
    const decoded = base64Decoded(text.replaceAll("-", "+").replaceAll("_", "/") + padding);
    return decoded === null ? null : Uint8Array.from(decoded, (character) => character.charCodeAt(0));
}
