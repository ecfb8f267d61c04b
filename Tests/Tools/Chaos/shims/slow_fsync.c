// Delays fsync and fdatasync of one process by the milliseconds in the file FSYNC_DELAY_FILE, which can change while it
// runs.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static void delay(void) {
    char text[32] = "";
    const char *path = getenv("FSYNC_DELAY_FILE");
    int file = path ? open(path, O_RDONLY) : -1;
    if (file < 0) return;
    (void)!read(file, text, sizeof text - 1);
    close(file);
    if (atol(text) > 0) usleep(atol(text) * 1000);
}

int fsync(int file) {
    delay();
    return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file);
}

int fdatasync(int file) {
    delay();
    return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(file);
}
