-- +goose Up
-- What the endpoint has taught of its requests, as JSON; empty when nothing.
ALTER TABLE ai_config ADD COLUMN learned TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE ai_config DROP COLUMN learned;
