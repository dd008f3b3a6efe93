-- +goose Up

-- The assistant's own summary of a conversation up to a message. told says that its person has been told of it.
CREATE TABLE conversation_summaries (
    conversation_id TEXT PRIMARY KEY REFERENCES conversations (id),
    up_to_seq       INTEGER NOT NULL,
    text            TEXT NOT NULL,
    model           TEXT NOT NULL,
    told            BOOLEAN NOT NULL,
    created_at      DATETIME NOT NULL
);

-- What a call was for: an answer, or a summary.
ALTER TABLE model_calls ADD COLUMN purpose TEXT NOT NULL DEFAULT 'answer';

-- +goose Down

ALTER TABLE model_calls DROP COLUMN purpose;
DROP TABLE conversation_summaries;
