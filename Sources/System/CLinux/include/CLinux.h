#pragma once

// Disables core dumps of this process, and prevents other processes of its user from reading its memory. Returns 0 on
// success. (In C, because Swift does not import variadic functions such as prctl.)
int card_companion_forbid_core_dumps(void);

// The user of the process at the other end of a Unix socket, when it connected. Returns 0 on success.
int card_companion_peer_user(int socket, unsigned int *user);
