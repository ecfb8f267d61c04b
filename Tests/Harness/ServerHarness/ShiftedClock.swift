/// A wall clock that is ahead of the machine's or behind it, for one process.
///
/// libfaketime does not serve: it changes the process's environment while it starts, and Swift then loses the arguments.
enum ShiftedClock {
    private static let source = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <fcntl.h>
        #include <stdlib.h>
        #include <time.h>
        #include <unistd.h>

        static long offset(void) {
            char text[32] = "";
            int file = open(getenv("TEST_CLOCK_OFFSET_FILE"), O_RDONLY);
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
        """

    /// Compiled with the compiler that comes with Swift.
    private static let library = Once {
        let path = try TestFolder.shared.write(source, named: "clock.c")
        let library = "\(path).so"
        try await TestCommand.run("clang", ["-x", "c", "-shared", "-fPIC", "-o", library, path, "-ldl"]).succeeded()
        return library
    }

    /// The environment variables of a process with such a clock.
    ///
    /// - Parameter offsetFile: has the offset in seconds. It can change while the process runs.
    static func environment(offsetFile: String) async throws -> [String: String] {
        ["LD_PRELOAD": try await library.value, "TEST_CLOCK_OFFSET_FILE": offsetFile]
    }
}
