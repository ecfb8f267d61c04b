// What Objective-C sees of CardCompanionSDK. Xcode makes the same from the Swift sources (CardCompanionSDK-Swift.h); this file is
// for reading, and for the test of the SDK document's samples. surface.py writes it.
#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

typedef NS_ENUM(NSInteger, GETPIN_STATUS) {
    SUCCESS = 0,
    SERVER_ERROR = 1,
    APP_ERROR = 2,
};

@interface JResponse : NSObject
@property (nonatomic, readonly) NSInteger errorCode;
@property (nonatomic, readonly) NSString *errorMessage;
@property (nonatomic, readonly) NSNumber * _Nullable retryAfterSeconds;
@property (nonatomic, readonly) NSString * _Nullable effective;
@end

@interface PinCodeProvisioningJResponse : JResponse
@property (nonatomic, readonly) NSString * _Nullable imageData;
@property (nonatomic, readonly) NSArray<NSString *> *images;
@property (nonatomic, readonly) NSString * _Nullable sessionId;
@property (nonatomic, readonly) NSString * _Nullable freeField;
@property (nonatomic, readonly) NSString * _Nullable notifyReceipt;
@end

@interface PINCodeProvisioningJResponse : PinCodeProvisioningJResponse
@end

@interface DefinePinTokenRequest : JResponse
@end

@interface GetKeypadCoordJResponse : JResponse
@property (nonatomic, readonly) NSString * _Nullable keyPad;
@end

@interface PinCodeConfiguration : NSObject
@property (nonatomic) double timeoutSeconds;
@property (nonatomic, copy) NSArray<NSString *> *pinnedServerKeyThumbprints;
@property (nonatomic) NSInteger minimumPINLength;
@property (nonatomic) NSInteger maximumPINLength;
@property (nonatomic) BOOL allowsPlainHTTP;
@property (nonatomic) BOOL usesKeychain;
@end

@interface CardCompanionUtil : NSObject
+ (NSNumber *)getTimestamp;
+ (NSString *)stringToHex:(NSString *)text;
+ (NSString *)calculHashMacValue:(NSString *)key str:(NSString *)str;
@end

@interface PinCodeRequest : NSObject
+ (JResponse *)postDefinePINRequest:(NSString *)bankId uniqueId:(NSString *)uniqueId timestamp:(NSString *)timestamp hashMac:(NSString *)hashMac PIN:(NSString *)PIN hostURL:(NSString *)hostURL;
+ (void)postDefinePINRequest:(NSString *)bankId uniqueId:(NSString *)uniqueId timestamp:(NSString *)timestamp hashMac:(NSString *)hashMac PIN:(NSString *)PIN hostURL:(NSString *)hostURL completion:(void (^)(JResponse *))completion;
+ (DefinePinTokenRequest *)postDefinePinRequestECDH:(NSString *)token signature:(NSString *)signature pin:(NSString *)pin hostURL:(NSString *)hostURL;
+ (void)postDefinePinRequestECDH:(NSString *)token signature:(NSString *)signature pin:(NSString *)pin hostURL:(NSString *)hostURL completion:(void (^)(DefinePinTokenRequest *))completion;
+ (GetKeypadCoordJResponse *)postGetCoordinateKeypad:(NSString *)bankId uniqueId:(NSString *)uniqueId keypadSize:(NSString *)keypadSize hostURL:(NSString *)hostURL;
+ (void)postGetCoordinateKeypad:(NSString *)bankId uniqueId:(NSString *)uniqueId keypadSize:(NSString *)keypadSize hostURL:(NSString *)hostURL completion:(void (^)(GetKeypadCoordJResponse *))completion;
+ (DefinePinTokenRequest *)postDefinePinRequestECDH_CB:(NSString *)token signature:(NSString *)signature indexes:(NSString *)indexes hostURL:(NSString *)hostURL;
+ (void)postDefinePinRequestECDH_CB:(NSString *)token signature:(NSString *)signature indexes:(NSString *)indexes hostURL:(NSString *)hostURL completion:(void (^)(DefinePinTokenRequest *))completion;
+ (PINCodeProvisioningJResponse *)postGetPINRequest:(NSString *)bankId uniqueId:(NSString *)uniqueId ac:(NSString *)ac timestamp:(NSString *)timestamp hashMac:(NSString *)hashMac hostURL:(NSString *)hostURL;
+ (void)postGetPINRequest:(NSString *)bankId uniqueId:(NSString *)uniqueId ac:(NSString *)ac timestamp:(NSString *)timestamp hashMac:(NSString *)hashMac hostURL:(NSString *)hostURL completion:(void (^)(PINCodeProvisioningJResponse *))completion;
+ (JResponse *)postNotifyRequest:(NSString *)bankId uniqueId:(NSString *)uniqueId sessionId:(NSString *)sessionId status:(GETPIN_STATUS)status hostURL:(NSString *)hostURL;
+ (void)postNotifyRequest:(NSString *)bankId uniqueId:(NSString *)uniqueId sessionId:(NSString *)sessionId status:(GETPIN_STATUS)status hostURL:(NSString *)hostURL completion:(void (^)(JResponse *))completion;
+ (PINCodeProvisioningJResponse *)postGetPINCaptchaTokenRequest:(NSString *)token signature:(NSString *)signature hostURL:(NSString *)hostURL;
+ (void)postGetPINCaptchaTokenRequest:(NSString *)token signature:(NSString *)signature hostURL:(NSString *)hostURL completion:(void (^)(PINCodeProvisioningJResponse *))completion;
+ (JResponse *)postNotifyTokenRequest:(NSString *)token sessionId:(NSString *)sessionId status:(GETPIN_STATUS)status hostURL:(NSString *)hostURL;
+ (void)postNotifyTokenRequest:(NSString *)token sessionId:(NSString *)sessionId status:(GETPIN_STATUS)status hostURL:(NSString *)hostURL completion:(void (^)(JResponse *))completion;
+ (void)configure:(PinCodeConfiguration *)configuration;
+ (void)discardKeypads:(NSString *)bankId uniqueId:(NSString *)uniqueId completion:(void (^)(void))completion;
+ (void)restoreWithNotifyReceipt:(NSString *)notifyReceipt completion:(void (^)(BOOL))completion;
+ (PINCodeProvisioningJResponse *)postGetPinRequest:(NSString *)bankId uniqueId:(NSString *)uniqueId ac:(NSString *)ac timestamp:(id)timestamp hmac:(NSString *)hmac hostURL:(NSString *)hostURL;
+ (PINCodeProvisioningJResponse *)postGetPinCaptchaTokenRequest:(NSString *)token signature:(NSString *)signature hostURL:(NSString *)hostURL;
+ (JResponse *)postDefinePinRequest:(NSString *)bankId uniqueId:(NSString *)uniqueId timestamp:(id)timestamp hmac:(NSString *)hmac PIN:(NSString *)PIN hostURL:(NSString *)hostURL;
+ (GetKeypadCoordJResponse *)postGetCoodinateKeypad:(NSString *)bankId uniqueId:(NSString *)uniqueId hostURL:(NSString *)hostURL keypadSize:(NSString *)keypadSize;
+ (DefinePinTokenRequest *)postDefinePinRequestECDH_CB:(NSString *)token pinIndex:(NSString *)pinIndex signature:(NSString *)signature hostURL:(NSString *)hostURL;
+ (DefinePinTokenRequest *)postDefinePinRequestECDH_CB:(NSString *)token pinIndexes:(NSString *)pinIndexes signature:(NSString *)signature hostURL:(NSString *)hostURL;
+ (DefinePinTokenRequest *)postDefineTokenRequestECDH_CB:(NSString *)token signature:(NSString *)signature indexes:(NSString *)indexes hostURL:(NSString *)hostURL;
@end

NS_ASSUME_NONNULL_END
