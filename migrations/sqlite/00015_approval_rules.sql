-- +goose Up

-- What an administrator asks for beyond the tools' own confirmation. An empty tool or role means every one. threshold is in
-- minor units for an amount, in hundredths of a percent for a discount; expires_after and escalates_after are hours.
CREATE TABLE approval_rules (
    id              TEXT PRIMARY KEY,
    tool            TEXT NOT NULL,
    role            TEXT NOT NULL,
    metric          TEXT NOT NULL CHECK (metric IN ('', 'amount', 'discount', 'count')),
    threshold       INTEGER NOT NULL CHECK (threshold >= 0),
    currency        TEXT NOT NULL,
    effect          TEXT NOT NULL CHECK (effect IN ('confirm', 'approve')),
    approver_role   TEXT NOT NULL,
    expires_after   INTEGER NOT NULL,
    escalation_role TEXT NOT NULL,
    escalates_after INTEGER NOT NULL,
    version         INTEGER NOT NULL,
    created_at      DATETIME NOT NULL,
    updated_at      DATETIME NOT NULL,
    updated_by      TEXT NOT NULL,
    CHECK ((effect = 'approve') = (approver_role <> '')),
    CHECK ((escalation_role = '') = (escalates_after = 0))
);

-- Who must approve a proposal, by which rule and why; an empty role is nobody. The names are those of the time.
ALTER TABLE proposals ADD COLUMN approval_rule_id TEXT NOT NULL DEFAULT '';
ALTER TABLE proposals ADD COLUMN approver_role TEXT NOT NULL DEFAULT '';
ALTER TABLE proposals ADD COLUMN approval_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE proposals ADD COLUMN escalation_role TEXT NOT NULL DEFAULT '';
ALTER TABLE proposals ADD COLUMN escalates_at DATETIME;
ALTER TABLE proposals ADD COLUMN requester_name TEXT NOT NULL DEFAULT '';
ALTER TABLE proposals ADD COLUMN decider_name TEXT NOT NULL DEFAULT '';
CREATE INDEX proposals_approval ON proposals (approver_role) WHERE approver_role <> '';
CREATE INDEX proposals_escalation ON proposals (escalation_role) WHERE escalation_role <> '';

-- Who approved the change that somebody else asked for.
ALTER TABLE field_changes ADD COLUMN approver_id TEXT;
ALTER TABLE field_changes ADD COLUMN approver_name TEXT NOT NULL DEFAULT '';

INSERT INTO role_permissions (role_slug, permission, scope) VALUES
    ('admin', 'approval-rule:read', 'all'),
    ('admin', 'approval-rule:update', 'all');
UPDATE policy_state SET version = version + 1;

-- +goose Down

DELETE FROM role_permissions WHERE permission IN ('approval-rule:read', 'approval-rule:update');
UPDATE policy_state SET version = version + 1;
ALTER TABLE field_changes DROP COLUMN approver_name;
ALTER TABLE field_changes DROP COLUMN approver_id;
DROP INDEX proposals_escalation;
DROP INDEX proposals_approval;
ALTER TABLE proposals DROP COLUMN decider_name;
ALTER TABLE proposals DROP COLUMN requester_name;
ALTER TABLE proposals DROP COLUMN escalates_at;
ALTER TABLE proposals DROP COLUMN escalation_role;
ALTER TABLE proposals DROP COLUMN approval_reason;
ALTER TABLE proposals DROP COLUMN approver_role;
ALTER TABLE proposals DROP COLUMN approval_rule_id;
DROP TABLE approval_rules;
