#pragma once
// PKCS#11 2.40, as p11-kit has it. Only the header: a token's module is loaded at run time.
#include <p11-kit-1/p11-kit/pkcs11.h>
