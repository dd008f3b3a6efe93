-- +goose Up

-- Until when an executed proposal can be undone; NULL when it cannot.
ALTER TABLE proposals ADD COLUMN undo_until TIMESTAMPTZ;
-- The executed proposal that this one takes back, and the one that has taken this one back.
ALTER TABLE proposals ADD COLUMN undoes_id TEXT COLLATE "C" REFERENCES proposals (id);
ALTER TABLE proposals ADD COLUMN undone_by_id TEXT COLLATE "C" REFERENCES proposals (id);

-- +goose Down

ALTER TABLE proposals DROP COLUMN undone_by_id;
ALTER TABLE proposals DROP COLUMN undoes_id;
ALTER TABLE proposals DROP COLUMN undo_until;
