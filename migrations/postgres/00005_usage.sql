-- +goose Up

-- What the models are used for, what that costs, and how much of it is allowed.

-- A price is per million tokens, in millionths of its currency. It counts from starts_at until the next one of its model.
CREATE TABLE model_prices (
    id         TEXT COLLATE "C" PRIMARY KEY,
    provider   TEXT COLLATE "C" NOT NULL,
    model      TEXT COLLATE "C" NOT NULL,
    starts_at  TIMESTAMPTZ NOT NULL,
    input_e6   BIGINT NOT NULL CHECK (input_e6 >= 0),
    output_e6  BIGINT NOT NULL CHECK (output_e6 >= 0),
    cached_e6  BIGINT NOT NULL CHECK (cached_e6 >= 0),
    currency   TEXT COLLATE "C" NOT NULL CHECK (currency <> ''),
    created_at TIMESTAMPTZ NOT NULL,
    created_by TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX model_prices_start ON model_prices (provider, model, starts_at);

-- One row per attempt to call a model, written when it has ended. NULL is unknown, which is not zero.
CREATE TABLE model_calls (
    id                TEXT COLLATE "C" PRIMARY KEY,
    turn_id           TEXT COLLATE "C" NOT NULL REFERENCES turns (id),
    conversation_id   TEXT COLLATE "C" NOT NULL REFERENCES conversations (id),
    user_id           TEXT COLLATE "C" NOT NULL REFERENCES users (id),
    role              TEXT COLLATE "C" NOT NULL,
    channel           TEXT COLLATE "C" NOT NULL,
    provider          TEXT COLLATE "C" NOT NULL,
    model             TEXT COLLATE "C" NOT NULL,
    round             BIGINT NOT NULL,
    attempt           BIGINT NOT NULL,
    started_at        TIMESTAMPTZ NOT NULL,
    first_token_ms    BIGINT,
    duration_ms       BIGINT NOT NULL,
    prompt_tokens     BIGINT,
    completion_tokens BIGINT,
    cached_tokens     BIGINT,
    estimated         BOOLEAN NOT NULL,
    finish            TEXT COLLATE "C" NOT NULL,
    error_kind        TEXT COLLATE "C" NOT NULL,
    error_code        TEXT COLLATE "C" NOT NULL,
    price_id          TEXT COLLATE "C" REFERENCES model_prices (id),
    cost_e6           BIGINT,
    currency          TEXT COLLATE "C"
);
CREATE INDEX model_calls_started ON model_calls (started_at);
CREATE INDEX model_calls_user ON model_calls (user_id, started_at);
CREATE INDEX model_calls_conversation ON model_calls (conversation_id);

-- The sums of model_calls, written with each of them: budgets are checked against these. currency is empty for calls
-- whose cost is unknown.
CREATE TABLE usage_months (
    month             TEXT COLLATE "C" NOT NULL,
    user_id           TEXT COLLATE "C" NOT NULL REFERENCES users (id),
    role              TEXT COLLATE "C" NOT NULL,
    currency          TEXT COLLATE "C" NOT NULL,
    calls             BIGINT NOT NULL,
    prompt_tokens     BIGINT NOT NULL,
    completion_tokens BIGINT NOT NULL,
    cost_e6           BIGINT NOT NULL,
    PRIMARY KEY (month, user_id, role, currency)
);

-- amount is a number of tokens, or millionths of the currency. A user budget without subject is for each user alone.
CREATE TABLE budgets (
    id         TEXT COLLATE "C" PRIMARY KEY,
    scope      TEXT COLLATE "C" NOT NULL CHECK (scope IN ('installation', 'role', 'user')),
    subject    TEXT COLLATE "C" NOT NULL,
    unit       TEXT COLLATE "C" NOT NULL CHECK (unit IN ('tokens', 'cost')),
    amount     BIGINT NOT NULL CHECK (amount > 0),
    currency   TEXT COLLATE "C" NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    updated_by TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX budgets_subject ON budgets (scope, subject, unit);

-- What calls that are under way may take. One that has expired belongs to a process that died.
CREATE TABLE budget_reservations (
    id         TEXT COLLATE "C" PRIMARY KEY,
    user_id    TEXT COLLATE "C" NOT NULL REFERENCES users (id),
    role       TEXT COLLATE "C" NOT NULL,
    tokens     BIGINT NOT NULL,
    cost_e6    BIGINT NOT NULL,
    currency   TEXT COLLATE "C" NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL
);

ALTER TABLE ai_config ADD COLUMN conversation_tokens BIGINT NOT NULL DEFAULT 50000 CHECK (conversation_tokens >= 0);
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
