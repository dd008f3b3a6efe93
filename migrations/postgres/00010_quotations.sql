-- +goose Up

-- Quotations with their lines, and the last number given out in each year.

CREATE TABLE quotation_numbers (
    year BIGINT PRIMARY KEY,
    last BIGINT NOT NULL
);

CREATE TABLE quotations (
    id                TEXT COLLATE "C" PRIMARY KEY,
    number            TEXT COLLATE "C" NOT NULL,
    revision          BIGINT NOT NULL,
    status            TEXT COLLATE "C" NOT NULL CHECK (status IN ('DRAFT', 'SENT', 'ACCEPTED', 'REJECTED', 'EXPIRED')),
    company_id        TEXT COLLATE "C" NOT NULL REFERENCES companies (id),
    contact_id        TEXT COLLATE "C" REFERENCES contacts (id),
    deal_id           TEXT COLLATE "C" REFERENCES deals (id),
    owner_id          TEXT COLLATE "C" NOT NULL REFERENCES users (id),
    valid_until       DATE,
    currency          TEXT COLLATE "C" NOT NULL,
    notes             TEXT NOT NULL,
    discount_rate_e4  BIGINT NOT NULL,
    discount_fixed_e4 BIGINT NOT NULL,
    subtotal_minor    BIGINT NOT NULL,
    discount_minor    BIGINT NOT NULL,
    tax_minor         BIGINT NOT NULL,
    total_minor       BIGINT NOT NULL,
    sent_at           TIMESTAMPTZ,
    decided_at        TIMESTAMPTZ,
    superseded_at     TIMESTAMPTZ,
    version           BIGINT NOT NULL,
    created_at        TIMESTAMPTZ NOT NULL,
    updated_at        TIMESTAMPTZ NOT NULL,
    deleted_at        TIMESTAMPTZ,
    deleted_by        TEXT COLLATE "C"
);
CREATE UNIQUE INDEX quotations_revision ON quotations (number, revision);
CREATE UNIQUE INDEX quotations_draft ON quotations (number) WHERE status = 'DRAFT' AND deleted_at IS NULL;
CREATE INDEX quotations_updated ON quotations (updated_at DESC, id DESC);
CREATE INDEX quotations_owner ON quotations (owner_id, updated_at DESC, id DESC);
CREATE INDEX quotations_company ON quotations (company_id);
CREATE INDEX quotations_contact ON quotations (contact_id);
CREATE INDEX quotations_deal ON quotations (deal_id);

CREATE TABLE quotation_items (
    quotation_id      TEXT COLLATE "C" NOT NULL REFERENCES quotations (id),
    position          BIGINT NOT NULL,
    product_id        TEXT COLLATE "C" REFERENCES products (id),
    sku               TEXT COLLATE "C" NOT NULL,
    name              TEXT NOT NULL,
    unit              TEXT NOT NULL,
    quantity_e4       BIGINT NOT NULL,
    price_e4          BIGINT NOT NULL,
    discount_rate_e4  BIGINT NOT NULL,
    discount_fixed_e4 BIGINT NOT NULL,
    tax_rate_e4       BIGINT NOT NULL,
    net_minor         BIGINT NOT NULL,
    tax_minor         BIGINT NOT NULL,
    PRIMARY KEY (quotation_id, position)
);
CREATE INDEX quotation_items_product ON quotation_items (product_id);

ALTER TABLE activities ADD COLUMN quotation_id TEXT COLLATE "C" REFERENCES quotations (id);
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
