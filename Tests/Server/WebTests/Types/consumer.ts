// Uses every function of card-companion.js as an app would. tsc checks this file; nobody runs it.

import {
    CardCompanionSession, CryptoUtil, DefinitionCode, DistributionCode, KeyPad, LibraryCode, NotifyStatus,
    PINDefinition, PINDistribution,
} from "../../../../Sources/Clients/CardCompanionJS/card-companion.js";
import type {
    CardCompanionConfiguration, CodedResponse, DefinitionResponse, Hints, KeyPadCoordinatesResponse, NotifyReceipt,
    NotifyResponse, PreparedFetch, ProvisioningResponse, SealedPIN, TokenNotifyResponse,
} from "../../../../Sources/Clients/CardCompanionJS/card-companion.js";

const host = "https://pin.example.com";
const [bankId, uniqueId] = ["BANK", "102456"];
const claim = { bankId, uniqueId, timestamp: "1562320989", hashMac: "00" };
const signed = { token: "{}", signature: "AA==" };
const hints: Hints = { style: "calm", theme: "dark", scale: 2, formats: ["captcha", "digits", "text"] };

const configuration: Partial<CardCompanionConfiguration> = {
    timeoutSeconds: 10, maximumAnswerByteCount: 1 << 20, pinnedServerKeyThumbprints: ["thumbprint"],
    allowsPlainHTTP: false, definedPINLengths: { minimum: 4, maximum: 6 },
};
const session = new CardCompanionSession(configuration);
const seconds: number = CardCompanionSession.shared.configuration.timeoutSeconds;

export async function fetchPINs(): Promise<string[]> {
    const byCode: ProvisioningResponse =
        await PINDistribution.postGetPINCaptchaRequest({ ...claim, authCode: "1234", ...hints }, host, session);
    const byToken: ProvisioningResponse =
        await PINDistribution.postGetPINCaptchaTokenRequest({ ...signed, ...hints }, host);
    const receipt: NotifyReceipt | null = byCode.notifyReceipt;
    const isRestored: boolean = receipt !== null && session.restore(receipt);
    if (!isRestored || byCode.errorCode !== DistributionCode.success || byCode.sessionId === null) return [];
    const { sessionId } = byCode;
    const notified: NotifyResponse =
        await PINDistribution.postNotifyRequest({ bankId, uniqueId, sessionId, status: NotifyStatus.success }, host);
    const status: NotifyStatus = NotifyStatus.appError;
    const notifiedByToken: TokenNotifyResponse =
        await PINDistribution.postNotifyTokenRequest({ token: signed.token, sessionId, status }, host, session);
    const shown = [...byCode.images, byCode.pin ?? "", byToken.text ?? "", byToken.freeField ?? ""];
    return [...shown, text(notified), text(notifiedByToken)];
}

export async function definePINs(): Promise<string[]> {
    const byHMAC: DefinitionResponse = await PINDefinition.postDefinePINRequest({ ...claim, pin: "4391" }, host);
    const pin = new Uint8Array([0x34, 0x33, 0x39, 0x31]);
    const byToken: DefinitionResponse = await PINDefinition.postDefinePINECDHRequest({ ...signed, pin }, host, session);
    PINDefinition.discardKeypads(bankId, uniqueId, session);
    const keypad: KeyPadCoordinatesResponse =
        await PINDefinition.postGetKeyPadCoordinatesRequest({ bankId, uniqueId, keypadSize: 12 }, host, session);
    const indexes: string | null = KeyPad.indexes("4391", keypad.keypad);
    if (indexes === null) return [];
    const { keypadId } = keypad;
    const byIndexes: DefinitionResponse =
        await PINDefinition.postDefinePINECDHCBRequest({ ...signed, indexes, keypadId }, host, session);
    const remembered = await PINDefinition.postDefinePINECDHCBRequest({ ...signed, indexes }, host, session);
    return [byHMAC, byToken, keypad, byIndexes, remembered].map(text);
}

export async function definePINsWithBoundProofs(): Promise<string[]> {
    const prepared: PreparedFetch = await PINDistribution.prepareFetch(session);
    const preparedForToken: PreparedFetch = await PINDistribution.prepareTokenFetch();
    const sealedPIN: SealedPIN =
        await PINDefinition.sealPIN({ bankId, uniqueId, timestamp: claim.timestamp, pin: "4391" }, host, session);
    const named = { bankId, uniqueId, idTransaction: "T-1" };
    const sealedTokenPIN = await PINDefinition.sealTokenPIN({ ...named, pin: new Uint8Array([0x34]) }, host);
    const sealedIndexes = await PINDefinition.sealIndexes({ ...named, indexes: "0,1,0,1" }, host, session);
    const bindings: (string | null)[] = [prepared.binding, sealedPIN.binding];
    const answers: CodedResponse[] = [
        await PINDistribution.postGetPINCaptchaRequest({ ...claim, authCode: "1", preparedFetch: prepared }, host),
        await PINDistribution.postGetPINCaptchaTokenRequest({ ...signed, preparedFetch: preparedForToken }, host),
        await PINDefinition.postDefinePINRequest({ sealedPIN, hashMac: claim.hashMac }, host),
        await PINDefinition.postDefinePINECDHRequest({ ...signed, sealedPIN: sealedTokenPIN }, host, session),
        await PINDefinition.postDefinePINECDHCBRequest({ ...signed, sealedPIN: sealedIndexes }, host),
    ];
    return [...bindings.map((binding) => binding ?? ""), ...answers.map(text)];
}

export async function hashMac(): Promise<string> {
    const mac: string = await CryptoUtil.computeHMAC("00", bankId + uniqueId + claim.timestamp);
    return mac + seconds;
}

function text({ errorCode, errorMessage, retryAfterSeconds }: CodedResponse): string {
    if (errorCode === LibraryCode.serverNotOK) return `again in ${retryAfterSeconds ?? 60} seconds`;
    return errorCode === DefinitionCode.invalidPINFormat ? "choose another PIN" : errorMessage;
}

export function mistakes(response: ProvisioningResponse): void {
    // @ts-expect-error: the code of the cardholder is missing
    void PINDistribution.postGetPINCaptchaRequest(claim, host);
    // @ts-expect-error: there is no such style
    void PINDistribution.postGetPINCaptchaTokenRequest({ ...signed, style: "wild" }, host);
    // @ts-expect-error: there is no status 3
    void PINDistribution.postNotifyRequest({ bankId, uniqueId, sessionId: "s", status: 3 }, host);
    // @ts-expect-error: the size is a number
    void PINDefinition.postGetKeyPadCoordinatesRequest({ bankId, uniqueId, keypadSize: "12" }, host);
    // @ts-expect-error: a misspelt setting
    void new CardCompanionSession({ timeoutSecond: 10 });
    // @ts-expect-error: a response does not change
    response.errorCode = 0;
    // @ts-expect-error: the session may be missing
    const sessionId: string = response.sessionId;
    void sessionId;
}
