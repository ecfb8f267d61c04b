import CardCompanion
import CardCompanionModel
import CardCompanionStore
import Foundation
import Logging
import ServerHarness
import Synchronization
import Testing

/// Housekeeping in this process, with a clock that goes wrong.
@Suite("Housekeeping and wrong clocks")
struct HousekeepingClockTests {
    @Test("A clock that goes wrong in the middle of a round removes nothing, whenever that is")
    func jumps() async throws {
        let installation = try await TestInstallation()
        try await installation.sql(
            """
            INSERT INTO spent_proof (bank_id, kind, digest, expires_at)
                VALUES ('clock', 'nonce', decode(repeat('00', 16), 'hex'), now() + interval '1 day')
            """)
        try await LocalStore.run(at: installation.databaseURL) { store in
            let readings = await Self.round(store, rightReadings: .max)
            #expect(readings > 2 * ExpiredKind.allCases.count)
            for rightReadings in 0...readings {
                _ = await Self.round(store, rightReadings: rightReadings)
                let rows = try await installation.sql("SELECT count(*) FROM spent_proof WHERE bank_id = 'clock'")
                #expect(rows == ["1"], "the clock was right for \(rightReadings) readings")
            }
        }
    }

    /// Runs a round with a clock that goes two days ahead after some readings.
    ///
    /// - Returns: how often the clock was read.
    private static func round(_ store: Store, rightReadings: Int) async -> Int {
        let readings = Mutex(0)
        let clock = WallClock {
            let isRight = readings.withLock { count in
                count += 1
                return count <= rightReadings
            }
            let now = Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
            return isRight ? now : now.advanced(bySeconds: 2 * 86_400)
        }
        var logger = Logger(label: "tests")
        logger.logLevel = .critical
        let watch = ClockWatch(store: store, clock: clock, limitSeconds: 30, logger: logger)
        let housekeeping = Housekeeping(
            store: store, clock: clock, clockWatch: watch, intervalSeconds: 3600, logger: logger)
        await housekeeping.removeAll()
        return readings.withLock(\.self)
    }
}
