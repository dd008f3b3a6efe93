-- +goose Up

-- What the models are used for, what that costs, and how much of it is allowed.

-- A price is per million tokens, in millionths of its currency. It counts from starts_at until the next one of its model.
CREATE TABLE model_prices (
    id         TEXT PRIMARY KEY,
    provider   TEXT NOT NULL,
    model      TEXT NOT NULL,
    starts_at  DATETIME NOT NULL,
    input_e6   INTEGER NOT NULL CHECK (input_e6 >= 0),
    output_e6  INTEGER NOT NULL CHECK (output_e6 >= 0),
    cached_e6  INTEGER NOT NULL CHECK (cached_e6 >= 0),
    currency   TEXT NOT NULL CHECK (currency <> ''),
    created_at DATETIME NOT NULL,
    created_by TEXT NOT NULL
);
CREATE UNIQUE INDEX model_prices_start ON model_prices (provider, model, starts_at);

-- One row per attempt to call a model, written when it has ended. NULL is unknown, which is not zero.
CREATE TABLE model_calls (
    id                TEXT PRIMARY KEY,
    turn_id           TEXT NOT NULL REFERENCES turns (id),
    conversation_id   TEXT NOT NULL REFERENCES conversations (id),
    user_id           TEXT NOT NULL REFERENCES users (id),
    role              TEXT NOT NULL,
    channel           TEXT NOT NULL,
    provider          TEXT NOT NULL,
    model             TEXT NOT NULL,
    round             INTEGER NOT NULL,
    attempt           INTEGER NOT NULL,
    started_at        DATETIME NOT NULL,
    first_token_ms    INTEGER,
    duration_ms       INTEGER NOT NULL,
    prompt_tokens     INTEGER,
    completion_tokens INTEGER,
    cached_tokens     INTEGER,
    estimated         BOOLEAN NOT NULL,
    finish            TEXT NOT NULL,
    error_kind        TEXT NOT NULL,
    error_code        TEXT NOT NULL,
    price_id          TEXT REFERENCES model_prices (id),
    cost_e6           INTEGER,
    currency          TEXT
);
CREATE INDEX model_calls_started ON model_calls (started_at);
CREATE INDEX model_calls_user ON model_calls (user_id, started_at);
CREATE INDEX model_calls_conversation ON model_calls (conversation_id);

-- The sums of model_calls, written with each of them: budgets are checked against these. currency is empty for calls
-- whose cost is unknown.
CREATE TABLE usage_months (
    month             TEXT NOT NULL,
    user_id           TEXT NOT NULL REFERENCES users (id),
    role              TEXT NOT NULL,
    currency          TEXT NOT NULL,
    calls             INTEGER NOT NULL,
    prompt_tokens     INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    cost_e6           INTEGER NOT NULL,
    PRIMARY KEY (month, user_id, role, currency)
);

-- amount is a number of tokens, or millionths of the currency. A user budget without subject is for each user alone.
CREATE TABLE budgets (
    id         TEXT PRIMARY KEY,
    scope      TEXT NOT NULL CHECK (scope IN ('installation', 'role', 'user')),
    subject    TEXT NOT NULL,
    unit       TEXT NOT NULL CHECK (unit IN ('tokens', 'cost')),
    amount     INTEGER NOT NULL CHECK (amount > 0),
    currency   TEXT NOT NULL,
    updated_at DATETIME NOT NULL,
    updated_by TEXT NOT NULL
);
CREATE UNIQUE INDEX budgets_subject ON budgets (scope, subject, unit);

-- What calls that are under way may take. One that has expired belongs to a process that died.
CREATE TABLE budget_reservations (
    id         TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES users (id),
    role       TEXT NOT NULL,
    tokens     INTEGER NOT NULL,
    cost_e6    INTEGER NOT NULL,
    currency   TEXT NOT NULL,
    expires_at DATETIME NOT NULL
);

ALTER TABLE ai_config ADD COLUMN conversation_tokens INTEGER NOT NULL DEFAULT 50000 CHECK (conversation_tokens >= 0);
ALTER TABLE ai_config ADD COLUMN show_cost BOOLEAN NOT NULL DEFAULT FALSE;

-- Whoever may use the assistant may see what they have used.

INSERT INTO role_permissions (role_slug, permission, scope)
    SELECT role_slug, 'usage:read', CASE role_slug WHEN 'admin' THEN 'all' WHEN 'manager' THEN 'team' ELSE 'own' END
    FROM role_permissions WHERE permission = 'assistant:use';
UPDATE policy_state SET version = version + 1;

-- +goose Down

DELETE FROM role_permissions WHERE permission = 'usage:read';
UPDATE policy_state SET version = version + 1;
ALTER TABLE ai_config DROP COLUMN show_cost;
ALTER TABLE ai_config DROP COLUMN conversation_tokens;
DROP TABLE budget_reservations;
DROP TABLE budgets;
DROP TABLE usage_months;
DROP TABLE model_calls;
DROP TABLE model_prices;
