-- +goose Up

-- What conversations are found by: titles and messages as they are compared, in whatever case and width.
ALTER TABLE conversations ADD COLUMN search_key TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN search_key TEXT NOT NULL DEFAULT '';

-- Near enough for what was said before; every later write folds in full.
UPDATE conversations SET search_key = lower(title);
UPDATE messages SET search_key = lower(content);

-- +goose Down

ALTER TABLE messages DROP COLUMN search_key;
ALTER TABLE conversations DROP COLUMN search_key;
