internal import SecureMemory

/// The known-answer test of RSA (RFC 8017): a key, what was encrypted to it, and what it signed. Python's cryptography made them.
enum RSAKnownAnswers {
    /// Whether the text is decrypted and its signature is valid, and a changed ciphertext and another text are refused.
    static func areRight() -> Bool {
        guard let der = Base64.decode(privateKey), let key = try? RSAPrivateKey(pkcs8: der),
            let sealed = Base64.decode(ciphertext), let signed = Base64.decode(signature),
            let opened = try? key.decryptOAEPSHA256(sealed)
        else { return false }
        var changed = sealed
        changed[0] ^= 1
        let isForgeryOpened = (try? key.decryptOAEPSHA256(changed).count) != nil
        return opened.withBytes { Array($0) } == text && !isForgeryOpened
            && key.publicKey.isValidPKCS1SHA256(signature: signed, for: text)
            && !key.publicKey.isValidPKCS1SHA256(signature: signed, for: Array("abd".utf8))
    }

    private static let text = Array("abc".utf8)

    /// PKCS #8, 2048 bits. It is used for nothing else.
    private static let privateKey = """
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCj+ENIT+8zIDvSnlXdpdBcgfvkm/CXHbGbVJYiUapeOljVQJqR\
        UJBIsG6kyomdIpYxIbfyvMtHVK/c7+7H+MtjJGY8mD1B4AmCNvnnniPi6WknXaz4e2HLBWvnH+fuV+r9NfOxoqAojHpaqklxJTST\
        FygQn8g02IWSEcAEYJM0pxMescufwiTk30+SA1UpzHlePI68dKM1Rv2Ta7vYslZMhJ1XWXtN5GDk1SdyGcQzc+IMyc0dWmDRecwe\
        5QpMqS3aI5z5DVMFyJuKVKuQC+pX7rCA5U7D2lCcgBcwDmgIZkedkqeTQHXq89treMTAheXH9VfT9BdaI9djFYBfeit5AgMBAAEC\
        ggEABeQ7y8yS5XZO0kAHLfD6WYm29hQ64uH+UsXSgAZ3BbeUREFPWi0qPEysTjaBqXXw5ScuEw9cQQuo3bXBkZKQJfwoC2YK9Nqh\
        kWeN2+EmQRcJxLTVmdu+xUro7vqKATVMNW+ieitD8BNUqmpOqaspocul2YcQx7lQyHXjz7a85+MkNCN03s444kGTYVW+FIAt3yCI\
        9llsRP65eu3iw6MsIve74g3TocgLJb2JvOZOpVxOEk8Ctqkrk7QYdVOVPzjqCVahJingkuMgS42gUe0Q8kOtobdlzgX7eumw1CmC\
        aZ0UsAjeRoxVIRQdKxg/nhhGXUSAjCF1TtspCMjVW/pzswKBgQDQvmvYpLvz8+sPkljJDjPPWs4Eo5voU7vQDt/668w/+yvCvD2Z\
        w1oqEPO3L6mTTRm3W4M/OYmsDkMbCwwtqm8ru9Ul3DP4ZPuDac9KgCtDIFQmRHHxtcpcdv31Zjem733hueCgmYiQEpvw2CL6lXqi\
        yGKM/uj+NRRe+Ed5rVdsCwKBgQDJFv9icGcc9KGqknrcn5wqJaX1bzWtDVdA8Axfi6UPvaYar2xtHIZW2CeZyZ7DOCxV2QB+MWtP\
        vc5E5Dm99V48jGSq8g8kW8TR4rOwnLzYdcpeyPQaUAlYUrMW6N8KH+2rQpzlJKgdam/6QR3xDPsDZ0FWpfQmiXBM8e+kaDb1CwKB\
        gQCnYOkNEBp9pIpJNCnpHXBBxigH5ECxa+LfE+5ZPxXJ/9a5EUO7tb7omCs0Kg2pRVtngQOegL55rf31A0jCnTUDNlvVPdqWRDLA\
        zukebeNCsfuHq75J+GDI/8jnKw1Y2BRyGR+a50FvdNyBpG13zMBHIrKTKBsfKuSouiBl2q6MvQKBgFCoT9F9Qm7D1OClFnDN+IaT\
        SUjzzXTXKAtc/amJSrDQogKMIJJ3YY8N7nxp+atWKbpZazAyxFdcy5KodFy0QZNJwMssglRUFtMU+nw5simkvYJdWkP/nG/34+up\
        hmT6P4t1EZd7p4789WNMoSThzwEjdnq53/9hG1FRrYylXH3XAoGAIQfySgN3BdKgUpJ4y0eQ1cnWbaQhSJSnm4TvQtq5153TWBX9\
        fhcmqqp9fPso9UZa12mLckJskl2RIs6PhlubpkfC2XkGVVfct9A9GoqPAnhHM6dsKlX+AeLYYZhHBLRRVKvlzhs90EZoZoVCFJon\
        Uii3VRxWFnWCVBx4pPmYR+A=
        """

    /// `text`, RSAES-OAEP with SHA-256.
    private static let ciphertext = """
        mV5+yzEiOXmn7aF36iMhJ2m6CrqhFkKWY+D/JMwikZxUHLv6yMAtaIqN+rNwKoOt8DqrI/GAofS9ukrXekEpC3wwEySynhOUlRZF\
        C/U+NyOZbvLkPFR+m6cTO4/2HFthxopMvTGnhg6OPFip4/Wa8LOkIDaSCWKS8A/H2qbo6b9GQGfKsC1EcKXZQLxSGmg1Gju4iKuf\
        vmbjQKBKD2UdvTTP4CuZM/bF60/+UEpPFQC1SZ4BuaRiT3V1qTvkw4AiebK0IaQ8K3NWPuvhzcO2HwBNKeKSXBFVYZnUa5c5sixV\
        jaWIVHy+keenPNjwm8Lai4AJnUvfXr+EIkJFFG1BEg==
        """

    /// Of `text`, RSASSA-PKCS1-v1_5 with SHA-256.
    private static let signature = """
        EB3sFSTWJx/QDGGgpdhRp8f60+d0hNu5lczjz7R627/2qlkqswY0oJY1bkrg7//yQAVNyb0Qmo8SadRG+wrwpRZH/5doAMqTlviY\
        cYooX8q4zVvMCbO5GjyH4sDSBvhhEiFtbrIPBxDqaG9ahkzaMy4T6HtjKPtyiI2iArdvgg/WSVWMB0ga3hZAwjIKmWAUy62cuxs7\
        rHBqP9+/Kj8kJgYPh50RF6RjiLOGXSieTFndOBhYcAKYs/GHtYd5d0ieUohnUgMZOPOAIdjX91LGieu+BSg6/cxfuIT+4Po3MHF5\
        RErp1+nrdaBiOzqTr5ISMqZrATTs/SRdAMFpq5zUZw==
        """
}
