-- Verification of passports and identity cards (document 003): clients, checks, passes, and the certificates that are trusted.

-- Apps that can verify documents. A session names nothing but its client, so that the key does not begin with the bank.
CREATE TABLE document_client (
    client_id         text COLLATE "C" PRIMARY KEY CHECK (client_id ~ '^[!-~]{1,128}$'),
    bank_id           identifier NOT NULL REFERENCES bank ON DELETE CASCADE,
    -- Whether sessions need no check of a cardholder. They are verified and posted, and that is all.
    is_unbound        boolean NOT NULL,
    -- Where results are posted; null: nowhere.
    result_url        text CHECK (length(result_url) BETWEEN 1 AND 2000),
    -- Whether the URL may point into a private network.
    result_is_private boolean NOT NULL,
    status            text NOT NULL CHECK (status IN ('ACTIVE', 'DISABLED')),
    created_at        timestamptz NOT NULL,
    -- For the foreign key of a check.
    UNIQUE (bank_id, client_id),
    CONSTRAINT an_unbound_client_has_a_result_server CHECK (result_url IS NOT NULL OR NOT is_unbound)
);

-- Checks that a bank has asked for: one per cardholder. A newer one takes the place of an older one.
CREATE TABLE identity_check (
    bank_id           identifier NOT NULL,
    unique_id         identifier NOT NULL,
    client_id         text COLLATE "C" NOT NULL,
    -- Of the validationId.
    validation_digest spent_digest NOT NULL,
    -- Key id and MAC of what is expected.
    expectation_mac   bytea NOT NULL,
    -- What is expected: a document, or a person.
    expectation       text NOT NULL CHECK (expectation IN ('document', 'person')),
    created_at        timestamptz NOT NULL,
    expires_at        timestamptz NOT NULL,
    -- How many sessions there were, and the one that is under way. If its server dies, another session can begin after its end.
    session_count     integer NOT NULL DEFAULT 0 CHECK (session_count BETWEEN 0 AND 5),
    session_id        text COLLATE "C",
    session_ends_at   timestamptz,
    PRIMARY KEY (bank_id, unique_id),
    UNIQUE (bank_id, validation_digest),
    FOREIGN KEY (bank_id, unique_id) REFERENCES cardholder ON DELETE CASCADE,
    FOREIGN KEY (bank_id, client_id) REFERENCES document_client (bank_id, client_id) ON DELETE CASCADE,
    CONSTRAINT a_check_has_a_life CHECK (expires_at > created_at AND expires_at <= created_at + interval '24 hours'),
    CONSTRAINT a_session_has_an_end CHECK ((session_id IS NULL) = (session_ends_at IS NULL))
);

CREATE INDEX identity_check_by_expiry ON identity_check (expires_at);

-- A cardholder whose document has passed. It is removed by the delivery or the definition that it serves.
CREATE TABLE identity_pass (
    bank_id    identifier NOT NULL,
    unique_id  identifier NOT NULL,
    passed_at  timestamptz NOT NULL,
    expires_at timestamptz NOT NULL CHECK (expires_at > passed_at),
    PRIMARY KEY (bank_id, unique_id),
    FOREIGN KEY (bank_id, unique_id) REFERENCES cardholder ON DELETE CASCADE
);

CREATE INDEX identity_pass_by_expiry ON identity_pass (expires_at);

-- Certificates of the authorities that states sign documents with: a master list, and the root that has signed it.
CREATE TABLE trust_list (
    -- The bank that trusts it, instead of the list of all banks. Empty: all banks that have none of their own.
    scope         text COLLATE "C" PRIMARY KEY CHECK (length(scope) <= 64),
    list          bytea NOT NULL CHECK (length(list) BETWEEN 1 AND 16777216),
    root          bytea NOT NULL,
    -- SHA-256 of both, sealed, so that a writer to the database cannot put another list in its place.
    sealed_digest bytea NOT NULL,
    signed_at     timestamptz NOT NULL,
    imported_at   timestamptz NOT NULL
);

-- Revocation lists of these authorities. Their signatures are checked whenever they are read.
CREATE TABLE trust_revocation_list (
    scope       text COLLATE "C" NOT NULL,
    -- SHA-256 of the issuer's name and its key identifier.
    issuer      bytea NOT NULL CHECK (length(issuer) = 32),
    -- SHA-256 of the list.
    digest      bytea NOT NULL CHECK (length(digest) = 32),
    list        bytea NOT NULL CHECK (length(list) BETWEEN 1 AND 16777216),
    this_update timestamptz NOT NULL,
    imported_at timestamptz NOT NULL,
    PRIMARY KEY (scope, issuer)
);
