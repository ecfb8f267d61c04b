// Shifts the wall clock of one process by the seconds in the file CLOCK_OFFSET_FILE, which can change while it runs.
// libfaketime does not serve: it changes the process's environment while it starts, and Swift then loses the arguments.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long offset(void) {
    char text[32] = "";
    const char *path = getenv("CLOCK_OFFSET_FILE");
    int file = path ? open(path, O_RDONLY) : -1;
    if (file >= 0) {
        (void)!read(file, text, sizeof text - 1);
        close(file);
    }
    return atol(text);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int (*original)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
    int status = original(clock, time);
    if (status == 0 && clock == CLOCK_REALTIME) time->tv_sec += offset();
    return status;
}
