#pragma once
// The part of OpenSSL 3 that the server uses, without anything that OpenSSL 3 deprecates. Swift does not import
// function-like macros: the few that are needed stand here as functions.
#define OPENSSL_API_COMPAT 30000
#define OPENSSL_NO_DEPRECATED
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/decoder.h>
#include <openssl/encoder.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/pem.h>
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

// The content of a memory BIO; it stays the BIO's.
static inline long card_companion_bio_content(BIO *bio, char **content) {
    return BIO_get_mem_data(bio, content);
}

// Whether reading PEM ended because there is no further PEM block.
static inline int card_companion_is_end_of_pem(unsigned long error) {
    return ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
}

// EVP_PKEY_PUBLIC_KEY and EVP_PKEY_KEYPAIR, which are sums of other macros.
static inline int card_companion_public_key_selection(void) {
    return EVP_PKEY_PUBLIC_KEY;
}

static inline int card_companion_key_pair_selection(void) {
    return EVP_PKEY_KEYPAIR;
}

// RFC 2253, with UTF-8 left as it is.
static inline unsigned long card_companion_rfc2253_flags(void) {
    return XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB;
}
