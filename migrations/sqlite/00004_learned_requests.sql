-- +goose Up
-- What the endpoint has taught of its requests, as JSON; empty when nothing.
ALTER TABLE ai_config ADD COLUMN learned TEXT NOT NULL DEFAULT '';
-- How many chunks of an answer are held back; NULL leaves it to what was learned.
ALTER TABLE ai_config ADD COLUMN hold_back INTEGER CHECK (hold_back BETWEEN 0 AND 20);

-- +goose Down
ALTER TABLE ai_config DROP COLUMN hold_back;
ALTER TABLE ai_config DROP COLUMN learned;
