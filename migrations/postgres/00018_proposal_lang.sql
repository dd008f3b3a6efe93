-- +goose Up

-- The language in which a change was asked for: its requester is told of it in that one.
ALTER TABLE proposals ADD COLUMN lang TEXT COLLATE "C" NOT NULL DEFAULT 'en';
UPDATE proposals SET lang = (SELECT users.lang FROM users WHERE users.id = proposals.requested_by);

-- +goose Down

ALTER TABLE proposals DROP COLUMN lang;
