package models

import "time"

// RecordType names a kind of record in URLs, references, history and audit.
type RecordType string

// The record types.
const (
	TypeCompany      RecordType = "company"
	TypeContact      RecordType = "contact"
	TypeDeal         RecordType = "deal"
	TypeActivity     RecordType = "activity"
	TypeTask         RecordType = "task"
	TypeProduct      RecordType = "product"
	TypeQuotation    RecordType = "quotation"
	TypePipeline     RecordType = "pipeline"
	TypeStage        RecordType = "stage"
	TypePerson       RecordType = "person"
	TypeTeam         RecordType = "team"
	TypeProposal     RecordType = "proposal"
	TypeConversation RecordType = "conversation"
	TypeAIConfig     RecordType = "ai-config"
	TypeModelPrice   RecordType = "model-price"
	TypeBudget       RecordType = "budget"
	TypeApprovalRule RecordType = "approval-rule"
)

// Record is what all CRM records share. Version starts at 1 and goes up by exactly one per write of the
// record. A record with DeletedAt set is in the bin: invisible except to history and restore.
type Record struct {
	ID        string `gorm:"primaryKey"`
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
	DeletedAt *time.Time
	DeletedBy *string
}

// NewRecord returns the shared part of a record made at now.
func NewRecord(now time.Time) Record {
	return Record{ID: NewID(), Version: 1, CreatedAt: now, UpdatedAt: now}
}

// Ref points at a record by type, id and the name a person knows it by.
type Ref struct {
	Type RecordType `json:"type"`
	ID   string     `json:"id"`
	Name string     `json:"name"`
}

// RecordName is one name of a record as the resolver and search see it. NameKey is [FoldName] of Name;
// Position 0 is the main name, higher ones are other names. OwnerID and UpdatedAt are those of the record, the
// owner of a person being the person. Grams is what package store finds a part of NameKey by.
type RecordName struct {
	ID        int64 `gorm:"primaryKey"`
	Kind      RecordType
	RecordID  string
	Position  int
	Name      string
	NameKey   string
	OwnerID   *string
	UpdatedAt time.Time
	Grams     string
}

// FieldChange is one changed field of one write of a record: the field history.
// Before and After are JSON values; nil means that there was, or is, no value. Approver is who approved what the
// actor had asked for, where an approval rule demanded that.
type FieldChange struct {
	ID            string `gorm:"primaryKey"`
	RecordType    RecordType
	RecordID      string
	RecordVersion int64
	Field         string
	BeforeValue   JSON
	AfterValue    JSON
	At            time.Time
	ActorUserID   *string
	ActorName     string
	Via           Via
	Model         string
	Client        string
	ProposalID    *string
	ApproverID    *string
	ApproverName  string
}
