package store

// NameGrams lets a benchmark fill the table of names past the services.
var NameGrams = nameGrams

// What the tables of conversations hold.
type (
	FoldedConversation = foldedConversation
	FoldedMessage      = foldedMessage
)
