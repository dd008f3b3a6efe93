-- +goose Up

-- E-mails with quotations that confirmed proposals send, and how far they have come.
CREATE TABLE deliveries (
    id           TEXT PRIMARY KEY,
    proposal_id  TEXT NOT NULL REFERENCES proposals (id),
    quotation_id TEXT NOT NULL REFERENCES quotations (id),
    requested_by TEXT NOT NULL REFERENCES users (id),
    lang         TEXT NOT NULL,
    recipient    TEXT NOT NULL,
    reply_to     TEXT NOT NULL,
    subject      TEXT NOT NULL,
    body         TEXT NOT NULL,
    body_lang    TEXT NOT NULL,
    message_id   TEXT NOT NULL,
    status       TEXT NOT NULL CHECK (status IN ('queued', 'sending', 'sent', 'failed', 'unknown')),
    problem      TEXT NOT NULL,
    attempts     INTEGER NOT NULL,
    created_at   DATETIME NOT NULL,
    updated_at   DATETIME NOT NULL,
    sent_at      DATETIME,
    marked_by    TEXT REFERENCES users (id)
);
CREATE UNIQUE INDEX deliveries_proposal ON deliveries (proposal_id);
CREATE INDEX deliveries_quotation ON deliveries (quotation_id, updated_at DESC, id DESC);
CREATE INDEX deliveries_updated ON deliveries (updated_at DESC, id DESC);
CREATE INDEX deliveries_under_way ON deliveries (updated_at) WHERE status IN ('queued', 'sending');

-- +goose Down

DROP TABLE deliveries;
