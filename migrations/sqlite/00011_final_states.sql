-- +goose Up

-- Nothing leaves a final state of a proposal, whatever the code does.
-- +goose StatementBegin
CREATE TRIGGER proposals_final BEFORE UPDATE ON proposals
WHEN old.status <> 'pending' AND new.status <> old.status
BEGIN
    SELECT RAISE(ABORT, 'a proposal does not leave its final state');
END;
-- +goose StatementEnd

-- +goose Down

DROP TRIGGER proposals_final;
