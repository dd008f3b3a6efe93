-- +goose Up

-- Nothing leaves a final state of a proposal, whatever the code does.
-- +goose StatementBegin
CREATE FUNCTION proposals_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a proposal does not leave its final state';
END;
$$;
-- +goose StatementEnd
CREATE TRIGGER proposals_final BEFORE UPDATE ON proposals
    FOR EACH ROW WHEN (old.status <> 'pending' AND new.status <> old.status) EXECUTE FUNCTION proposals_final();

-- +goose Down

DROP TRIGGER proposals_final ON proposals;
DROP FUNCTION proposals_final();
