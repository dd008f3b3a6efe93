package models

import "time"

// StageKind says what a stage means for a deal in it.
type StageKind string

// The stage kinds.
const (
	StageOpen StageKind = "OPEN"
	StageWon  StageKind = "WON"
	StageLost StageKind = "LOST"
)

// Pipeline is an ordered set of stages that a deal goes through.
type Pipeline struct {
	ID        string `gorm:"primaryKey"`
	Name      string
	Position  int
	CreatedAt time.Time
	UpdatedAt time.Time
	Stages    []Stage `gorm:"-"`
}

// Stage is a step of a pipeline. Probability is the chance of winning in percent, 0 to 100.
// Names are unique within a pipeline only.
type Stage struct {
	ID          string `gorm:"primaryKey"`
	PipelineID  string
	Name        string
	OtherNames  Strings
	Kind        StageKind
	Probability int
	Position    int
}

// Names are all names that the stage goes by, the main one first.
func (s Stage) Names() []string { return append([]string{s.Name}, s.OtherNames...) }
