import Administration
import Testing

@Suite("Who runs a command")
struct OperatingSystemUserTests {
    @Test(
        "The login counts before what sudo says, and that before the user of the process",
        arguments: [
            ("alice", "bob", "root", "alice"), ("alice", nil, "root", "alice"), (nil, "bob", "root", "bob"),
            (nil, "", "root", "root"), (nil, nil, "card-companion", "card-companion"),
        ] as [(String?, String?, String, String)])
    func name(login: String?, sudo: String?, process: String, expected: String) {
        #expect(OperatingSystemUser.name(login: login, sudo: sudo, process: process) == expected)
    }
}
