#pragma once
// The part of OpenSSL 3 that the server uses, without deprecated functions. Swift does not import function-like macros:
// the required ones are defined here as functions.
#define OPENSSL_API_COMPAT 30000
#define OPENSSL_NO_DEPRECATED
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/decoder.h>
#include <openssl/ec.h>
#include <openssl/encoder.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

static inline void *card_companion_secure_malloc(size_t count) {
    return OPENSSL_secure_malloc(count);
}

static inline void card_companion_secure_clear_free(void *pointer, size_t count) {
    OPENSSL_secure_clear_free(pointer, count);
}

static inline void *card_companion_malloc(size_t count) {
    return OPENSSL_malloc(count);
}

// The content of a memory BIO. The BIO owns it.
static inline long card_companion_bio_content(BIO *bio, char **content) {
    return BIO_get_mem_data(bio, content);
}

// Whether reading PEM ended because there are no more PEM blocks.
static inline int card_companion_is_end_of_pem(unsigned long error) {
    return ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
}

// Some OpenSSL functions keep the pointers to names that they get. They are called here with C literals, which always
// stay valid. A Swift string that is passed to C is valid only during the call.

static inline OSSL_ENCODER_CTX *card_companion_private_key_encoder(const EVP_PKEY *key, int is_pem) {
    return OSSL_ENCODER_CTX_new_for_pkey(key, EVP_PKEY_KEYPAIR, is_pem ? "PEM" : "DER", "PrivateKeyInfo", NULL);
}

static inline OSSL_DECODER_CTX *card_companion_private_key_decoder(EVP_PKEY **key, int is_pem, int type) {
    const char *name = type == EVP_PKEY_RSA ? "RSA" : type == EVP_PKEY_ED25519 ? "ED25519" : "EC";
    return OSSL_DECODER_CTX_new_for_pkey(
        key, is_pem ? "PEM" : "DER", "PrivateKeyInfo", name, EVP_PKEY_KEYPAIR, NULL, NULL);
}

static inline EVP_PKEY *card_companion_public_key(const char *type, OSSL_PARAM *parameters) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    if (context && EVP_PKEY_fromdata_init(context) == 1) {
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters);
    }
    EVP_PKEY_CTX_free(context);
    return key;
}

// Makes a public key on a named curve from an uncompressed point; null on failure, such as a point that is not on the curve.
static inline EVP_PKEY *card_companion_ec_public_key(const char *group, const unsigned char *point, size_t count) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)group, 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, count),
        OSSL_PARAM_construct_end(),
    };
    return card_companion_public_key("EC", parameters);
}

// Makes a key pair on a named curve from the private number and the uncompressed public point; null on failure.
static inline EVP_PKEY *card_companion_ec_key_pair(
    const char *group, const BIGNUM *number, const unsigned char *point, size_t count) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    OSSL_PARAM *parameters = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    if (builder && OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, group, 0)
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, number)
        && OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, count)) {
        parameters = OSSL_PARAM_BLD_to_param(builder);
    }
    if (parameters && context && EVP_PKEY_fromdata_init(context) == 1) {
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEYPAIR, parameters);
    }
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    EVP_PKEY_CTX_free(context);
    return key;
}

// Makes an RSA public key from its modulus and exponent; null on failure.
static inline EVP_PKEY *card_companion_rsa_public_key(const BIGNUM *modulus, const BIGNUM *exponent) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM *parameters = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    if (builder && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, modulus)
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, exponent)) {
        parameters = OSSL_PARAM_BLD_to_param(builder);
    }
    if (parameters) key = card_companion_public_key("RSA", parameters);
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    return key;
}

// The single-step key derivation with SHA-256 (SP 800-56C section 4, option 1). Returns 1 on success.
static inline int card_companion_single_step_kdf(
    EVP_KDF *algorithm, const unsigned char *secret, size_t secret_count, const unsigned char *info,
    size_t info_count, unsigned char *key, size_t key_count) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)"SHA2-256", 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SECRET, (void *)secret, secret_count),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, info_count),
        OSSL_PARAM_construct_end(),
    };
    EVP_KDF_CTX *context = EVP_KDF_CTX_new(algorithm);
    int status = context ? EVP_KDF_derive(context, key, key_count, parameters) : 0;
    EVP_KDF_CTX_free(context);
    return status;
}

// A context of HMAC with SHA-256 that has no key; null on failure.
static inline EVP_MAC_CTX *card_companion_hmac_sha256(void) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA2-256", 0),
        OSSL_PARAM_construct_end(),
    };
    EVP_MAC *algorithm = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = algorithm ? EVP_MAC_CTX_new(algorithm) : NULL;
    EVP_MAC_free(algorithm);
    if (context && EVP_MAC_CTX_set_params(context, parameters) == 1) return context;
    EVP_MAC_CTX_free(context);
    return NULL;
}

// RFC 2253, without escapes for UTF-8.
static inline unsigned long card_companion_rfc2253_flags(void) {
    return XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB;
}
