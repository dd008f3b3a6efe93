package models

import "time"

// AIConfigID is the id of the one row that configures the model.
const AIConfigID = 1

// AIConfig configures the model. SealedKey is the API key as package secrets sealed it; empty when none is set.
type AIConfig struct {
	ID           int `gorm:"primaryKey"`
	Provider     string
	EndpointURL  string
	Model        string
	SealedKey    string
	SystemPrompt string
	MaxRounds    int
	// HoldBack is how many chunks of an answer are held back until it is clear that no tool call follows.
	HoldBack *int
	// Learned is JSON of what the endpoint has taught of its requests; empty when nothing.
	Learned string
	// ConversationTokens is after how many tokens a conversation takes no more questions; 0 is never. ShowCost lets
	// everybody see what answers cost, not only those who may read this configuration.
	ConversationTokens int64
	ShowCost           bool
	Version            int64
	UpdatedAt          time.Time `gorm:"autoUpdateTime:false"`
	UpdatedBy          string
}

// TableName implements GORM's Tabler.
func (AIConfig) TableName() string { return "ai_config" }
