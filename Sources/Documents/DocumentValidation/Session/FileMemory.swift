internal import Synchronization

/// A limit on the bytes of all files that a server holds.
package final class FileMemory: Sendable {
    package static let usualByteLimit = 256 << 20

    /// Bytes that are taken until this value is released.
    package final class Place: Sendable {
        private let memory: FileMemory
        private let byteCount: Int

        fileprivate init(_ memory: FileMemory, _ byteCount: Int) {
            self.memory = memory
            self.byteCount = byteCount
        }

        deinit {
            memory.taken.subtract(byteCount, ordering: .relaxed)
        }
    }

    private let byteLimit: Int
    private let taken = Atomic(0)

    package init(byteLimit: Int = usualByteLimit) {
        self.byteLimit = byteLimit
    }

    package var takenByteCount: Int { taken.load(ordering: .relaxed) }

    /// A place for a file; nil if there is no room.
    func place(byteCount: Int) -> Place? {
        let place = Place(self, byteCount)
        return taken.add(byteCount, ordering: .relaxed).newValue <= byteLimit ? place : nil
    }
}
