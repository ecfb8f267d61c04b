import Foundation
import ServerHarness
import Synchronization

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

    /// How many allocations one request makes: the mean of so many requests after each other that make the fewest. What the server
    /// does every second besides counts as little as possible.
    func perRequest(_ operation: Operation, of service: BenchService, numbers: Range<Int>) async throws -> Double {
        let requests = try await operation.requests(numbers, of: service)
        let counts = Counts()
        var generator = LoadGenerator(port: server.port, connectionCount: 1)
        generator.isExpected = { [file] answer in
            counts.add(Self.count(in: file))
            return Operation.isExpected(answer)
        }
        let result = try generator.run(requests, .asFastAsPossible(seconds: 120))
        guard result.failures == 0 else { throw LoadFailed(description: result.unexpected ?? "") }
        return counts.fewest(ofRequests: min(Self.meanOf, requests.count / 3))
    }

    private static let meanOf = 20

    private static func count(in file: String) -> Int {
        (FileManager.default.contents(atPath: file) ?? Data()).withUnsafeBytes { $0.loadUnaligned(as: Int.self) }
    }

    /// How many allocations there were when each answer came.
    private final class Counts: Sendable {
        private let values = Mutex<[Int]>([])

        func add(_ count: Int) { values.withLock { $0.append(count) } }

        /// The first third of the requests warms the server up.
        func fewest(ofRequests length: Int) -> Double {
            let values = values.withLock(\.self)
            let differences = (values.count / 3..<values.count - length).map { values[$0 + length] - values[$0] }
            return Double(differences.min() ?? 0) / Double(length)
        }
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
