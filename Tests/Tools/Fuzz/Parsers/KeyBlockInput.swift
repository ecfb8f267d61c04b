import KeyBlocks
import SecureMemory

enum KeyBlockInput {
    private static let protectionKeys = make {
        [
            try ProtectionKey(SymmetricKey(.aes, Fixture.key(1)), .both),
            try ProtectionKey(SymmetricKey(.tripleDES, Fixture.key(1, count: 24)), .both),
        ]
    }

    static func read(_ bytes: [UInt8]) {
        let text = bytes.text
        if let read = try? KeyBlockText(text) {
            require((try? KeyBlockText(read.text)) != nil, "the text of a key block cannot be read again")
        }
        guard let block = try? KeyBlock(text) else { return }
        require(block.text == text, "the block was changed")
        for key in protectionKeys { _ = try? block.key(under: key) }
    }
}
