// The calls of the SDK document's samples for iOS (4.1.2 to 4.5.2), with their names and the order of their arguments. The words
// around them are ours. What the document leaves out is said.
#import "CardCompanionSDK.h"

void samples(NSString *bank, NSString *unique, NSString *pass, NSString *key, NSString *token, NSString *signature, NSString *pin,
             NSString *indexes, NSString *url) {
    // 4.1.2, a fetch with an authentication code
    NSNumber *ts = [CardCompanionUtil getTimestamp];
    NSString *hexStr = [CardCompanionUtil stringToHex:[NSString stringWithFormat:@"%@%@%@", bank, unique, ts]];
    NSString *hmac = [CardCompanionUtil calculHashMacValue:key str:hexStr];
    PinCodeProvisioningJResponse *fetched =
        [PinCodeRequest postGetPinRequest:bank uniqueId:unique ac:pass timestamp:ts hmac:hmac hostURL:url];
    PINCodeProvisioningJResponse *byTable = [PinCodeRequest postGetPINRequest:bank uniqueId:unique ac:pass
                                                                    timestamp:[ts stringValue] hashMac:hmac hostURL:url];
    NSString *shown = fetched.imageData, *words = byTable.freeField;
    JResponse *notified =
        [PinCodeRequest postNotifyRequest:bank uniqueId:unique sessionId:fetched.sessionId status:0 hostURL:url];
    notified = [PinCodeRequest postNotifyRequest:bank uniqueId:unique sessionId:fetched.sessionId status:APP_ERROR hostURL:url];

    // 4.2.2, a fetch with a token
    fetched = [PinCodeRequest postGetPinCaptchaTokenRequest:token signature:signature hostURL:url];
    fetched = [PinCodeRequest postGetPINCaptchaTokenRequest:token signature:signature hostURL:url];
    GETPIN_STATUS status = SUCCESS;
    notified = [PinCodeRequest postNotifyTokenRequest:token sessionId:fetched.sessionId status:status hostURL:url];

    // 4.3.2, a definition by HMAC. The sample has no PIN.
    JResponse *defined = [PinCodeRequest postDefinePinRequest:bank uniqueId:unique timestamp:ts hmac:hmac PIN:pin hostURL:url];
    defined = [PinCodeRequest postDefinePINRequest:bank uniqueId:unique timestamp:[ts stringValue] hashMac:hmac PIN:pin
                                           hostURL:url];

    // 4.4.2, a definition by token
    DefinePinTokenRequest *byToken =
        [PinCodeRequest postDefinePinRequestECDH:token signature:signature pin:pin hostURL:url];

    // 4.5.2, a definition on a keypad
    GetKeypadCoordJResponse *keypad =
        [PinCodeRequest postGetCoodinateKeypad:bank uniqueId:unique hostURL:url keypadSize:@"12"];
    keypad = [PinCodeRequest postGetCoordinateKeypad:bank uniqueId:unique keypadSize:@"12" hostURL:url];
    byToken = [PinCodeRequest postDefinePinRequestECDH_CB:token pinIndex:indexes signature:signature hostURL:url];
    byToken = [PinCodeRequest postDefinePinRequestECDH_CB:token pinIndexes:indexes signature:signature hostURL:url];
    byToken = [PinCodeRequest postDefinePinRequestECDH_CB:token signature:signature indexes:indexes hostURL:url];
    JResponse *asInTheTable =
        [PinCodeRequest postDefineTokenRequestECDH_CB:token signature:signature indexes:indexes hostURL:url];

    // Not in the document: a configuration, and calls that do not wait.
    PinCodeConfiguration *configuration = [[PinCodeConfiguration alloc] init];
    configuration.timeoutSeconds = 10;
    configuration.usesKeychain = 1;
    [PinCodeRequest configure:configuration];
    [PinCodeRequest postGetPINCaptchaTokenRequest:token signature:signature hostURL:url
                                       completion:^(PINCodeProvisioningJResponse *response) {
        if (response.errorCode != 0) (void)response.errorMessage;
    }];
    (void)shown, (void)words, (void)notified, (void)defined, (void)keypad, (void)byToken, (void)asInTheTable;
}
