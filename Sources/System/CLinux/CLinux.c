#define _GNU_SOURCE
#include "CLinux.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/resource.h>

int card_companion_forbid_core_dumps(void) {
    struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none) != 0) return -1;
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

int card_companion_peer_user(int socket, unsigned int *user) {
#ifdef __linux__
    struct ucred peer;
    socklen_t count = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &count) != 0 || count != sizeof peer) return -1;
    *user = peer.uid;
    return 0;
#else
    return -1;
#endif
}
