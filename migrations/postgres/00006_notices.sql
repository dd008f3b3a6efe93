-- +goose Up

-- The remarks of the server on a reply, as a JSON array.
ALTER TABLE messages ADD COLUMN notices TEXT;

-- +goose Down

ALTER TABLE messages DROP COLUMN notices;
