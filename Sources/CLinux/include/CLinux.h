#pragma once

// Forbids the kernel to write a core of this process, and other processes of its user to read its memory. Zero where
// that is so from now on. (prctl is variadic, which Swift does not import.)
int card_companion_forbid_core_dumps(void);
