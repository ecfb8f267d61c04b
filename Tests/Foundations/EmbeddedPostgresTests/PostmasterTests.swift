import Foundation
import Testing

@testable import EmbeddedPostgres

@Suite struct PostmasterTests {
    private static let pidFile = """
        4242
        /data/postgres/cluster
        1760000000
        5432
        /data/postgres/socket

          2228280   1234567
        ready   
        """

    @Test func `The process id is on the first line, the state on the eighth`() throws {
        let postmaster = try #require(Postmaster(pidFile: Self.pidFile))
        #expect(postmaster.processID == 4242)
        #expect(postmaster.isReady)
    }

    @Test(arguments: ["starting", "stopping", "standby"])
    func `A server in another state is not ready`(state: String) throws {
        let text = Self.pidFile.replacing("ready   ", with: state)
        #expect(try #require(Postmaster(pidFile: text)).isReady == false)
    }

    @Test func `An incomplete file means that the server is not ready`() throws {
        #expect(try #require(Postmaster(pidFile: "4242\n/data/postgres/cluster\n")).isReady == false)
    }

    @Test(arguments: ["", "\n", "x\n", "-1\n", "0\n", "1\n", "99999999999\n"])
    func `A file without a process id means no server`(text: String) {
        #expect(Postmaster(pidFile: text) == nil)
    }

    @Test func `A process is identified by an argument of its command line`() throws {
        let argument = try #require(CommandLine.arguments.first)
        let thisProcess = try #require(Postmaster(pidFile: "\(getpid())\n"))
        #expect(try thisProcess.wasStarted(with: argument))
        #expect(try !thisProcess.wasStarted(with: argument + "x"))
    }
}
