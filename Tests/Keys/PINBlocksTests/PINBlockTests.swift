import Cryptography
import PINBlocks
import SecureMemory
import Testing

@Suite("PIN blocks")
struct PINBlockTests {
    @Test("Format 0 has the PIN, fill F and the PAN's last digits without the check digit")
    func format0() throws {
        let lock = try Lock(.iso0)
        let block = try lock.encrypted("1234", pan: "5432101234567891")
        #expect(try lock.clear(block) == "041215FEDCBA9876")
        #expect(try lock.decrypted(block, pan: "5432101234567891") == "1234")
    }

    @Test("Format 1 has the PIN and random digits, and no PAN")
    func format1() throws {
        let lock = try Lock(.iso1)
        #expect(try lock.clear(lock.encrypted("1234", pan: nil, fill: 0x5A)) == "141234AAAAAAAAAA")
        #expect(try lock.clear(lock.encrypted("123456789012", pan: nil, fill: 0)) == "1C12345678901200")
        #expect(try lock.decrypted(lock.sealed("141234567890ABCD"), pan: nil) == "1234")
        #expect(try lock.decrypted(lock.sealed("1C123456789012FF"), pan: nil) == "123456789012")
    }

    @Test("Format 3 is filled with random digits from A to F")
    func format3() throws {
        let lock = try Lock(.iso3)
        var seen: Set<Character> = []
        for _ in 0..<100 {
            // The PAN's part is zero, so that the fill is visible.
            let text = try lock.clear(lock.encrypted("1234", pan: "1000000000000000"))
            #expect(text.hasPrefix("341234"))
            seen.formUnion(text.dropFirst(6))
        }
        #expect(seen == Set("ABCDEF"))
    }

    @Test("Format 4 gives the expected block")
    func format4() throws {
        let lock = try Lock(.iso4)
        let block = try lock.encrypted("1234", pan: "1234567890123456789", fill: 0xFF)
        #expect(Hex.encode(block).uppercased() == "28B41FDDD29B743E93124BD8E32D921E")
        #expect(try lock.decrypted(block, pan: "1234567890123456789") == "1234")
    }

    @Test("PINs of 4 to 12 digits come back", arguments: PINBlockFormat.allCases)
    func lengths(format: PINBlockFormat) throws {
        let lock = try Lock(format)
        for count in PINBlock.pinLengths {
            let pin = String("987654321098".prefix(count))
            #expect(try lock.decrypted(lock.encrypted(pin, pan: format.pan), pan: format.pan) == pin)
        }
    }

    @Test("PINs of another length, or with other characters, are refused", arguments: PINBlockFormat.allCases)
    func badPINs(format: PINBlockFormat) throws {
        let lock = try Lock(format)
        for pin in ["", "123", "1234567890123", "12a4", "12 4", "12٣4"] {
            #expect(throws: PINBlockError.pin, "\(pin)") { try lock.encrypted(pin, pan: format.pan) }
        }
    }

    @Test(
        "A PAN is needed exactly where the format has one, with its length and only digits",
        arguments: PINBlockFormat.allCases)
    func badPANs(format: PINBlockFormat) throws {
        let lock = try Lock(format)
        let block = try lock.encrypted("1234", pan: format.pan)
        let bad: [String?] =
            switch format {
            case .iso1: ["5432101234567891", ""]
            case .iso0, .iso3: [nil, "", "543210123456", "54321012345678912345", "54321O1234567891"]
            case .iso4: [nil, "", "54321012345", "54321012345678912345", "54321O1234567891"]
            }
        for pan in bad {
            #expect(throws: PINBlockError.pan(format)) { try lock.encrypted("1234", pan: pan) }
            #expect(throws: PINBlockError.pan(format)) { try lock.decrypted(block, pan: pan) }
        }
    }

    @Test("A block for another PAN does not open", arguments: [PINBlockFormat.iso0, .iso3, .iso4])
    func otherPAN(format: PINBlockFormat) throws {
        let lock = try Lock(format)
        let block = try lock.encrypted("1234", pan: "5432101234567891")
        #expect(throws: PINBlockError.content) { try lock.decrypted(block, pan: "5432107654321091") }
    }

    /// What docs/keys.md says: how many of all PIN digits, PAN digits and wrong PAN digits in their place give another PIN.
    @Test(
        "A wrong digit of the PAN over a digit of the PIN can give another PIN, but not in format 4",
        arguments: [(PINBlockFormat.iso0, 612), (.iso3, 612), (.iso4, 0)])
    func wrongPANDigit(format: PINBlockFormat, openedToAnother: Int) throws {
        let lock = try Lock(format)
        var (opened, cases) = (0, 0)
        for digit in 0...9 {
            for right in 0...9 {
                let block = try lock.encrypted("12\(digit)4", pan: "543\(right)101234567891")
                for wrong in 0...9 where wrong != right {
                    cases += 1
                    guard let pin = try? lock.decrypted(block, pan: "543\(wrong)101234567891") else { continue }
                    #expect(pin != "12\(digit)4")
                    opened += 1
                }
            }
        }
        #expect(cases == 900 && opened == openedToAnother)
    }

    @Test(
        "A wrong digit of the PAN over the fill is noticed in format 0, and never gives another PIN",
        arguments: [PINBlockFormat.iso0, .iso3, .iso4])
    func wrongPANDigitOverFill(format: PINBlockFormat) throws {
        let lock = try Lock(format)
        var opened = 0
        for right in 0...9 {
            let block = try lock.encrypted("1234", pan: "54321\(right)1234567891")
            for wrong in 0...9 where wrong != right {
                guard let pin = try? lock.decrypted(block, pan: "54321\(wrong)1234567891") else { continue }
                #expect(pin == "1234")
                opened += 1
            }
        }
        #expect(opened == 0 || format == .iso3)
    }

    @Test("Format 4 gives the block of ep2's security specification, version 8.0.0, section 8.4")
    func ep2() throws {
        let lock = try Lock(.iso4, key: "C1D0F8FB4958670DBA40AB1F3752EF0D")
        let block = try hex("CC17F65586BFD0953010226C4FC5B3CA")
        #expect(try lock.decrypted(block, pan: "432198765432109870") == "1234")
        for pan in ["432198765432109871", "43219876543210987", "4321987654321098700"] {
            #expect(throws: PINBlockError.content) { try lock.decrypted(block, pan: pan) }
        }
    }

    @Test(
        "A field with another control digit, length, digit or fill is refused",
        arguments: [
            // Control digit.
            (PINBlockFormat.iso0, "141234FFFFFFFFFF"), (.iso0, "341234FFFFFFFFFF"), (.iso1, "041234FFFFFFFFFF"),
            (.iso1, "241234FFFFFFFFFF"), (.iso3, "041234FFFFFFFFFF"), (.iso4, "341234AAAAAAAAAA0000000000000000"),
            // Length.
            (.iso0, "03123FFFFFFFFFFF"), (.iso0, "0D1234567890123F"), (.iso1, "1312312312312312"),
            (.iso1, "1F12312312312312"), (.iso3, "33123FFFFFFFFFFF"), (.iso3, "3D1234567890123F"),
            (.iso4, "43123AAAAAAAAAAA0000000000000000"), (.iso4, "4D1234567890123A0000000000000000"),
            // Digits of the PIN.
            (.iso0, "04123AFFFFFFFFFF"), (.iso1, "14123F0000000000"), (.iso3, "34A234FFFFFFFFFF"),
            (.iso4, "44123AAAAAAAAAAA0000000000000000"),
            // Fill.
            (.iso0, "041234FFFFFFFFFE"), (.iso0, "041234EFFFFFFFFF"), (.iso3, "3412349FFFFFFFFF"),
            (.iso3, "341234FFFFFFFFF0"), (.iso4, "441234BAAAAAAAAA0000000000000000"),
            (.iso4, "441234AAAAAAAAAF0000000000000000"),
        ])
    func badFields(format: PINBlockFormat, field: String) throws {
        let lock = try Lock(format)
        let pan = format.hasPAN ? "1000000000000000" : nil
        let panField = format == .iso4 ? "41000000000000000" + "000000000000000" : nil
        let block = try lock.sealed(field, pan: panField)
        #expect(throws: PINBlockError.content) { try lock.decrypted(block, pan: pan) }
    }

    @Test("A block of another length is refused", arguments: PINBlockFormat.allCases)
    func blockLengths(format: PINBlockFormat) throws {
        let lock = try Lock(format)
        for count in [0, 7, 8, 9, 15, 16, 17, 24, 32] where count != format.byteCount {
            #expect(throws: PINBlockError.length(format)) {
                try lock.decrypted([UInt8](repeating: 0, count: count), pan: format.pan)
            }
        }
    }

    @Test("A key of the other algorithm is refused", arguments: PINBlockFormat.allCases)
    func otherKeys(format: PINBlockFormat) throws {
        let other: BlockCipher.Algorithm = format.cipher == .aes ? .tripleDES : .aes
        let key = try BlockCipher(other, key: hex("00112233445566778899AABBCCDDEEFF"))
        #expect(throws: PINBlockError.otherKey(format)) {
            _ = try PINBlock.decrypted(
                [UInt8](repeating: 0, count: format.byteCount), pan: shared(format.pan), as: format, key: key)
        }
    }

    @Test("No error says anything of PIN or PAN")
    func errors() {
        let errors: [PINBlockError] =
            [.pin, .content]
            + PINBlockFormat.allCases.flatMap { [.otherKey($0), .length($0), .pan($0), .unavailable($0)] }
        for error in errors { #expect(!error.description.isEmpty && !error.description.contains("1234")) }
    }
}
