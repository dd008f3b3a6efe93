package models

import "time"

// Conversation is a thread of one user with the assistant on one channel. Outside holds a [Ref]: the record with
// which text came in that the user did not write; nil before any has.
type Conversation struct {
	ID        string `gorm:"primaryKey"`
	UserID    string
	Channel   Via
	Title     string
	Outside   JSON
	CreatedAt time.Time
	UpdatedAt time.Time
	DeletedAt *time.Time
}

// MessageRole says who speaks.
type MessageRole string

// The message roles.
const (
	RoleUser      MessageRole = "user"
	RoleAssistant MessageRole = "assistant"
)

// MessageStatus says whether a message is whole.
type MessageStatus string

// The message statuses.
const (
	MessageRunning  MessageStatus = "running"
	MessageComplete MessageStatus = "complete"
	MessageStopped  MessageStatus = "stopped"
	MessageFailed   MessageStatus = "failed"
)

// Message is one utterance. Seq orders the messages of a conversation; time stamps do not.
// ToolCalls holds a JSON array of [MadeCall], Refs one of [Ref], Notices one of [Notice].
type Message struct {
	ID             string `gorm:"primaryKey"`
	ConversationID string
	Seq            int64
	TurnID         *string
	Role           MessageRole
	Content        string
	Status         MessageStatus
	ToolCalls      JSON
	Refs           JSON
	Notices        JSON
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// ToolCallStatus says how a tool call ended.
type ToolCallStatus string

// The tool call statuses.
const (
	CallRunning  ToolCallStatus = "running"
	CallOK       ToolCallStatus = "ok"
	CallFailed   ToolCallStatus = "failed"
	CallDenied   ToolCallStatus = "denied"
	CallStopped  ToolCallStatus = "stopped"
	CallProposed ToolCallStatus = "proposed"
)

// ToolCall is a call as it was made and how it ended. Args and Result are what the person may see.
type ToolCall struct {
	CallID  string         `json:"callId"`
	Name    string         `json:"name"`
	Label   string         `json:"label"`
	Args    JSON           `json:"args"`
	Status  ToolCallStatus `json:"status" enum:"running,ok,failed,denied,stopped,proposed"`
	Summary string         `json:"summary"`
	Result  JSON           `json:"result,omitempty"`
	Error   JSON           `json:"error,omitempty"`
	MS      int64          `json:"ms"`
}

// MadeCall is a tool call as it is stored. Made are the arguments that ran, byte for byte: only the model that acts for
// the person reads them again. Sighted says that the model could see personal data when it made the call. Calls that are
// older than these two members have no Made.
type MadeCall struct {
	ToolCall
	Made    string `json:"made,omitempty"`
	Sighted bool   `json:"sighted,omitempty"`
}

// Notice is a remark of the server on a reply.
type Notice struct {
	Code string `json:"code"`
	Text string `json:"text"`
	// Marks are the places of the reply that it is about.
	Marks []Mark `json:"marks,omitempty"`
}

// Mark is a place in the text of a reply. Start and End count its characters (Unicode code points).
type Mark struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Text  string `json:"text"`
}

// TurnStatus says where a turn stands.
type TurnStatus string

// The turn statuses.
const (
	TurnRunning TurnStatus = "running"
	TurnDone    TurnStatus = "done"
	TurnFailed  TurnStatus = "failed"
	TurnStopped TurnStatus = "stopped"
)

// Turn is the work that one message of a user started. Reason is the reason of the terminal event,
// Code the error code when it failed. Fence is the token of the lock under which it ran.
type Turn struct {
	ID             string `gorm:"primaryKey"`
	ConversationID string
	UserID         string
	UserMessageID  string
	ReplyMessageID string
	Status         TurnStatus
	Reason         string
	Code           string
	Fence          int64
	StartedAt      time.Time
	EndedAt        *time.Time
}
