package models

import "time"

// CallTexts are what was said in a model call, masked and cut to length. They hold no key of an endpoint.
type CallTexts struct {
	Request CallRequest
	Answer  CallAnswer
}

// CallRequest is what a model was asked. Tools are the names of what it might call. Cut says that texts are missing.
type CallRequest struct {
	System     string        `json:"system"`
	Messages   []CallMessage `json:"messages"`
	Tools      []string      `json:"tools"`
	ToolChoice string        `json:"toolChoice,omitempty"`
	Cut        bool          `json:"cut,omitempty"`
}

// CallMessage is one message of the history that a model was shown. CallID names the call that a tool's message answers.
type CallMessage struct {
	Role   string     `json:"role" enum:"user,assistant,tool"`
	Text   string     `json:"text"`
	Calls  []SaidCall `json:"calls,omitempty"`
	CallID string     `json:"callId,omitempty"`
}

// CallAnswer is what a model answered, as far as it came. Finish is empty for an answer that did not end.
type CallAnswer struct {
	Text      string     `json:"text"`
	Calls     []SaidCall `json:"calls,omitempty"`
	Reasoning string     `json:"reasoning,omitempty"`
	Refusal   string     `json:"refusal,omitempty"`
	Finish    string     `json:"finish,omitempty"`
	Cut       bool       `json:"cut,omitempty"`
}

// SaidCall is a tool call in a model's words. Invalid says why it was not to run.
type SaidCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Invalid   string `json:"invalid,omitempty"`
}

// ModelCallText is the stored form of CallTexts.
type ModelCallText struct {
	CallID    string `gorm:"primaryKey"`
	Request   JSON
	Answer    JSON
	CreatedAt time.Time
}
