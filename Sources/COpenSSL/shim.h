#pragma once
// The part of OpenSSL 3 that the server uses. Swift does not import function-like macros: the few that are
// needed stand here as functions.
#include <openssl/crypto.h>

static inline void *card_companion_secure_malloc(size_t count) {
    return OPENSSL_secure_malloc(count);
}

static inline void card_companion_secure_clear_free(void *pointer, size_t count) {
    OPENSSL_secure_clear_free(pointer, count);
}

static inline void *card_companion_malloc(size_t count) {
    return OPENSSL_malloc(count);
}
