// Type declarations of card-companion.js. The names are those of the SDK document (Mobile SDK Library 1.7).

// Codes.

/** The server's result codes for PIN distribution (SDK document, table 1). */
export const DistributionCode: Readonly<{
    success: 0;
    missingBankId: 100;
    missingUniqueId: 101;
    missingAuthenticationCode: 102;
    missingTimestamp: 103;
    missingHash: 104;
    missingStatus: 105;
    missingRSAPublicKey: 106;
    missingECDHPublicKey: 107;
    missingHashMac: 108;
    missingTransactionId: 109;
    missingSignature: 110;
    missingFournisseurId: 111;
    missingType: 112;
    missingToken: 113;
    invalidTimestamp: 200;
    badHash: 201;
    invalidRSAPublicKey: 202;
    wrongAuthenticationCode: 203;
    badAuthenticationCodeFormat: 204;
    badHashMac: 205;
    invalidSignature: 206;
    invalidECDHPublicKey: 207;
    invalidTokenFormat: 208;
    invalidTokenType: 209;
    transactionAlreadyTreated: 210;
    bankNotFound: 300;
    cardholderNotFound: 301;
    cardholderStatusNotSatisfied: 302;
    pinNotAvailable: 303;
    internalKeyNotFound: 304;
    unexpectedCryptoError: 305;
    unknownStatus: 306;
    retryLimitReached: 307;
    incompatibleBankAndCardholder: 308;
    incompatibleChannel: 309;
    badParameter: 312;
    unexpectedError: 500;
}>;

/** The server's result codes for PIN definition (SDK document, table 3, which does not list 0 for success). */
export const DefinitionCode: Readonly<{
    success: 0;
    missingBankId: 100;
    bankNotFound: 101;
    missingECDHPublicKey: 107;
    missingUniqueId: 110;
    cardholderNotFound: 111;
    cardholderStatusNotSatisfied: 114;
    missingFournisseurId: 115;
    missingTransactionId: 116;
    missingType: 117;
    missingToken: 118;
    missingTimestamp: 120;
    invalidTimestamp: 121;
    missingPIN: 130;
    invalidPINFormat: 131;
    missingHashMac: 140;
    badHashMac: 141;
    cryptoError: 200;
    missingAESKey: 201;
    invalidSignature: 206;
    invalidECDHPublicKey: 207;
    invalidTokenFormat: 208;
    invalidTokenType: 209;
    missingSignature: 210;
    transactionAlreadyTreated: 211;
    invalidKeypadSize: 212;
    missingKeypadSize: 213;
    keypadNotFound: 214;
    unexpectedError: 300;
}>;

/** The result codes of errors that this client detects, not the server (SDK document, end of tables 1 and 3). */
export const LibraryCode: Readonly<{
    /** A parameter is missing or malformed, or two keypads were requested at the same time. */
    invalidInput: 90000;
    /** The server could not be reached. The browser does not say why: no network, a refused connection, TLS or CORS. */
    noNetwork: 90001;
    emptyAnswer: 90002;
    badAnswerFormat: 90003;
    rsaKeyGenerationFailed: 90004;
    decryptionFailed: 90005;
    /** The answer did not come in time, or was cut off. */
    requestFailed: 90006;
    badPINFormat: 90007;
    ecKeyGenerationFailed: 90008;
    /** A key of the server is not on the curve, or is none of those that the app has pinned. */
    untrustedServerKey: 90009;
    keyAgreementFailed: 90010;
    plaintextNotParsed: 90011;
    contentKeyNotUnwrapped: 90012;
    /** The images do not match the PIN's length. There is a session, so the app can notify the server. */
    incompletePIN: 90013;
    unreadableECKey: 90014;
    /** The HTTP status is not 200. */
    serverNotOK: 90015;
}>;

/** The outcome of a delivery, as the app reports it (SDK document, table 2). */
export const NotifyStatus: Readonly<{
    /** The app showed the PIN. This confirms the delivery. */
    success: 0;
    /** The app could not use the server's answer. */
    serverError: 1;
    /** The app could not show the PIN. */
    appError: 2;
}>;
export type NotifyStatus = (typeof NotifyStatus)[keyof typeof NotifyStatus];

// Session.

/** The settings of a session. */
export interface CardCompanionConfiguration {
    /**
     * The maximum duration of one HTTP exchange, from the request to the end of the answer. Default: 30. If the server
     * has too much to do, an operation makes up to three, and waits between them.
     */
    readonly timeoutSeconds: number;
    /** The maximum size of an answer's body. A longer answer gives code 90003. Default: 1 MiB. */
    readonly maximumAnswerByteCount: number;
    /**
     * The SHA-256 thumbprints (RFC 7638, base64url) of the server keys that a PIN may be encrypted to. If empty, which
     * is the default, every key that the server publishes over TLS is accepted.
     */
    readonly pinnedServerKeyThumbprints: readonly string[];
    /** Whether plain HTTP to other hosts than this machine is allowed. Only for tests in a private network. */
    readonly allowsPlainHTTP: boolean;
    /** The allowed number of digits when the cardholder defines a PIN. Default: 4 to 6, as the SDK document says. */
    readonly definedPINLengths: Readonly<{ minimum: number; maximum: number }>;
}

/**
 * The state that the client keeps between calls: the notify key of each fetch, which its notify needs, and the keypad
 * that each cardholder was given last. So a notify must use the same session as its fetch, and a definition by keypad
 * the same as its keypad.
 */
export class CardCompanionSession {
    /** The default session of all operations. */
    static get shared(): CardCompanionSession;

    /** Creates a session. A setting that is unknown or has a bad value throws a TypeError. */
    constructor(configuration?: Partial<CardCompanionConfiguration>);

    readonly configuration: CardCompanionConfiguration;

    /**
     * Brings back the notify key of a fetch after the page was loaded again, so that its notify can be sent. The session
     * does not judge the receipt's age: the server answers 312 if the fetch is too long ago.
     *
     * @param notifyReceipt what ProvisioningResponse.notifyReceipt was
     * @returns whether it is a receipt; if not, nothing changes
     */
    restore(notifyReceipt: NotifyReceipt): boolean;
}

/**
 * What an app may store in IndexedDB, so that it can still notify the server after the page was loaded again. It holds
 * the notify key, which no script can read: who has the receipt can confirm this delivery, but cannot see the PIN.
 * Delete it after the notify.
 */
export interface NotifyReceipt {
    readonly version: 1;
    readonly sessionId: string;
    readonly key: CryptoKey;
}

// Responses.

/** The code of an operation. */
export interface CodedResponse {
    /** 0 for success, else a code of the server's or a LibraryCode. */
    readonly errorCode: number;
    /** The code's meaning in words, for people. */
    readonly errorMessage: string;
    /**
     * After how many seconds the app may try again, if the server was too busy (code 90015 with HTTP status 429 or 503)
     * and said so. Null otherwise.
     */
    readonly retryAfterSeconds: number | null;
}

/** A delivered PIN, or the code of an error. JSON.stringify writes only the code. */
export interface ProvisioningResponse extends CodedResponse {
    /** The PIN as one captcha image, PNG in base64. Null on an error, and for other formats. */
    readonly pin: string | null;
    /** The images to show, PNG in base64: the captcha, or one image per digit in the PIN's order. Empty on an error. */
    readonly images: readonly string[];
    /** The PIN's digits as text, if the app takes the format `text` and the bank has marked the cardholder. */
    readonly text: string | null;
    /** The session that the notify must send. Null on an error, except 90013: the app can notify the server of it. */
    readonly sessionId: string | null;
    /** The bank's text for the cardholder. */
    readonly freeField: string | null;
    /** For CardCompanionSession.restore. Null without a session. */
    readonly notifyReceipt: NotifyReceipt | null;
}

/** The result of a notify. */
export type NotifyResponse = CodedResponse;

/** The result of a notify by token. */
export type TokenNotifyResponse = CodedResponse;

/** The result of a PIN definition. */
export interface DefinitionResponse extends CodedResponse {
    /** When the PIN works with the card. Null on an error, and if the bank does not say so. */
    readonly effective: "now" | "later" | null;
}

/** A keypad, or the code of an error. */
export interface KeyPadCoordinatesResponse extends CodedResponse {
    /** The digit at each place, null if the place is empty (SDK document, section 5.5). Empty on an error. */
    readonly keypad: readonly (string | null)[];
    /** The keypad's identifier. Null on an error. */
    readonly keypadId: string | null;
}

/**
 * The key of a fetch, made before the fetch, so that the bank's back-end can bind its hashMac or token to it. Then nobody
 * who reads the request on its way can put another key into it. It is for one fetch, which can be repeated if the answer
 * was lost.
 */
export interface PreparedFetch extends CodedResponse {
    /** The key's digest, 43 characters of base64url. The app sends it to its bank's back-end. Null on an error. */
    readonly binding: string | null;
}

/**
 * A chosen PIN, sealed before the definition, so that the bank's back-end can bind its hashMac or token to it. Then nobody
 * who reads the request on its way can put another PIN into it.
 */
export interface SealedPIN extends CodedResponse {
    /** The sealed PIN's digest, 43 characters of base64url. The app sends it to its bank's back-end. Null on an error. */
    readonly binding: string | null;
}

// Parameters.

/** What an app may ask for about the images. The bank's settings allow or ignore it. */
export interface Hints {
    readonly style?: "standard" | "strong" | "calm";
    readonly theme?: "light" | "dark";
    /** How many pixels of an image are one of the page's, for dense screens. */
    readonly scale?: 1 | 2 | 3;
    /** The formats that the app can show. Name `text` only if the app shows ProvisioningResponse.text. */
    readonly formats?: readonly ("captcha" | "digits" | "text")[];
}

/** The parameters of PINDistribution.postGetPINCaptchaRequest. */
export interface ProvisioningParameters extends Hints {
    readonly bankId: string;
    readonly uniqueId: string;
    /** The cardholder's authentication code. */
    readonly authCode: string;
    /** Unix time in seconds, such as `1475255010`. */
    readonly timestamp: string;
    /**
     * The bank's HMAC-SHA-256 over bankId + uniqueId + timestamp in hex, or, with preparedFetch, over bankId + uniqueId +
     * timestamp + "." + binding + ".". It comes from the bank's back-end.
     */
    readonly hashMac: string;
    /** The key that the hashMac is bound to, from prepareFetch. Without it, the hashMac is not bound. */
    readonly preparedFetch?: PreparedFetch | null;
}

/** The parameters of PINDistribution.postNotifyRequest. */
export interface NotifyParameters {
    readonly bankId: string;
    readonly uniqueId: string;
    /** The session of the fetch: ProvisioningResponse.sessionId. */
    readonly sessionId: string;
    /** Whether the app showed the PIN. */
    readonly status: NotifyStatus;
}

/** The parameters of PINDistribution.postGetPINCaptchaTokenRequest. */
export interface TokenProvisioningParameters extends Hints {
    /** The token in JSON (SDK document, section 5.4.1), byte for byte as the bank signed it. */
    readonly token: string;
    /** The token's signature in base64. */
    readonly signature: string;
    /** The key that the token's member `Binding` names, from prepareTokenFetch. Without it, the token is not bound. */
    readonly preparedFetch?: PreparedFetch | null;
}

/** The parameters of PINDistribution.postNotifyTokenRequest. */
export interface TokenNotifyParameters {
    /** The token that the fetch sent. */
    readonly token: string;
    /** The session of the fetch: ProvisioningResponse.sessionId. */
    readonly sessionId: string;
    /** Whether the app showed the PIN. */
    readonly status: NotifyStatus;
}

/**
 * A PIN: its digits as a text such as `1234`, or as bytes in ASCII. The client does not change the bytes, so an app that
 * never makes a text of the PIN can overwrite them when the operation has ended.
 */
export type PIN = string | Uint8Array;

/** The parameters of PINDefinition.postDefinePINRequest. */
export interface DefinitionParameters {
    readonly bankId: string;
    readonly uniqueId: string;
    /** Unix time in seconds, such as `1475255010`. */
    readonly timestamp: string;
    /** The bank's HMAC-SHA-256 over bankId + uniqueId + timestamp in hex. It comes from the bank's back-end. */
    readonly hashMac: string;
    readonly pin: PIN;
}

/** The parameters of PINDefinition.postDefinePINRequest for a PIN from sealPIN. */
export interface SealedDefinitionParameters {
    readonly sealedPIN: SealedPIN;
    /** The bank's HMAC-SHA-256 over bankId + uniqueId + timestamp + "." + binding + "." in hex. */
    readonly hashMac: string;
}

/** What PINDefinition.sealPIN seals. */
export interface PINToSeal {
    readonly bankId: string;
    readonly uniqueId: string;
    /** That of the hashMac: Unix time in seconds. */
    readonly timestamp: string;
    readonly pin: PIN;
}

/** What PINDefinition.sealTokenPIN seals. The names are the token's IdBEL, IdPorteur and IdTransaction. */
export interface TokenPINToSeal {
    readonly bankId: string;
    readonly uniqueId: string;
    readonly idTransaction: string;
    readonly pin: PIN;
}

/** What PINDefinition.sealIndexes seals. The names are the token's IdBEL, IdPorteur and IdTransaction. */
export interface IndexesToSeal {
    readonly bankId: string;
    readonly uniqueId: string;
    readonly idTransaction: string;
    /** The index of each digit on the keypad, such as `0,1,0,1`. See KeyPad.indexes. */
    readonly indexes: string;
    /** The keypad. Without it, it is the one that the session has fetched last for this cardholder. */
    readonly keypadId?: string | null;
}

/** The parameters of a definition by token for a PIN from sealTokenPIN, or for indexes from sealIndexes. */
export interface SealedTokenParameters {
    /** The token in JSON. Its member `Binding` is the sealed PIN's binding. */
    readonly token: string;
    /** The token's signature in base64. */
    readonly signature: string;
    readonly sealedPIN: SealedPIN;
}

/** The parameters of PINDefinition.postDefinePINECDHRequest. */
export interface DefinitionTokenParameters {
    /** The token in JSON (SDK document, section 5.4.1), byte for byte as the bank signed it. */
    readonly token: string;
    /** The token's signature in base64. */
    readonly signature: string;
    readonly pin: PIN;
}

/** The parameters of PINDefinition.postDefinePINECDHCBRequest. */
export interface DefinitionTokenIndexesParameters {
    /** The token in JSON (SDK document, section 5.4.1), byte for byte as the bank signed it. */
    readonly token: string;
    /** The token's signature in base64. */
    readonly signature: string;
    /** The index of each digit on the keypad, such as `0,1,0,1`. See KeyPad.indexes. */
    readonly indexes: string;
    /**
     * The keypad that `indexes` refers to: KeyPadCoordinatesResponse.keypadId. Without it, it is the one that the session
     * has fetched last for this cardholder. If two were requested at the same time, it is unknown which one the cardholder
     * sees: then the code is 90000.
     */
    readonly keypadId?: string | null;
}

/** The parameters of PINDefinition.postGetKeyPadCoordinatesRequest. */
export interface KeyPadCoordinatesParameters {
    readonly bankId: string;
    readonly uniqueId: string;
    /** The number of places on the keypad, 10 to 60. */
    readonly keypadSize: number;
}

// Operations. They do not throw: errorCode of the response is 0 for success or the code of an error. `hostUrl` is the
// server's base URL.

/** PIN distribution (SDK document, sections 4.1 and 4.2): fetch the PIN's image, show it, and notify the server. */
export const PINDistribution: Readonly<{
    /** Fetches the cardholder's PIN with an authentication code. */
    postGetPINCaptchaRequest(
        parameters: ProvisioningParameters, hostUrl: string, session?: CardCompanionSession,
    ): Promise<ProvisioningResponse>;

    /**
     * Notifies the server whether the app showed a PIN that it fetched with an authentication code. If the notify fails
     * on the way, the app can send it again. If this session fetched no PIN within the last 24 hours, the code is 90000.
     */
    postNotifyRequest(
        parameters: NotifyParameters, hostUrl: string, session?: CardCompanionSession,
    ): Promise<NotifyResponse>;

    /** Fetches the cardholder's PIN with a token that the bank's back-end has signed. */
    postGetPINCaptchaTokenRequest(
        parameters: TokenProvisioningParameters, hostUrl: string, session?: CardCompanionSession,
    ): Promise<ProvisioningResponse>;

    /** Notifies the server whether the app showed a PIN that it fetched with a token. */
    postNotifyTokenRequest(
        parameters: TokenNotifyParameters, hostUrl: string, session?: CardCompanionSession,
    ): Promise<TokenNotifyResponse>;

    /** Makes the key of a fetch with an authentication code, so that the bank's back-end can bind the hashMac to it. */
    prepareFetch(session?: CardCompanionSession): Promise<PreparedFetch>;

    /** Makes the key of a fetch with a token, so that the bank's back-end can bind the token to it. */
    prepareTokenFetch(session?: CardCompanionSession): Promise<PreparedFetch>;
}>;

/** PIN definition (SDK document, sections 4.3 to 4.5): the cardholder chooses the PIN. */
export const PINDefinition: Readonly<{
    /** Defines a PIN. The bank's HMAC authenticates the request. */
    postDefinePINRequest(
        parameters: DefinitionParameters | SealedDefinitionParameters, hostUrl: string, session?: CardCompanionSession,
    ): Promise<DefinitionResponse>;

    /** Defines a PIN. A token that the bank's back-end has signed authenticates the request. */
    postDefinePINECDHRequest(
        parameters: DefinitionTokenParameters | SealedTokenParameters, hostUrl: string, session?: CardCompanionSession,
    ): Promise<DefinitionResponse>;

    /** Fetches a keypad with its digits at random places. */
    postGetKeyPadCoordinatesRequest(
        parameters: KeyPadCoordinatesParameters, hostUrl: string, session?: CardCompanionSession,
    ): Promise<KeyPadCoordinatesResponse>;

    /** Defines a PIN by the indexes of its digits on a keypad (CB). A token authenticates the request. */
    postDefinePINECDHCBRequest(
        parameters: DefinitionTokenIndexesParameters | SealedTokenParameters, hostUrl: string,
        session?: CardCompanionSession,
    ): Promise<DefinitionResponse>;

    /**
     * Forgets the keypad of a cardholder, for example because its screen was closed. A definition without keypadId is then
     * refused (214) until a new keypad was fetched.
     */
    discardKeypads(bankId: string, uniqueId: string, session?: CardCompanionSession): void;

    /** Seals a PIN for postDefinePINRequest, so that the bank's back-end can bind the hashMac to it. */
    sealPIN(parameters: PINToSeal, hostUrl: string, session?: CardCompanionSession): Promise<SealedPIN>;

    /** Seals a PIN for postDefinePINECDHRequest, so that the bank's back-end can bind the token to it. */
    sealTokenPIN(parameters: TokenPINToSeal, hostUrl: string, session?: CardCompanionSession): Promise<SealedPIN>;

    /** Seals indexes for postDefinePINECDHCBRequest, so that the bank's back-end can bind the token to them. */
    sealIndexes(parameters: IndexesToSeal, hostUrl: string, session?: CardCompanionSession): Promise<SealedPIN>;
}>;

/** Functions for a keypad that the server has scrambled (SDK document, section 5.5). */
export const KeyPad: Readonly<{
    /** The index of each digit of a PIN: `0,1,0,1`. Null if the PIN is empty or a digit is not on the keypad. */
    indexes(pin: string, keypad: readonly (string | null)[]): string | null;
}>;

/** The HMAC of the SDK document's section 5.6. Use the bank's key only in a back-end and in tests, never in a page. */
export const CryptoUtil: Readonly<{
    /** HMAC-SHA-256 in lower-case hex. The key is in hex; if it is not, or is empty, the result is an empty text. */
    computeHMAC(key: string, data: string): Promise<string>;
}>;
