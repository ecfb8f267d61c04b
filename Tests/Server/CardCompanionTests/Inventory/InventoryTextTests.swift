import CardCompanionModel
import Testing

@testable import CardCompanion

@Suite("The inventory's text")
struct InventoryTextTests {
    private let bank = Identifier("MY BANK")

    private func inventory() -> Inventory {
        Inventory(
            first: [
                Inventory.Name(.certificate, "2027"): Inventory.Entry("ab12", approvalId: "00ff"),
                Inventory.Name(.hmacKey, "a label\nwith \\ and spaces"): Inventory.Entry("cd34"),
                Inventory.Name(.settings): Inventory.Entry("ef56"),
            ], of: bank)
    }

    @Test("It is sorted by kind and name, and names are escaped")
    func text() {
        #expect(
            inventory().text == """
                card-companion inventory 1
                bank MY BANK
                version 1
                previous -
                certificate ab12 00ff 2027
                hmac-key cd34 - a label\\u{a}with \\u{5c} and spaces
                settings ef56 -\u{20}

                """)
    }

    @Test("A text is read only if it is exactly that of an inventory of the same scope")
    func reading() throws {
        let next = inventory().next(inventory().entries)
        for version in [inventory(), next] {
            #expect(Inventory(version.text, of: bank) == version)
            #expect(Inventory(version.text, of: Identifier("OTHER")) == nil)
            #expect(Inventory(version.text, of: nil) == nil)
        }
        #expect(next.version == 2 && next.previousHash == inventory().hash)
        let text = next.text
        let changes = [
            ("version 2", "version 02"), ("version 2", "version 0"), ("previous ", "previous  "),
            ("settings", "unknown"),
            ("settings ef56 - \n", ""),
            ("certificate ab12 00ff 2027\n", "certificate ab12 00ff 2027\ncertificate ab12 00ff 2027\n"),
            ("\\u{a}", "\n"), ("\\u{a}", "\\u{0a}"), ("inventory 1", "inventory 2"),
        ]
        for (part, other) in changes {
            let changed = text.replacing(part, with: other)
            #expect(changed != text)
            let found = Inventory(changed, of: bank)
            #expect(found == nil || found?.hash != next.hash, "\(part) -> \(other)")
            if part != "settings ef56 - \n" { #expect(found == nil, "\(part) -> \(other)") }
        }
    }

    @Test("Names are the same only if their bytes are")
    func names() {
        let composed = Inventory.Name(.key, "\u{e9}")
        let decomposed = Inventory.Name(.key, "e\u{301}")
        #expect(composed != decomposed)
        let both = Inventory(first: [composed: Inventory.Entry("1"), decomposed: Inventory.Entry("2")], of: bank)
        #expect(Inventory(both.text, of: bank)?.entries.count == 2)
    }

    @Test("A change puts in, takes out, and gives one approval to all that it covers")
    func changes() {
        var change = InventoryChange()
        change.set(.webhook, of: bank, to: "9a")
        change.remove(.certificate, "2027", of: bank)
        change.removeAll(.hmacKey, of: bank)
        let entries = change.applied(to: inventory().entries, of: bank)
        #expect(
            entries == [
                Inventory.Name(.webhook): Inventory.Entry("9a"), Inventory.Name(.settings): Inventory.Entry("ef56"),
            ])
        #expect(change.applied(to: inventory().entries, of: Identifier("OTHER")) == inventory().entries)

        var back = InventoryChange()
        back.restore(from: inventory().next(entries), to: inventory())
        #expect(back.applied(to: entries, of: bank) == inventory().entries)
    }

    @Test("The MAC of a later version can be by a usable data key, or by one that is newer than all, and by no other")
    func dataKeys() {
        func entry(_ state: DataKeyState) -> Inventory.Entry {
            Inventory.Entry(
                Inventory.DataKeyEntry(purpose: .keys, state: state, activeFrom: Timestamp(seconds: 5)).value)
        }
        let installation = Inventory(
            first: [
                Inventory.Name(.dataKey, "3"): entry(.compromised), Inventory.Name(.dataKey, "4"): entry(.usable),
                Inventory.Name(.dataKey, "9"): entry(.disabled),
            ], of: nil)
        #expect([3, 4, 5, 9, 10].filter { installation.allowsDataKey($0) } == [4, 10])
        #expect(Inventory(installation.text, of: nil) == installation)
    }
}
