-- +goose Up

-- Quotations with their lines, and the last number given out in each year.

CREATE TABLE quotation_numbers (
    year INTEGER PRIMARY KEY,
    last INTEGER NOT NULL
);

CREATE TABLE quotations (
    id                TEXT PRIMARY KEY,
    number            TEXT NOT NULL,
    revision          INTEGER NOT NULL,
    status            TEXT NOT NULL CHECK (status IN ('DRAFT', 'SENT', 'ACCEPTED', 'REJECTED', 'EXPIRED')),
    company_id        TEXT NOT NULL REFERENCES companies (id),
    contact_id        TEXT REFERENCES contacts (id),
    deal_id           TEXT REFERENCES deals (id),
    owner_id          TEXT NOT NULL REFERENCES users (id),
    valid_until       DATE,
    currency          TEXT NOT NULL,
    notes             TEXT NOT NULL,
    discount_rate_e4  INTEGER NOT NULL,
    discount_fixed_e4 INTEGER NOT NULL,
    subtotal_minor    INTEGER NOT NULL,
    discount_minor    INTEGER NOT NULL,
    tax_minor         INTEGER NOT NULL,
    total_minor       INTEGER NOT NULL,
    sent_at           DATETIME,
    decided_at        DATETIME,
    superseded_at     DATETIME,
    version           INTEGER NOT NULL,
    created_at        DATETIME NOT NULL,
    updated_at        DATETIME NOT NULL,
    deleted_at        DATETIME,
    deleted_by        TEXT
);
CREATE UNIQUE INDEX quotations_revision ON quotations (number, revision);
CREATE UNIQUE INDEX quotations_draft ON quotations (number) WHERE status = 'DRAFT' AND deleted_at IS NULL;
CREATE INDEX quotations_updated ON quotations (updated_at DESC, id DESC);
CREATE INDEX quotations_owner ON quotations (owner_id, updated_at DESC, id DESC);
CREATE INDEX quotations_company ON quotations (company_id);
CREATE INDEX quotations_contact ON quotations (contact_id);
CREATE INDEX quotations_deal ON quotations (deal_id);

CREATE TABLE quotation_items (
    quotation_id      TEXT NOT NULL REFERENCES quotations (id),
    position          INTEGER NOT NULL,
    product_id        TEXT REFERENCES products (id),
    sku               TEXT NOT NULL,
    name              TEXT NOT NULL,
    unit              TEXT NOT NULL,
    quantity_e4       INTEGER NOT NULL,
    price_e4          INTEGER NOT NULL,
    discount_rate_e4  INTEGER NOT NULL,
    discount_fixed_e4 INTEGER NOT NULL,
    tax_rate_e4       INTEGER NOT NULL,
    net_minor         INTEGER NOT NULL,
    tax_minor         INTEGER NOT NULL,
    PRIMARY KEY (quotation_id, position)
);
CREATE INDEX quotation_items_product ON quotation_items (product_id);

ALTER TABLE activities ADD COLUMN quotation_id TEXT REFERENCES quotations (id);
CREATE INDEX activities_quotation ON activities (quotation_id, at DESC);

-- What the system roles may do with them.

INSERT INTO role_permissions (role_slug, permission, scope) VALUES
    ('admin', 'quotation:read', 'all'),
    ('admin', 'quotation:create', 'all'),
    ('admin', 'quotation:update', 'all'),
    ('admin', 'quotation:delete', 'all'),
    ('admin', 'quotation:restore', 'all'),
    ('admin', 'quotation:assign', 'all'),
    ('admin', 'quotation:send', 'all'),
    ('manager', 'quotation:read', 'team'),
    ('manager', 'quotation:create', 'team'),
    ('manager', 'quotation:update', 'team'),
    ('manager', 'quotation:delete', 'team'),
    ('manager', 'quotation:assign', 'team'),
    ('manager', 'quotation:send', 'team'),
    ('sales', 'quotation:read', 'own'),
    ('sales', 'quotation:create', 'own'),
    ('sales', 'quotation:update', 'own'),
    ('sales', 'quotation:delete', 'own'),
    ('sales', 'quotation:assign', 'own'),
    ('sales', 'quotation:send', 'own'),
    ('viewer', 'quotation:read', 'all');

UPDATE policy_state SET version = version + 1;

-- +goose Down

DELETE FROM role_permissions WHERE permission IN (
    'quotation:read', 'quotation:create', 'quotation:update', 'quotation:delete', 'quotation:restore', 'quotation:assign',
    'quotation:send'
);
UPDATE policy_state SET version = version + 1;
DELETE FROM record_names WHERE kind = 'quotation';
DROP INDEX activities_quotation;
ALTER TABLE activities DROP COLUMN quotation_id;
DROP TABLE quotation_items;
DROP TABLE quotations;
DROP TABLE quotation_numbers;
