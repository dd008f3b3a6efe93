package models

import "time"

// ConversationSummary is the assistant's own summary of a conversation up to a message, that one included. One that was
// carried over from another conversation stands before the first message, at 0. Told says that its person has been told
// of it.
type ConversationSummary struct {
	ConversationID string `gorm:"primaryKey"`
	UpToSeq        int64
	Text           string
	Model          string
	Told           bool
	CreatedAt      time.Time
}
