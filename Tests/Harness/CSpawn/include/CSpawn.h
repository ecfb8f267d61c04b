#pragma once
#include <spawn.h>

// The started program inherits no file from number `from` on. (In C, because Swift does not see what needs _GNU_SOURCE.)
int card_companion_close_from(posix_spawn_file_actions_t *actions, int from);
