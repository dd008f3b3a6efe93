-- +goose Up

CREATE TABLE app_meta (
    key   TEXT COLLATE "C" PRIMARY KEY,
    value TEXT NOT NULL
);

-- People and rights ---------------------------------------------------------------------------------

CREATE TABLE roles (
    slug      TEXT COLLATE "C" PRIMARY KEY,
    name      TEXT NOT NULL,
    is_system BOOLEAN NOT NULL
);

CREATE TABLE role_permissions (
    role_slug  TEXT COLLATE "C" NOT NULL REFERENCES roles (slug),
    permission TEXT COLLATE "C" NOT NULL CHECK (permission <> ''),
    scope      TEXT NOT NULL CHECK (scope IN ('own', 'team', 'all')),
    PRIMARY KEY (role_slug, permission)
);

-- One row. version goes up with every change of a role; snapshots of the policy compare it.
CREATE TABLE policy_state (
    id      BIGINT PRIMARY KEY CHECK (id = 1),
    version BIGINT NOT NULL
);

CREATE TABLE teams (
    id         TEXT COLLATE "C" PRIMARY KEY,
    name       TEXT NOT NULL,
    name_key   TEXT COLLATE "C" NOT NULL,
    manager_id TEXT COLLATE "C",
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX teams_name_key ON teams (name_key);

CREATE TABLE users (
    id            TEXT COLLATE "C" PRIMARY KEY,
    email         TEXT COLLATE "C" NOT NULL,
    name          TEXT NOT NULL,
    name_key      TEXT COLLATE "C" NOT NULL,
    password_hash TEXT NOT NULL,
    role          TEXT COLLATE "C" NOT NULL REFERENCES roles (slug),
    team_id       TEXT COLLATE "C" REFERENCES teams (id),
    lang          TEXT NOT NULL,
    disabled_at   TIMESTAMPTZ,
    version       BIGINT NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL,
    updated_at    TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX users_email ON users (email);
CREATE INDEX users_team ON users (team_id);
CREATE INDEX users_name_key ON users (name_key);

CREATE TABLE sessions (
    token_hash   TEXT COLLATE "C" PRIMARY KEY,
    user_id      TEXT COLLATE "C" NOT NULL REFERENCES users (id),
    created_at   TIMESTAMPTZ NOT NULL,
    last_seen_at TIMESTAMPTZ NOT NULL,
    expires_at   TIMESTAMPTZ NOT NULL,
    ip           TEXT NOT NULL,
    user_agent   TEXT NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expires ON sessions (expires_at);

-- CRM records ---------------------------------------------------------------------------------------

CREATE TABLE companies (
    id          TEXT COLLATE "C" PRIMARY KEY,
    external_id TEXT COLLATE "C",
    name        TEXT NOT NULL,
    other_names TEXT NOT NULL,
    industry    TEXT NOT NULL,
    status      TEXT NOT NULL CHECK (status IN ('LEAD', 'ACTIVE', 'INACTIVE', 'CHURNED')),
    website     TEXT NOT NULL,
    phone       TEXT NOT NULL,
    address     TEXT NOT NULL,
    parent_id   TEXT COLLATE "C" REFERENCES companies (id),
    owner_id    TEXT COLLATE "C" REFERENCES users (id),
    tags        TEXT NOT NULL,
    notes       TEXT NOT NULL,
    version     BIGINT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    updated_at  TIMESTAMPTZ NOT NULL,
    deleted_at  TIMESTAMPTZ,
    deleted_by  TEXT COLLATE "C"
);
CREATE UNIQUE INDEX companies_external_id ON companies (external_id) WHERE external_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX companies_updated ON companies (updated_at DESC, id DESC);
CREATE INDEX companies_owner ON companies (owner_id, updated_at DESC, id DESC);
CREATE INDEX companies_parent ON companies (parent_id);

CREATE TABLE pipelines (
    id         TEXT COLLATE "C" PRIMARY KEY,
    name       TEXT NOT NULL,
    position   BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE stages (
    id          TEXT COLLATE "C" PRIMARY KEY,
    pipeline_id TEXT COLLATE "C" NOT NULL REFERENCES pipelines (id),
    name        TEXT NOT NULL,
    other_names TEXT NOT NULL,
    kind        TEXT COLLATE "C" NOT NULL CHECK (kind IN ('OPEN', 'WON', 'LOST')),
    probability BIGINT NOT NULL CHECK (probability BETWEEN 0 AND 100),
    position    BIGINT NOT NULL
);
CREATE UNIQUE INDEX stages_pipeline_name ON stages (pipeline_id, name);

CREATE TABLE products (
    id          TEXT COLLATE "C" PRIMARY KEY,
    sku         TEXT COLLATE "C" NOT NULL,
    name        TEXT NOT NULL,
    other_names TEXT NOT NULL,
    unit        TEXT NOT NULL,
    price_e4    BIGINT,
    currency    TEXT,
    tax_rate_e4 BIGINT NOT NULL,
    active      BOOLEAN NOT NULL,
    version     BIGINT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    updated_at  TIMESTAMPTZ NOT NULL,
    deleted_at  TIMESTAMPTZ,
    deleted_by  TEXT COLLATE "C"
);
CREATE UNIQUE INDEX products_sku ON products (sku) WHERE deleted_at IS NULL;

CREATE TABLE deals (
    id                  TEXT COLLATE "C" PRIMARY KEY,
    external_id         TEXT COLLATE "C",
    title               TEXT NOT NULL,
    company_id          TEXT COLLATE "C" REFERENCES companies (id),
    product_id          TEXT COLLATE "C" REFERENCES products (id),
    pipeline_id         TEXT COLLATE "C" NOT NULL REFERENCES pipelines (id),
    stage_id            TEXT COLLATE "C" NOT NULL REFERENCES stages (id),
    amount_minor        BIGINT,
    currency            TEXT,
    opened_at           TIMESTAMPTZ,
    expected_close_date DATE,
    closed_at           TIMESTAMPTZ,
    owner_id            TEXT COLLATE "C" NOT NULL REFERENCES users (id),
    lost_reason         TEXT NOT NULL,
    version             BIGINT NOT NULL,
    created_at          TIMESTAMPTZ NOT NULL,
    updated_at          TIMESTAMPTZ NOT NULL,
    deleted_at          TIMESTAMPTZ,
    deleted_by          TEXT COLLATE "C",
    CHECK ((amount_minor IS NULL) = (currency IS NULL))
);
CREATE UNIQUE INDEX deals_external_id ON deals (external_id) WHERE external_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX deals_updated ON deals (updated_at DESC, id DESC);
CREATE INDEX deals_owner ON deals (owner_id, updated_at DESC, id DESC);
CREATE INDEX deals_company ON deals (company_id);
CREATE INDEX deals_stage ON deals (stage_id);

CREATE TABLE activities (
    id         TEXT COLLATE "C" PRIMARY KEY,
    kind       TEXT COLLATE "C" NOT NULL CHECK (kind IN ('CALL', 'MEETING', 'EMAIL', 'NOTE', 'WHATSAPP', 'SYSTEM', 'ASSISTANT')),
    subject    TEXT NOT NULL,
    body       TEXT NOT NULL,
    at         TIMESTAMPTZ NOT NULL,
    company_id TEXT COLLATE "C" REFERENCES companies (id),
    deal_id    TEXT COLLATE "C" REFERENCES deals (id),
    owner_id   TEXT COLLATE "C" NOT NULL REFERENCES users (id),
    version    BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    deleted_at TIMESTAMPTZ,
    deleted_by TEXT COLLATE "C"
);
CREATE INDEX activities_updated ON activities (updated_at DESC, id DESC);
CREATE INDEX activities_company ON activities (company_id, at DESC);
CREATE INDEX activities_deal ON activities (deal_id, at DESC);
CREATE INDEX activities_owner ON activities (owner_id);

-- Every name that a record goes by, folded: what resolving and searching read. owner_id and updated_at are those of
-- the record, so that a search is decided in this table alone; grams are the pieces of name_key that an index finds.
CREATE TABLE record_names (
    id         BIGSERIAL PRIMARY KEY,
    kind       TEXT COLLATE "C" NOT NULL,
    record_id  TEXT COLLATE "C" NOT NULL,
    position   BIGINT NOT NULL,
    name       TEXT NOT NULL,
    name_key   TEXT COLLATE "C" NOT NULL,
    owner_id   TEXT COLLATE "C",
    updated_at TIMESTAMPTZ NOT NULL,
    grams      TEXT NOT NULL
);
CREATE UNIQUE INDEX record_names_record ON record_names (kind, record_id, position);
CREATE INDEX record_names_key ON record_names (kind, name_key, updated_at, record_id, owner_id);
CREATE INDEX record_names_recent ON record_names (kind, updated_at DESC, record_id, name_key, owner_id);
-- +goose StatementBegin
-- New names wait in a list, which every search reads: long enough to make writes cheap, short enough for searches.
CREATE INDEX record_names_grams ON record_names USING gin (string_to_array(grams, ' ')) WITH (gin_pending_list_limit = 256);
-- +goose StatementEnd

CREATE TABLE field_changes (
    id             TEXT COLLATE "C" PRIMARY KEY,
    record_type    TEXT NOT NULL,
    record_id      TEXT COLLATE "C" NOT NULL,
    record_version BIGINT NOT NULL,
    field          TEXT NOT NULL,
    before_value   TEXT,
    after_value    TEXT,
    at             TIMESTAMPTZ NOT NULL,
    actor_user_id  TEXT COLLATE "C",
    actor_name     TEXT NOT NULL,
    via            TEXT NOT NULL,
    model          TEXT NOT NULL,
    client         TEXT NOT NULL,
    proposal_id    TEXT COLLATE "C"
);
CREATE INDEX field_changes_record ON field_changes (record_type, record_id, id);

-- The assistant -------------------------------------------------------------------------------------

CREATE TABLE conversations (
    id         TEXT COLLATE "C" PRIMARY KEY,
    user_id    TEXT COLLATE "C" NOT NULL REFERENCES users (id),
    channel    TEXT NOT NULL,
    title      TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    deleted_at TIMESTAMPTZ
);
CREATE INDEX conversations_user ON conversations (user_id, updated_at DESC, id DESC);

CREATE TABLE turns (
    id               TEXT COLLATE "C" PRIMARY KEY,
    conversation_id  TEXT COLLATE "C" NOT NULL REFERENCES conversations (id),
    user_id          TEXT COLLATE "C" NOT NULL REFERENCES users (id),
    user_message_id  TEXT COLLATE "C" NOT NULL,
    reply_message_id TEXT COLLATE "C" NOT NULL,
    status           TEXT NOT NULL CHECK (status IN ('running', 'done', 'failed', 'stopped')),
    reason           TEXT NOT NULL,
    code             TEXT NOT NULL,
    fence            BIGINT NOT NULL,
    started_at       TIMESTAMPTZ NOT NULL,
    ended_at         TIMESTAMPTZ
);
CREATE INDEX turns_conversation ON turns (conversation_id);
CREATE INDEX turns_running ON turns (started_at) WHERE status = 'running';

CREATE TABLE messages (
    id              TEXT COLLATE "C" PRIMARY KEY,
    conversation_id TEXT COLLATE "C" NOT NULL REFERENCES conversations (id),
    seq             BIGINT NOT NULL,
    turn_id         TEXT COLLATE "C",
    role            TEXT COLLATE "C" NOT NULL CHECK (role IN ('user', 'assistant')),
    content         TEXT NOT NULL,
    status          TEXT NOT NULL CHECK (status IN ('running', 'complete', 'stopped', 'failed')),
    tool_calls      TEXT,
    refs            TEXT,
    created_at      TIMESTAMPTZ NOT NULL,
    updated_at      TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX messages_seq ON messages (conversation_id, seq);

CREATE TABLE proposals (
    id              TEXT COLLATE "C" PRIMARY KEY,
    status          TEXT NOT NULL CHECK (status IN ('pending', 'executed', 'failed', 'cancelled', 'expired', 'stale', 'superseded')),
    tool            TEXT NOT NULL,
    title           TEXT NOT NULL,
    target_type     TEXT NOT NULL,
    target_id       TEXT COLLATE "C" NOT NULL,
    target_name     TEXT NOT NULL,
    target_version  BIGINT NOT NULL,
    args            TEXT NOT NULL,
    digest          TEXT NOT NULL,
    changes         TEXT NOT NULL,
    warnings        TEXT NOT NULL,
    reason          TEXT NOT NULL,
    requested_by    TEXT COLLATE "C" NOT NULL REFERENCES users (id),
    conversation_id TEXT COLLATE "C" REFERENCES conversations (id),
    turn_id         TEXT COLLATE "C",
    call_id         TEXT COLLATE "C" NOT NULL,
    channel         TEXT NOT NULL,
    via             TEXT NOT NULL,
    model           TEXT NOT NULL,
    client          TEXT NOT NULL,
    created_at      TIMESTAMPTZ NOT NULL,
    expires_at      TIMESTAMPTZ NOT NULL,
    decided_by      TEXT COLLATE "C",
    decided_at      TIMESTAMPTZ,
    decision_reason TEXT NOT NULL,
    outcome         TEXT,
    changed_since   TEXT,
    fresh_id        TEXT COLLATE "C" REFERENCES proposals (id)
);
CREATE UNIQUE INDEX proposals_one_open ON proposals (requested_by, tool, target_type, target_id) WHERE status = 'pending';
CREATE INDEX proposals_user ON proposals (requested_by, created_at DESC, id DESC);
CREATE INDEX proposals_conversation ON proposals (conversation_id);
CREATE INDEX proposals_expiry ON proposals (expires_at) WHERE status = 'pending';

CREATE TABLE ai_config (
    id            BIGINT PRIMARY KEY CHECK (id = 1),
    provider      TEXT NOT NULL,
    endpoint_url  TEXT NOT NULL,
    model         TEXT NOT NULL,
    sealed_key    TEXT NOT NULL,
    system_prompt TEXT NOT NULL,
    max_rounds    BIGINT NOT NULL CHECK (max_rounds BETWEEN 1 AND 20),
    version       BIGINT NOT NULL,
    updated_at    TIMESTAMPTZ NOT NULL,
    updated_by    TEXT COLLATE "C" NOT NULL
);

-- Answers of POST requests by Idempotency-Key; status 0 while the first one is still being answered.
CREATE TABLE idempotency_keys (
    user_id      TEXT COLLATE "C" NOT NULL REFERENCES users (id),
    key          TEXT COLLATE "C" NOT NULL,
    request_hash TEXT COLLATE "C" NOT NULL,
    status       BIGINT NOT NULL,
    content_type TEXT NOT NULL,
    body         TEXT NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (user_id, key)
);

-- The record ----------------------------------------------------------------------------------------

CREATE TABLE audit_entries (
    id          TEXT COLLATE "C" PRIMARY KEY,
    seq         BIGINT,
    at          TIMESTAMPTZ NOT NULL,
    actor_id    TEXT COLLATE "C",
    actor_name  TEXT NOT NULL,
    via         TEXT NOT NULL,
    model       TEXT NOT NULL,
    client      TEXT NOT NULL,
    ip          TEXT NOT NULL,
    user_agent  TEXT NOT NULL,
    request_id  TEXT COLLATE "C" NOT NULL,
    action      TEXT NOT NULL,
    target_type TEXT NOT NULL,
    target_id   TEXT COLLATE "C" NOT NULL,
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
CREATE FUNCTION audit_entries_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND old.hash = ''
        AND (new.id, new.at, new.actor_name, new.via, new.model, new.client, new.ip, new.user_agent, new.request_id,
             new.action, new.target_type, new.target_id, new.decision, new.reason)
          = (old.id, old.at, old.actor_name, old.via, old.model, old.client, old.ip, old.user_agent, old.request_id,
             old.action, old.target_type, old.target_id, old.decision, old.reason)
        AND new.actor_id IS NOT DISTINCT FROM old.actor_id AND new.detail IS NOT DISTINCT FROM old.detail THEN
        RETURN new;
    END IF;
    RAISE EXCEPTION 'audit entries are append-only';
END;
$$;
-- +goose StatementEnd
CREATE TRIGGER audit_entries_append_only BEFORE UPDATE OR DELETE ON audit_entries
    FOR EACH ROW EXECUTE FUNCTION audit_entries_append_only();
CREATE TRIGGER audit_entries_no_truncate BEFORE TRUNCATE ON audit_entries
    FOR EACH STATEMENT EXECUTE FUNCTION audit_entries_append_only();


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
DROP FUNCTION audit_entries_append_only();

