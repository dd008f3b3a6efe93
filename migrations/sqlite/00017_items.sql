-- +goose Up

-- The records of a change of several, as a JSON array; NULL for a change of one.
ALTER TABLE proposals ADD COLUMN items TEXT;

-- Who may change several records at once. It takes the right to change each of them as well.
INSERT INTO role_permissions (role_slug, permission, scope) VALUES
    ('admin', 'deal:bulk', 'all'),
    ('manager', 'deal:bulk', 'team'),
    ('sales', 'deal:bulk', 'own');
UPDATE policy_state SET version = version + 1;

-- +goose Down

DELETE FROM role_permissions WHERE permission = 'deal:bulk';
UPDATE policy_state SET version = version + 1;
ALTER TABLE proposals DROP COLUMN items;
