-- +goose Up

-- Which record it was through which a conversation has read text that its person did not write.

ALTER TABLE conversations ADD COLUMN outside TEXT;

-- +goose Down

ALTER TABLE conversations DROP COLUMN outside;
