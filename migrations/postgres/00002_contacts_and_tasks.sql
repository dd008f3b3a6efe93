-- +goose Up

-- People at companies, and what is to be done.

CREATE TABLE contacts (
    id         TEXT COLLATE "C" PRIMARY KEY,
    company_id TEXT COLLATE "C" REFERENCES companies (id),
    name       TEXT NOT NULL,
    job_title  TEXT NOT NULL,
    email      TEXT COLLATE "C" NOT NULL,
    phone      TEXT NOT NULL,
    whatsapp   TEXT COLLATE "C" NOT NULL,
    language   TEXT COLLATE "C" NOT NULL CHECK (language IN ('', 'en', 'zh-HK')),
    owner_id   TEXT COLLATE "C" NOT NULL REFERENCES users (id),
    version    BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    deleted_at TIMESTAMPTZ,
    deleted_by TEXT COLLATE "C"
);
CREATE INDEX contacts_updated ON contacts (updated_at DESC, id DESC);
CREATE INDEX contacts_owner ON contacts (owner_id, updated_at DESC, id DESC);
CREATE INDEX contacts_company ON contacts (company_id);
CREATE INDEX contacts_email ON contacts (email);

CREATE TABLE tasks (
    id          TEXT COLLATE "C" PRIMARY KEY,
    title       TEXT NOT NULL,
    due_at      TIMESTAMPTZ,
    assignee_id TEXT COLLATE "C" NOT NULL REFERENCES users (id),
    done_at     TIMESTAMPTZ,
    company_id  TEXT COLLATE "C" REFERENCES companies (id),
    deal_id     TEXT COLLATE "C" REFERENCES deals (id),
    contact_id  TEXT COLLATE "C" REFERENCES contacts (id),
    reminder_at TIMESTAMPTZ,
    version     BIGINT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    updated_at  TIMESTAMPTZ NOT NULL,
    deleted_at  TIMESTAMPTZ,
    deleted_by  TEXT COLLATE "C"
);
CREATE INDEX tasks_updated ON tasks (updated_at DESC, id DESC);
CREATE INDEX tasks_assignee ON tasks (assignee_id, due_at);
CREATE INDEX tasks_due ON tasks (due_at) WHERE done_at IS NULL AND deleted_at IS NULL;
CREATE INDEX tasks_company ON tasks (company_id);
CREATE INDEX tasks_deal ON tasks (deal_id);
CREATE INDEX tasks_contact ON tasks (contact_id);

-- What the system roles may do with them.

INSERT INTO role_permissions (role_slug, permission, scope) VALUES
    ('admin', 'contact:read', 'all'),
    ('admin', 'contact:create', 'all'),
    ('admin', 'contact:update', 'all'),
    ('admin', 'contact:delete', 'all'),
    ('admin', 'contact:restore', 'all'),
    ('admin', 'contact:assign', 'all'),
    ('admin', 'task:read', 'all'),
    ('admin', 'task:create', 'all'),
    ('admin', 'task:update', 'all'),
    ('admin', 'task:delete', 'all'),
    ('admin', 'task:restore', 'all'),
    ('manager', 'contact:read', 'team'),
    ('manager', 'contact:create', 'team'),
    ('manager', 'contact:update', 'team'),
    ('manager', 'contact:delete', 'team'),
    ('manager', 'contact:assign', 'team'),
    ('manager', 'task:read', 'team'),
    ('manager', 'task:create', 'team'),
    ('manager', 'task:update', 'team'),
    ('manager', 'task:delete', 'team'),
    ('sales', 'contact:read', 'own'),
    ('sales', 'contact:create', 'own'),
    ('sales', 'contact:update', 'own'),
    ('sales', 'contact:assign', 'own'),
    ('sales', 'task:read', 'own'),
    ('sales', 'task:create', 'own'),
    ('sales', 'task:update', 'own'),
    ('viewer', 'contact:read', 'all'),
    ('viewer', 'task:read', 'all');

UPDATE policy_state SET version = version + 1;

-- +goose Down

DELETE FROM role_permissions WHERE permission IN (
    'contact:read', 'contact:create', 'contact:update', 'contact:delete', 'contact:restore', 'contact:assign',
    'task:read', 'task:create', 'task:update', 'task:delete', 'task:restore'
);
UPDATE policy_state SET version = version + 1;
DELETE FROM record_names WHERE kind IN ('contact', 'task');
DROP TABLE tasks;
DROP TABLE contacts;
