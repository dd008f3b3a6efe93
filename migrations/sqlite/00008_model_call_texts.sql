-- +goose Up

-- What was said in a call, for those who inspect turns: JSON, masked and cut to length. Rows are removed when they are old.
CREATE TABLE model_call_texts (
    call_id    TEXT PRIMARY KEY REFERENCES model_calls (id),
    request    TEXT NOT NULL,
    answer     TEXT NOT NULL,
    created_at DATETIME NOT NULL
);
CREATE INDEX model_call_texts_created ON model_call_texts (created_at);
CREATE INDEX model_calls_turn ON model_calls (turn_id);
CREATE INDEX turns_started ON turns (started_at);

-- +goose Down

DROP INDEX turns_started;
DROP INDEX model_calls_turn;
DROP TABLE model_call_texts;
