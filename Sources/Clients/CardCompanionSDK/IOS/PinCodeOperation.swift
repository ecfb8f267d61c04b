internal import CardCompanionAPI
internal import Foundation

/// An operation of the SDK with its response as a class, in the two forms that Objective-C can call.
struct PinCodeOperation<Answer: Response & Sendable, Shown: JResponse> {
    let shown: @Sendable (Answer) -> Shown
    let run: @Sendable () async -> Answer

    init(_ shown: @escaping @Sendable (Answer) -> Shown, run: @escaping @Sendable () async -> Answer) {
        self.shown = shown
        self.run = run
    }

    /// Returns at once, and later calls `completion` once, on any thread.
    func start(_ completion: @escaping @Sendable (Shown) -> Void) {
        Task { completion(shown(await run())) }
    }

    /// Waits for the response. On the main thread, where an app must not wait, the code is 90000.
    func wait(isMainThread: Bool = Thread.isMainThread) -> Shown {
        guard !isMainThread else {
            return shown(
                Answer(
                    SDKError(
                        .invalidInput,
                        "call it on another thread than the main one, or use the method with a completion handler")))
        }
        let response = Locked<Shown?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        start { result in
            response.withLock { $0 = result }
            isDone.signal()
        }
        isDone.wait()
        return response.withLock(\.self) ?? shown(Answer(SDKError(.requestFailed, "there is no response")))
    }
}
