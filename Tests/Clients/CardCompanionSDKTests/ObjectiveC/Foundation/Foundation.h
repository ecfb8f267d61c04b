// As much of Apple's Foundation as the samples need, so that clang can check them where Apple's headers are missing.
#pragma once

#define NS_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define NS_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")
#define NS_ENUM(type, name) enum name : type name; enum name : type

typedef long NSInteger;
typedef signed char BOOL;

@interface NSObject
+ (instancetype _Nonnull)alloc;
- (instancetype _Nonnull)init;
@end

@interface NSString : NSObject
+ (NSString * _Nonnull)stringWithFormat:(NSString * _Nonnull)format, ...;
@end

@interface NSConstantString : NSString
@end

@interface NSNumber : NSObject
@property (nonatomic, readonly) NSString * _Nonnull stringValue;
@end

@interface NSArray<Element> : NSObject
@end
