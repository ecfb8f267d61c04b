#pragma once
// libpq, and what an event loop on Linux needs in addition.
#include <libpq-fe.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

struct ssl_st;
int SSL_pending(const struct ssl_st *ssl);

// Bytes that TLS has read from the socket but not yet passed on. epoll does not report them.
static inline int card_companion_pending_tls_bytes(PGconn *connection) {
    const struct ssl_st *ssl = PQsslStruct(connection, "OpenSSL");
    return ssl == NULL ? 0 : SSL_pending(ssl);
}

// From libpq 17 on, a synchronisation point does not need a separate system call.
static inline int card_companion_pipeline_sync(PGconn *connection) {
#ifdef LIBPQ_HAS_SEND_PIPELINE_SYNC
    return PQsendPipelineSync(connection);
#else
    return PQpipelineSync(connection);
#endif
}
