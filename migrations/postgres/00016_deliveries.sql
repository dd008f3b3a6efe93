-- +goose Up

-- E-mails with quotations that confirmed proposals send, and how far they have come.
CREATE TABLE deliveries (
    id           TEXT COLLATE "C" PRIMARY KEY,
    proposal_id  TEXT COLLATE "C" NOT NULL REFERENCES proposals (id),
    quotation_id TEXT COLLATE "C" NOT NULL REFERENCES quotations (id),
    requested_by TEXT COLLATE "C" NOT NULL REFERENCES users (id),
    lang         TEXT COLLATE "C" NOT NULL,
    recipient    TEXT COLLATE "C" NOT NULL,
    reply_to     TEXT COLLATE "C" NOT NULL,
    subject      TEXT NOT NULL,
    body         TEXT NOT NULL,
    body_lang    TEXT COLLATE "C" NOT NULL,
    message_id   TEXT COLLATE "C" NOT NULL,
    status       TEXT COLLATE "C" NOT NULL CHECK (status IN ('queued', 'sending', 'sent', 'failed', 'unknown')),
    problem      TEXT COLLATE "C" NOT NULL,
    attempts     BIGINT NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    updated_at   TIMESTAMPTZ NOT NULL,
    sent_at      TIMESTAMPTZ,
    marked_by    TEXT COLLATE "C" REFERENCES users (id)
);
CREATE UNIQUE INDEX deliveries_proposal ON deliveries (proposal_id);
CREATE INDEX deliveries_quotation ON deliveries (quotation_id, updated_at DESC, id DESC);
CREATE INDEX deliveries_updated ON deliveries (updated_at DESC, id DESC);
CREATE INDEX deliveries_under_way ON deliveries (updated_at) WHERE status IN ('queued', 'sending');

-- +goose Down

DROP TABLE deliveries;
