-- +goose Up

-- One row per call of a tool, written with its audit entry, and like that also for an actor who is nobody: how it ended and how
-- long it took, nothing of what was said.
CREATE TABLE tool_runs (
    id          TEXT PRIMARY KEY,
    tool        TEXT NOT NULL,
    user_id     TEXT NOT NULL,
    channel     TEXT NOT NULL,
    status      TEXT NOT NULL,
    started_at  DATETIME NOT NULL,
    duration_ms INTEGER NOT NULL
);
CREATE INDEX tool_runs_started ON tool_runs (started_at);
CREATE INDEX tool_runs_user ON tool_runs (user_id, started_at);

-- +goose Down

DROP TABLE tool_runs;
