internal import Glibc

/// System threads for blocking calls, because these must not block the few threads of Swift's concurrency pool.
enum Thread {
    /// Starts a thread that runs as long as the process.
    ///
    /// - Returns: whether the system could start the thread.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let box = Unmanaged.passRetained(Body(run: body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        guard code == 0 else {
            box.release()
            return false
        }
        return true
    }

    /// Runs a blocking call on a thread of its own. `completion` runs on the loop when that thread has ended, so that
    /// the process can then exit: OpenSSL frees its data at exit, and a thread that still uses them would crash.
    ///
    /// - Returns: whether the system could start the thread.
    static func run<Result: Sendable>(
        _ call: @escaping @Sendable () -> Result, completion: @escaping @Sendable @PostgresLoop (Result) -> Void
    ) -> Bool {
        start {
            let result = call()
            let thread = pthread_self()
            PostgresLoop.post {
                pthread_join(thread, nil)
                completion(result)
            }
        }
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }
}
