/// The server's keys of docs/vectors, so that its JWEs open. They are not secret.
enum VectorKeys {
    /// `server-ec`.
    static let p256 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQghFdBa+Q6M26OHr/v
        6ApE7XzRTxkj+H0V0gPqFb4JLwihRANCAARloqmUS49Qly0zYqiam+IO0svTw96y
        IhD30DMro1hdeGnGERu/VJRyqMyXWgN5iV+AH5lUrh4e+ax0qI6gUG02
        -----END PRIVATE KEY-----
        """
    /// `server-rsa`.
    static let rsa = """
        -----BEGIN PRIVATE KEY-----
        MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQDTGjG+ZYL2VKcJ
        pa3ls/55qrLgyi/vKv1xtw6khTcFW9kaaUAvcq3xL6tGE8cjhekF2isnobKRnPuW
        kzEuHdocSuJyD9+RGEYZ6dhprg5+ahsMRDMZ77h1hEmM6Xf7ZLbq1t2jfecPlWH5
        ON3xBahWfdQRA/enlwoXfpapRQoTT+sXRukybR2fdvvszXniQb1YLCnoOlMIvfWC
        Kr1HlmOpyBSvXQGsjRVkXOzqS8AefrYFyAFNPI0VLzuMF+e0RI6O/GZd2oVgbjoD
        F0xQHDvoRFLOelUa6iegm/ak3Jn4dul+MT2GHCoxOiST9OPFua+1xl5PWNpUlYSn
        6JwgneOvAgMBAAECggEAIR/VmV4dWCC9WyarrET7k8TEr8AaGGnC/hJu0kLy+LzK
        SrokL63LfHJx6huVXk4XW+s5ZU0ak32x/pUXHPjjLhhUAvjZqE9KRKusYRzGOnDU
        0K5s5E94vrvkvJ8vy/soNp5DhfFuDcRvbKdPMBAms3eoDIl2VU4+b6RV6LakF5Zk
        RPVU2bUrXLneplNRr1Lf4g4xGRW6TDRibsArCGV6OXD+2OxhVWGaUiV7fZNW4FLu
        cMc0Q9Yu+cpvGEJXexlLcnqhs8LbKCwfnQBedOe1930KF2uA1yfQvZA2CDCc6PBS
        kegoBsTWDXkfvOqeF28yZ3MY1Dol4tncAI3ub+U/mQKBgQDpZoErIeRrgR5jEwTx
        W3c4xrqWzZye1wW2rlaWIKIUyaIE7GmMtAxgGDm16ufRM0dqNic7+c3YqQHZqXMi
        A9HubI4QHQujIdYypSJPmAbb4aP9BuzqksKeF3IZ2XZUpEGwi2tx/e7LqYC8azeA
        UisB0l4BMBZl/UkfxrKmFkzNJwKBgQDnivfPPZrBO2Ejjn3QHmukBhVzG6QayPwt
        rAUzMwpMlltNnQGqRnXvt89hSqABGZlJJ5Nmyfrp8iKuQY32juIpvjrNI2gVwy+j
        3JHPPi9Er+HUcUQ+1qeSKifkuc7fu/YaVcvbw81oCDYljbbnQLDzQKL4Z4QF6P+S
        9gyGW0faOQKBgGqdwWljjQUysR/Ow1ZBUt+jn/5dJCtGy7xcPP9NHtziElmvaLO2
        V2TaDBq2mHhutTOmUxvJi6dp5Id6KTajihUgj3B65CL7xO3Tky3Ko29zzkY6EKVC
        rxYqXZvDQ5N8iOlNdqJWvetYnY70ZyD959loMDrYrZKfNfUG/fpye1jHAoGAek5D
        3CqUZmGxTBDmkFqhTUERb344TxW/b3igPo1FcXMyw2qeCI2zmm6jkqbSogIdoDDR
        gchLS+xlOVrTXFvZR2d+tAFx55z0uz+1nZ0hZszpI0i5XeARH/o4nG8xwakNtJeB
        WZKyG7PKtkeHR9w6HCQWcdRsPpr29XAW6Zmp+LECgYAVq4AqkHHaJIrKFPOPqGHG
        kc1SHLPWwWArlDKD7+4usWiC77RFzNjKazTPf9rAQwgdFTbludYlb7I2fwYr9OV2
        lqN8x+PElg4BRP3UcZc8RSZda84F0jzEZmSBr+WJXB9/k4RYGkPJkIC1q2wYs4uX
        dWyJrwN6totElnYQzlR+Xg==
        -----END PRIVATE KEY-----
        """
}
