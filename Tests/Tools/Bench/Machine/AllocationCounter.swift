import Foundation
import ServerHarness

/// Counts the allocations of a server, with a library that the server loads before the C library.
struct AllocationCounter {
    private let server: TestServer
    private let file: String

    /// Starts a server of its own, because counting takes time.
    init(_ service: BenchService) async throws {
        let source = try TestFolder.shared.write(Self.source, named: "allocations.c")
        let library = "\(source).so"
        try await TestCommand.run("clang", ["-x", "c", "-O2", "-shared", "-fPIC", "-o", library, source]).succeeded()
        file = try TestFolder.shared.write(String(repeating: "\0", count: 8), named: "allocations")
        server = try await service.startServer(environment: ["LD_PRELOAD": library, "BENCH_ALLOCATIONS": file])
    }

    func stop() async throws { try await server.stop() }

    /// How many allocations one request makes, in the mean.
    func perRequest(_ operation: Operation, of service: BenchService, numbers: Range<Int>) async throws -> Double {
        let requests = try await operation.requests(numbers, of: service)
        let generator = LoadGenerator(port: server.port, connectionCount: 1)
        let warmUp = requests.count / 2
        _ = try generator.run(requests.part(0..<warmUp), .asFastAsPossible(seconds: 60))
        let before = count
        let result = try generator.run(requests.part(warmUp..<requests.count), .asFastAsPossible(seconds: 60))
        guard result.failures == 0 else { throw LoadFailed(description: result.unexpected ?? "") }
        return Double(count - before) / Double(result.latencies.count)
    }

    private var count: Int {
        (FileManager.default.contents(atPath: file) ?? Data()).withUnsafeBytes { $0.loadUnaligned(as: Int.self) }
    }

    private static let source = """
        #include <errno.h>
        #include <fcntl.h>
        #include <stdatomic.h>
        #include <stdlib.h>
        #include <sys/mman.h>

        extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
        extern void *__libc_memalign(size_t, size_t);

        static atomic_long *count;

        __attribute__((constructor)) static void open_count(void) {
            int file = open(getenv("BENCH_ALLOCATIONS"), O_RDWR | O_CLOEXEC);
            void *memory = mmap(0, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
            if (memory != MAP_FAILED) count = memory;
        }

        static void add(void) {
            if (count) atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
        }

        void *malloc(size_t size) { add(); return __libc_malloc(size); }
        void *calloc(size_t number, size_t size) { add(); return __libc_calloc(number, size); }
        void *realloc(void *old, size_t size) { add(); return __libc_realloc(old, size); }
        void *memalign(size_t alignment, size_t size) { add(); return __libc_memalign(alignment, size); }
        void *aligned_alloc(size_t alignment, size_t size) { add(); return __libc_memalign(alignment, size); }

        int posix_memalign(void **result, size_t alignment, size_t size) {
            add();
            *result = __libc_memalign(alignment, size);
            return *result ? 0 : ENOMEM;
        }
        """
}
