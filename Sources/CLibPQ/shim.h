#pragma once
// libpq, and what an event loop on Linux needs beside it.
#include <libpq-fe.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

struct ssl_st;
int SSL_pending(const struct ssl_st *ssl);

// Bytes that TLS has read from the socket but not handed on: epoll cannot know of them.
static inline int card_companion_pending_tls_bytes(PGconn *connection) {
    const struct ssl_st *ssl = PQsslStruct(connection, "OpenSSL");
    return ssl == NULL ? 0 : SSL_pending(ssl);
}

// From version 17 a synchronisation point need not be a system call of its own.
static inline int card_companion_pipeline_sync(PGconn *connection) {
#ifdef LIBPQ_HAS_SEND_PIPELINE_SYNC
    return PQsendPipelineSync(connection);
#else
    return PQpipelineSync(connection);
#endif
}
