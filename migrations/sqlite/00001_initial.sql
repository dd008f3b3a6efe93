-- +goose Up

CREATE TABLE app_meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

-- People and rights ---------------------------------------------------------------------------------

CREATE TABLE roles (
    slug      TEXT PRIMARY KEY,
    name      TEXT NOT NULL,
    is_system BOOLEAN NOT NULL
);

CREATE TABLE role_permissions (
    role_slug  TEXT NOT NULL REFERENCES roles (slug),
    permission TEXT NOT NULL CHECK (permission <> ''),
    scope      TEXT NOT NULL CHECK (scope IN ('own', 'team', 'all')),
    PRIMARY KEY (role_slug, permission)
);

-- One row. version goes up with every change of a role; snapshots of the policy compare it.
CREATE TABLE policy_state (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL
);

CREATE TABLE teams (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    name_key   TEXT NOT NULL,
    manager_id TEXT,
    created_at DATETIME NOT NULL,
    updated_at DATETIME NOT NULL
);
CREATE UNIQUE INDEX teams_name_key ON teams (name_key);

CREATE TABLE users (
    id            TEXT PRIMARY KEY,
    email         TEXT NOT NULL,
    name          TEXT NOT NULL,
    name_key      TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    role          TEXT NOT NULL REFERENCES roles (slug),
    team_id       TEXT REFERENCES teams (id),
    lang          TEXT NOT NULL,
    disabled_at   DATETIME,
    version       INTEGER NOT NULL,
    created_at    DATETIME NOT NULL,
    updated_at    DATETIME NOT NULL
);
CREATE UNIQUE INDEX users_email ON users (email);
CREATE INDEX users_team ON users (team_id);
CREATE INDEX users_name_key ON users (name_key);

CREATE TABLE sessions (
    token_hash   TEXT PRIMARY KEY,
    user_id      TEXT NOT NULL REFERENCES users (id),
    created_at   DATETIME NOT NULL,
    last_seen_at DATETIME NOT NULL,
    expires_at   DATETIME NOT NULL,
    ip           TEXT NOT NULL,
    user_agent   TEXT NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expires ON sessions (expires_at);

-- CRM records ---------------------------------------------------------------------------------------

CREATE TABLE companies (
    id          TEXT PRIMARY KEY,
    external_id TEXT,
    name        TEXT NOT NULL,
    other_names TEXT NOT NULL,
    industry    TEXT NOT NULL,
    status      TEXT NOT NULL CHECK (status IN ('LEAD', 'ACTIVE', 'INACTIVE', 'CHURNED')),
    website     TEXT NOT NULL,
    phone       TEXT NOT NULL,
    address     TEXT NOT NULL,
    parent_id   TEXT REFERENCES companies (id),
    owner_id    TEXT REFERENCES users (id),
    tags        TEXT NOT NULL,
    notes       TEXT NOT NULL,
    version     INTEGER NOT NULL,
    created_at  DATETIME NOT NULL,
    updated_at  DATETIME NOT NULL,
    deleted_at  DATETIME,
    deleted_by  TEXT
);
CREATE UNIQUE INDEX companies_external_id ON companies (external_id) WHERE external_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX companies_updated ON companies (updated_at DESC, id DESC);
CREATE INDEX companies_owner ON companies (owner_id, updated_at DESC, id DESC);
CREATE INDEX companies_parent ON companies (parent_id);

CREATE TABLE pipelines (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    position   INTEGER NOT NULL,
    created_at DATETIME NOT NULL,
    updated_at DATETIME NOT NULL
);

CREATE TABLE stages (
    id          TEXT PRIMARY KEY,
    pipeline_id TEXT NOT NULL REFERENCES pipelines (id),
    name        TEXT NOT NULL,
    other_names TEXT NOT NULL,
    kind        TEXT NOT NULL CHECK (kind IN ('OPEN', 'WON', 'LOST')),
    probability INTEGER NOT NULL CHECK (probability BETWEEN 0 AND 100),
    position    INTEGER NOT NULL
);
CREATE UNIQUE INDEX stages_pipeline_name ON stages (pipeline_id, name);

CREATE TABLE products (
    id          TEXT PRIMARY KEY,
    sku         TEXT NOT NULL,
    name        TEXT NOT NULL,
    other_names TEXT NOT NULL,
    unit        TEXT NOT NULL,
    price_e4    INTEGER,
    currency    TEXT,
    tax_rate_e4 INTEGER NOT NULL,
    active      BOOLEAN NOT NULL,
    version     INTEGER NOT NULL,
    created_at  DATETIME NOT NULL,
    updated_at  DATETIME NOT NULL,
    deleted_at  DATETIME,
    deleted_by  TEXT
);
CREATE UNIQUE INDEX products_sku ON products (sku) WHERE deleted_at IS NULL;

CREATE TABLE deals (
    id                  TEXT PRIMARY KEY,
    external_id         TEXT,
    title               TEXT NOT NULL,
    company_id          TEXT REFERENCES companies (id),
    product_id          TEXT REFERENCES products (id),
    pipeline_id         TEXT NOT NULL REFERENCES pipelines (id),
    stage_id            TEXT NOT NULL REFERENCES stages (id),
    amount_minor        INTEGER,
    currency            TEXT,
    opened_at           DATETIME,
    expected_close_date DATE,
    closed_at           DATETIME,
    owner_id            TEXT NOT NULL REFERENCES users (id),
    lost_reason         TEXT NOT NULL,
    version             INTEGER NOT NULL,
    created_at          DATETIME NOT NULL,
    updated_at          DATETIME NOT NULL,
    deleted_at          DATETIME,
    deleted_by          TEXT,
    CHECK ((amount_minor IS NULL) = (currency IS NULL))
);
CREATE UNIQUE INDEX deals_external_id ON deals (external_id) WHERE external_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX deals_updated ON deals (updated_at DESC, id DESC);
CREATE INDEX deals_owner ON deals (owner_id, updated_at DESC, id DESC);
CREATE INDEX deals_company ON deals (company_id);
CREATE INDEX deals_stage ON deals (stage_id);

CREATE TABLE activities (
    id         TEXT PRIMARY KEY,
    kind       TEXT NOT NULL CHECK (kind IN ('CALL', 'MEETING', 'EMAIL', 'NOTE', 'WHATSAPP', 'SYSTEM', 'ASSISTANT')),
    subject    TEXT NOT NULL,
    body       TEXT NOT NULL,
    at         DATETIME NOT NULL,
    company_id TEXT REFERENCES companies (id),
    deal_id    TEXT REFERENCES deals (id),
    owner_id   TEXT NOT NULL REFERENCES users (id),
    version    INTEGER NOT NULL,
    created_at DATETIME NOT NULL,
    updated_at DATETIME NOT NULL,
    deleted_at DATETIME,
    deleted_by TEXT
);
CREATE INDEX activities_updated ON activities (updated_at DESC, id DESC);
CREATE INDEX activities_company ON activities (company_id, at DESC);
CREATE INDEX activities_deal ON activities (deal_id, at DESC);
CREATE INDEX activities_owner ON activities (owner_id);

-- Every name that a record goes by, folded: what resolving and searching read. owner_id and updated_at are those of
-- the record, so that a search is decided in this table alone; grams are the pieces of name_key that an index finds.
CREATE TABLE record_names (
    id         INTEGER PRIMARY KEY,
    kind       TEXT NOT NULL,
    record_id  TEXT NOT NULL,
    position   INTEGER NOT NULL,
    name       TEXT NOT NULL,
    name_key   TEXT NOT NULL,
    owner_id   TEXT,
    updated_at DATETIME NOT NULL,
    grams      TEXT NOT NULL
);
CREATE UNIQUE INDEX record_names_record ON record_names (kind, record_id, position);
CREATE INDEX record_names_key ON record_names (kind, name_key, updated_at, record_id, owner_id);
CREATE INDEX record_names_recent ON record_names (kind, updated_at DESC, record_id, name_key, owner_id);
-- +goose StatementBegin
CREATE VIRTUAL TABLE record_grams USING fts5 (grams, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii tokenchars _');
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER record_names_insert AFTER INSERT ON record_names BEGIN
    INSERT INTO record_grams (rowid, grams) VALUES (new.id, new.grams);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER record_names_delete AFTER DELETE ON record_names BEGIN
    DELETE FROM record_grams WHERE rowid = old.id;
END;
-- +goose StatementEnd

CREATE TABLE field_changes (
    id             TEXT PRIMARY KEY,
    record_type    TEXT NOT NULL,
    record_id      TEXT NOT NULL,
    record_version INTEGER NOT NULL,
    field          TEXT NOT NULL,
    before_value   TEXT,
    after_value    TEXT,
    at             DATETIME NOT NULL,
    actor_user_id  TEXT,
    actor_name     TEXT NOT NULL,
    via            TEXT NOT NULL,
    model          TEXT NOT NULL,
    client         TEXT NOT NULL,
    proposal_id    TEXT
);
CREATE INDEX field_changes_record ON field_changes (record_type, record_id, id);

-- The assistant -------------------------------------------------------------------------------------

CREATE TABLE conversations (
    id         TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES users (id),
    channel    TEXT NOT NULL,
    title      TEXT NOT NULL,
    created_at DATETIME NOT NULL,
    updated_at DATETIME NOT NULL,
    deleted_at DATETIME
);
CREATE INDEX conversations_user ON conversations (user_id, updated_at DESC, id DESC);

CREATE TABLE turns (
    id               TEXT PRIMARY KEY,
    conversation_id  TEXT NOT NULL REFERENCES conversations (id),
    user_id          TEXT NOT NULL REFERENCES users (id),
    user_message_id  TEXT NOT NULL,
    reply_message_id TEXT NOT NULL,
    status           TEXT NOT NULL CHECK (status IN ('running', 'done', 'failed', 'stopped')),
    reason           TEXT NOT NULL,
    code             TEXT NOT NULL,
    fence            INTEGER NOT NULL,
    started_at       DATETIME NOT NULL,
    ended_at         DATETIME
);
CREATE INDEX turns_conversation ON turns (conversation_id);
CREATE INDEX turns_running ON turns (started_at) WHERE status = 'running';

CREATE TABLE messages (
    id              TEXT PRIMARY KEY,
    conversation_id TEXT NOT NULL REFERENCES conversations (id),
    seq             INTEGER NOT NULL,
    turn_id         TEXT,
    role            TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
    content         TEXT NOT NULL,
    status          TEXT NOT NULL CHECK (status IN ('running', 'complete', 'stopped', 'failed')),
    tool_calls      TEXT,
    refs            TEXT,
    created_at      DATETIME NOT NULL,
    updated_at      DATETIME NOT NULL
);
CREATE UNIQUE INDEX messages_seq ON messages (conversation_id, seq);

CREATE TABLE proposals (
    id              TEXT PRIMARY KEY,
    status          TEXT NOT NULL CHECK (status IN ('pending', 'executed', 'failed', 'cancelled', 'expired', 'stale', 'superseded')),
    tool            TEXT NOT NULL,
    title           TEXT NOT NULL,
    target_type     TEXT NOT NULL,
    target_id       TEXT NOT NULL,
    target_name     TEXT NOT NULL,
    target_version  INTEGER NOT NULL,
    args            TEXT NOT NULL,
    digest          TEXT NOT NULL,
    changes         TEXT NOT NULL,
    warnings        TEXT NOT NULL,
    reason          TEXT NOT NULL,
    requested_by    TEXT NOT NULL REFERENCES users (id),
    conversation_id TEXT REFERENCES conversations (id),
    turn_id         TEXT,
    call_id         TEXT NOT NULL,
    channel         TEXT NOT NULL,
    via             TEXT NOT NULL,
    model           TEXT NOT NULL,
    client          TEXT NOT NULL,
    created_at      DATETIME NOT NULL,
    expires_at      DATETIME NOT NULL,
    decided_by      TEXT,
    decided_at      DATETIME,
    decision_reason TEXT NOT NULL,
    outcome         TEXT,
    changed_since   TEXT,
    fresh_id        TEXT REFERENCES proposals (id)
);
CREATE UNIQUE INDEX proposals_one_open ON proposals (requested_by, tool, target_type, target_id) WHERE status = 'pending';
CREATE INDEX proposals_user ON proposals (requested_by, created_at DESC, id DESC);
CREATE INDEX proposals_conversation ON proposals (conversation_id);
CREATE INDEX proposals_expiry ON proposals (expires_at) WHERE status = 'pending';

CREATE TABLE ai_config (
    id            INTEGER PRIMARY KEY CHECK (id = 1),
    provider      TEXT NOT NULL,
    endpoint_url  TEXT NOT NULL,
    model         TEXT NOT NULL,
    sealed_key    TEXT NOT NULL,
    system_prompt TEXT NOT NULL,
    max_rounds    INTEGER NOT NULL CHECK (max_rounds BETWEEN 1 AND 20),
    version       INTEGER NOT NULL,
    updated_at    DATETIME NOT NULL,
    updated_by    TEXT NOT NULL
);

-- Answers of POST requests by Idempotency-Key; status 0 while the first one is still being answered.
CREATE TABLE idempotency_keys (
    user_id      TEXT NOT NULL REFERENCES users (id),
    key          TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    status       INTEGER NOT NULL,
    content_type TEXT NOT NULL,
    body         TEXT NOT NULL,
    created_at   DATETIME NOT NULL,
    PRIMARY KEY (user_id, key)
);

-- The record ----------------------------------------------------------------------------------------

CREATE TABLE audit_entries (
    id          TEXT PRIMARY KEY,
    seq         INTEGER,
    at          DATETIME NOT NULL,
    actor_id    TEXT,
    actor_name  TEXT NOT NULL,
    via         TEXT NOT NULL,
    model       TEXT NOT NULL,
    client      TEXT NOT NULL,
    ip          TEXT NOT NULL,
    user_agent  TEXT NOT NULL,
    request_id  TEXT NOT NULL,
    action      TEXT NOT NULL,
    target_type TEXT NOT NULL,
    target_id   TEXT NOT NULL,
    decision    TEXT NOT NULL CHECK (decision IN ('allowed', 'denied', 'proposed', 'failed')),
    reason      TEXT NOT NULL,
    detail      TEXT,
    prev_hash   TEXT NOT NULL,
    hash        TEXT NOT NULL
);
CREATE UNIQUE INDEX audit_entries_seq ON audit_entries (seq);
CREATE INDEX audit_entries_unsealed ON audit_entries (id) WHERE seq IS NULL;
CREATE INDEX audit_entries_at ON audit_entries (at DESC, id DESC);
CREATE INDEX audit_entries_target ON audit_entries (target_type, target_id);

-- Entries are appended and sealed once; nothing else may touch them.
-- +goose StatementBegin
CREATE TRIGGER audit_entries_no_update BEFORE UPDATE ON audit_entries
WHEN old.hash <> '' OR new.id <> old.id OR new.at <> old.at OR new.actor_id IS NOT old.actor_id OR new.actor_name <> old.actor_name
    OR new.via <> old.via OR new.model <> old.model OR new.client <> old.client OR new.ip <> old.ip
    OR new.user_agent <> old.user_agent OR new.request_id <> old.request_id OR new.action <> old.action
    OR new.target_type <> old.target_type OR new.target_id <> old.target_id OR new.decision <> old.decision
    OR new.reason <> old.reason OR new.detail IS NOT old.detail
BEGIN
    SELECT RAISE(ABORT, 'audit entries are append-only');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER audit_entries_no_delete BEFORE DELETE ON audit_entries
BEGIN
    SELECT RAISE(ABORT, 'audit entries are append-only');
END;
-- +goose StatementEnd


-- System roles ---------------------------------------------------------------------------------------

INSERT INTO policy_state (id, version) VALUES (1, 1);

INSERT INTO roles (slug, name, is_system) VALUES
    ('admin', 'Administrator', TRUE),
    ('manager', 'Manager', TRUE),
    ('sales', 'Sales', TRUE),
    ('viewer', 'Viewer', TRUE);

INSERT INTO role_permissions (role_slug, permission, scope) VALUES
    ('admin', 'company:read', 'all'),
    ('admin', 'company:create', 'all'),
    ('admin', 'company:update', 'all'),
    ('admin', 'company:delete', 'all'),
    ('admin', 'company:restore', 'all'),
    ('admin', 'company:assign', 'all'),
    ('admin', 'deal:read', 'all'),
    ('admin', 'deal:create', 'all'),
    ('admin', 'deal:update', 'all'),
    ('admin', 'deal:delete', 'all'),
    ('admin', 'deal:restore', 'all'),
    ('admin', 'deal:assign', 'all'),
    ('admin', 'activity:read', 'all'),
    ('admin', 'activity:create', 'all'),
    ('admin', 'activity:update', 'all'),
    ('admin', 'activity:delete', 'all'),
    ('admin', 'activity:restore', 'all'),
    ('admin', 'product:read', 'all'),
    ('admin', 'pipeline:read', 'all'),
    ('admin', 'user:read', 'all'),
    ('admin', 'contact:pii', 'all'),
    ('admin', 'assistant:use', 'all'),
    ('admin', 'ai-config:read', 'all'),
    ('admin', 'ai-config:update', 'all'),
    ('admin', 'audit:read', 'all'),
    ('manager', 'company:read', 'team'),
    ('manager', 'company:create', 'team'),
    ('manager', 'company:update', 'team'),
    ('manager', 'company:delete', 'team'),
    ('manager', 'deal:read', 'team'),
    ('manager', 'deal:create', 'team'),
    ('manager', 'deal:update', 'team'),
    ('manager', 'deal:delete', 'team'),
    ('manager', 'activity:read', 'team'),
    ('manager', 'activity:create', 'team'),
    ('manager', 'activity:update', 'team'),
    ('manager', 'activity:delete', 'team'),
    ('manager', 'company:assign', 'team'),
    ('manager', 'deal:assign', 'team'),
    ('manager', 'product:read', 'all'),
    ('manager', 'pipeline:read', 'all'),
    ('manager', 'user:read', 'all'),
    ('manager', 'contact:pii', 'all'),
    ('manager', 'assistant:use', 'all'),
    ('sales', 'company:read', 'own'),
    ('sales', 'company:create', 'own'),
    ('sales', 'company:update', 'own'),
    ('sales', 'deal:read', 'own'),
    ('sales', 'deal:create', 'own'),
    ('sales', 'deal:update', 'own'),
    ('sales', 'activity:read', 'own'),
    ('sales', 'activity:create', 'own'),
    ('sales', 'activity:update', 'own'),
    ('sales', 'company:assign', 'own'),
    ('sales', 'deal:assign', 'own'),
    ('sales', 'contact:pii', 'own'),
    ('sales', 'product:read', 'all'),
    ('sales', 'pipeline:read', 'all'),
    ('sales', 'user:read', 'all'),
    ('sales', 'assistant:use', 'all'),
    ('viewer', 'company:read', 'all'),
    ('viewer', 'deal:read', 'all'),
    ('viewer', 'activity:read', 'all'),
    ('viewer', 'product:read', 'all'),
    ('viewer', 'pipeline:read', 'all'),
    ('viewer', 'user:read', 'all'),
    ('viewer', 'assistant:use', 'all');

-- +goose Down

DROP TABLE audit_entries;
DROP TABLE idempotency_keys;
DROP TABLE ai_config;
DROP TABLE proposals;
DROP TABLE messages;
DROP TABLE turns;
DROP TABLE conversations;
DROP TABLE field_changes;
-- +goose StatementBegin
DROP TABLE record_grams;
-- +goose StatementEnd
DROP TABLE record_names;
DROP TABLE activities;
DROP TABLE deals;
DROP TABLE products;
DROP TABLE stages;
DROP TABLE pipelines;
DROP TABLE companies;
DROP TABLE sessions;
DROP TABLE users;
DROP TABLE teams;
DROP TABLE policy_state;
DROP TABLE role_permissions;
DROP TABLE roles;
DROP TABLE app_meta;

