// Preloaded into card-companion: writes each statement that it prepares, with the types of its parameters, to the file
// STATEMENTS_FILE. A record is "OID,OID\n", the text, and a zero byte.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef unsigned int Oid;
typedef int (*Prepare)(void *, const char *, const char *, int, const Oid *);

static void record(const char *sql, int count, const Oid *types) {
    const char *path = getenv("STATEMENTS_FILE");
    if (!path) return;
    size_t size = strlen(sql) + 12 * (size_t)count + 2, length = 0;
    char *text = malloc(size);
    if (!text) abort();
    for (int index = 0; index < count; index++)
        length += (size_t)sprintf(text + length, index ? ",%u" : "%u", types[index]);
    text[length++] = '\n';
    memcpy(text + length, sql, strlen(sql) + 1);
    length += strlen(sql) + 1;
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    // Without this record the result would be wrong, and nobody would see it.
    if (file < 0 || write(file, text, length) != (ssize_t)length) abort();
    close(file);
    free(text);
}

int PQsendPrepare(void *connection, const char *name, const char *sql, int count, const Oid *types) {
    static Prepare next;
    if (!next) next = (Prepare)dlsym(RTLD_NEXT, "PQsendPrepare");
    record(sql, count, types);
    return next(connection, name, sql, count, types);
}
