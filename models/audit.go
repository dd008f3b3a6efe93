package models

import "time"

// Decision says how an audited attempt ended.
type Decision string

// The decisions.
const (
	DecisionAllowed  Decision = "allowed"
	DecisionDenied   Decision = "denied"
	DecisionProposed Decision = "proposed"
	DecisionFailed   Decision = "failed"
)

// AuditEntry is one line of the record. It is written once, in the transaction of what it records;
// Seq, PrevHash and Hash are filled once by the sealer, which chains the entries.
type AuditEntry struct {
	ID         string `gorm:"primaryKey"`
	Seq        *int64
	At         time.Time
	ActorID    *string
	ActorName  string
	Via        Via
	Model      string
	Client     string
	IP         string
	UserAgent  string
	RequestID  string
	Action     string
	TargetType RecordType
	TargetID   string
	Decision   Decision
	Reason     string
	Detail     JSON
	PrevHash   string
	Hash       string
}
