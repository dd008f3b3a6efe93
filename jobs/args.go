package jobs

// Chore is a round of work that comes up at an interval, such as removing what is old. There is one of each name at a time.
type Chore struct {
	Name string `json:"name"`
}

// Kind implements Args.
func (Chore) Kind() string { return "chore" }

// Summarize has the model summarise a conversation up to a message, that one included, for the user whose it is and in
// whose turn it had outgrown what a model is shown.
type Summarize struct {
	ConversationID string `json:"conversationId" river:"unique"`
	UpToSeq        int64  `json:"upToSeq" river:"unique"`
	TurnID         string `json:"turnId"`
	UserID         string `json:"userId"`
}

// Kind implements Args.
func (Summarize) Kind() string { return "summarize" }

// Deliver sends a queued e-mail. Round tells apart the jobs of one that was left behind.
type Deliver struct {
	DeliveryID string `json:"deliveryId"`
	Round      int64  `json:"round"`
}

// Kind implements Args.
func (Deliver) Kind() string { return "deliver" }
