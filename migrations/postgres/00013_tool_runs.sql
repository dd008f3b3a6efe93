-- +goose Up

-- One row per call of a tool, written with its audit entry, and like that also for an actor who is nobody: how it ended and how
-- long it took, nothing of what was said.
CREATE TABLE tool_runs (
    id          TEXT COLLATE "C" PRIMARY KEY,
    tool        TEXT COLLATE "C" NOT NULL,
    user_id     TEXT COLLATE "C" NOT NULL,
    channel     TEXT COLLATE "C" NOT NULL,
    status      TEXT COLLATE "C" NOT NULL,
    started_at  TIMESTAMPTZ NOT NULL,
    duration_ms BIGINT NOT NULL
);
CREATE INDEX tool_runs_started ON tool_runs (started_at);
CREATE INDEX tool_runs_user ON tool_runs (user_id, started_at);

-- +goose Down

DROP TABLE tool_runs;
