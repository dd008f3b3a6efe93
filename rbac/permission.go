package rbac

import (
	"slices"
	"strings"
)

// Permission is "resource:action". Only declared ones are ever granted.
type Permission string

// The permissions of the product.
const (
	CompanyRead    Permission = "company:read"
	CompanyCreate  Permission = "company:create"
	CompanyUpdate  Permission = "company:update"
	CompanyDelete  Permission = "company:delete"
	CompanyRestore Permission = "company:restore"
	CompanyAssign  Permission = "company:assign"

	ContactRead    Permission = "contact:read"
	ContactCreate  Permission = "contact:create"
	ContactUpdate  Permission = "contact:update"
	ContactDelete  Permission = "contact:delete"
	ContactRestore Permission = "contact:restore"
	ContactAssign  Permission = "contact:assign"

	DealRead    Permission = "deal:read"
	DealCreate  Permission = "deal:create"
	DealUpdate  Permission = "deal:update"
	DealDelete  Permission = "deal:delete"
	DealRestore Permission = "deal:restore"
	DealAssign  Permission = "deal:assign"
	DealBulk    Permission = "deal:bulk"

	ActivityRead    Permission = "activity:read"
	ActivityCreate  Permission = "activity:create"
	ActivityUpdate  Permission = "activity:update"
	ActivityDelete  Permission = "activity:delete"
	ActivityRestore Permission = "activity:restore"

	TaskRead    Permission = "task:read"
	TaskCreate  Permission = "task:create"
	TaskUpdate  Permission = "task:update"
	TaskDelete  Permission = "task:delete"
	TaskRestore Permission = "task:restore"

	QuotationRead    Permission = "quotation:read"
	QuotationCreate  Permission = "quotation:create"
	QuotationUpdate  Permission = "quotation:update"
	QuotationDelete  Permission = "quotation:delete"
	QuotationRestore Permission = "quotation:restore"
	QuotationAssign  Permission = "quotation:assign"
	QuotationSend    Permission = "quotation:send"

	ProductRead    Permission = "product:read"
	PipelineRead   Permission = "pipeline:read"
	UserRead       Permission = "user:read"
	ContactPII     Permission = "contact:pii"
	AssistantUse   Permission = "assistant:use"
	AIConfigRead   Permission = "ai-config:read"
	AIConfigUpdate Permission = "ai-config:update"
	AuditRead      Permission = "audit:read"
	UsageRead      Permission = "usage:read"

	ApprovalRuleRead   Permission = "approval-rule:read"
	ApprovalRuleUpdate Permission = "approval-rule:update"
)

// Registry lists every declared permission. The drift check compares it with the stored policy.
func Registry() []Permission {
	return []Permission{
		CompanyRead, CompanyCreate, CompanyUpdate, CompanyDelete, CompanyRestore, CompanyAssign,
		ContactRead, ContactCreate, ContactUpdate, ContactDelete, ContactRestore, ContactAssign,
		DealRead, DealCreate, DealUpdate, DealDelete, DealRestore, DealAssign, DealBulk,
		ActivityRead, ActivityCreate, ActivityUpdate, ActivityDelete, ActivityRestore,
		TaskRead, TaskCreate, TaskUpdate, TaskDelete, TaskRestore,
		QuotationRead, QuotationCreate, QuotationUpdate, QuotationDelete, QuotationRestore, QuotationAssign, QuotationSend,
		ProductRead, PipelineRead, UserRead, ContactPII, AssistantUse, AIConfigRead, AIConfigUpdate, AuditRead, UsageRead,
		ApprovalRuleRead, ApprovalRuleUpdate,
	}
}

// Declared reports whether p is in the registry.
func (p Permission) Declared() bool { return slices.Contains(Registry(), p) }

// Resource is the part before the colon, Action the part after it.
func (p Permission) Resource() string { r, _, _ := strings.Cut(string(p), ":"); return r }

// Action is the part after the colon.
func (p Permission) Action() string { _, a, _ := strings.Cut(string(p), ":"); return a }

// Scope says over whose records a permission reaches. Wider scopes compare greater.
type Scope uint8

// The scopes. ScopeNone grants nothing.
const (
	ScopeNone Scope = iota
	ScopeOwn
	ScopeTeam
	ScopeAll
)

var scopeNames = [...]string{"none", "own", "team", "all"}

// String is the form stored in the database.
func (s Scope) String() string { return scopeNames[s] }

// ParseScope reads a stored scope; ScopeNone for anything unknown.
func ParseScope(s string) Scope {
	return Scope(max(0, slices.Index(scopeNames[:], s)))
}

// MarshalText implements encoding.TextMarshaler.
func (s Scope) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// systemActors are the named actors that work without a signed-in person, with the little they may do.
var systemActors = map[string][]Permission{
	// The importer loads a data set for the person at the server's console.
	"importer": {
		CompanyRead, CompanyCreate, CompanyAssign, ContactRead, ContactCreate, ContactAssign, DealRead, DealCreate, DealAssign,
		ActivityRead, ActivityCreate, TaskRead, TaskCreate, QuotationRead, QuotationCreate, ProductRead, PipelineRead, UserRead,
	},
}
