internal import NIOCore

/// Closes a channel, or does something else, at a time that can move. It belongs to one handler of the channel, and is used on its
/// event loop only.
final class ClosingTimer {
    typealias Instant = ContinuousClock.Instant

    /// When the channel is closed; nil if nothing is expected of the client.
    var deadline: Instant? {
        didSet { set() }
    }

    private let act: (ChannelHandlerContext) -> Void
    private var context: ChannelHandlerContext?
    /// When the timer looks at the deadline. It is not moved when the deadline moves to a later time.
    private var time: Instant?

    init(_ act: @escaping (ChannelHandlerContext) -> Void = { $0.close(promise: nil) }) {
        self.act = act
    }

    func start(_ context: ChannelHandlerContext) {
        self.context = context
        set()
    }

    func stop() {
        context = nil
    }

    private func set() {
        guard let context, let deadline else { return }
        if let time, time <= deadline { return }
        time = deadline
        context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(max(.zero, deadline - .now))) { [weak self] in
            self?.look(timerOf: deadline)
        }
    }

    private func look(timerOf time: Instant) {
        guard let context, self.time == time else { return }
        self.time = nil
        if let deadline, deadline <= .now { return act(context) }
        set()
    }
}
