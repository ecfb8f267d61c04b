-- Which PIN a connector has: a report about another one of the cardholder does not end its lease. And whether the host has taken another
-- one since then: the PIN is handed out again, whatever is reported.
ALTER TABLE forwarded_pin
    ADD COLUMN leased_event public_event_id,
    ADD COLUMN is_overtaken boolean NOT NULL DEFAULT false;
