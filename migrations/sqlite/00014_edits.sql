-- +goose Up

-- The arguments that may be given other values before confirming, as a JSON array.
ALTER TABLE proposals ADD COLUMN editable TEXT;
-- What a person has put in place of the proposed arguments and changes, as JSON.
ALTER TABLE proposals ADD COLUMN edited_args TEXT;
ALTER TABLE proposals ADD COLUMN edited_changes TEXT;

-- +goose Down

ALTER TABLE proposals DROP COLUMN edited_changes;
ALTER TABLE proposals DROP COLUMN edited_args;
ALTER TABLE proposals DROP COLUMN editable;
