package resolve

import (
	"context"

	"countersign/apperr"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

const (
	// MaxRunes bounds the text of a Query.
	MaxRunes = 300
	// MaxCandidates bounds how many records an answer names.
	MaxCandidates = 20
)

// CodeAmbiguous is the code of an error of kind Ambiguous: several records go by the name.
const CodeAmbiguous = "AMBIGUOUS"

// How says by what a record was found.
type How string

// The ways to find a record. "me" is the exact name of the current user.
const (
	HowNone     How = "none"
	HowID       How = "id"
	HowEmail    How = "email"
	HowExact    How = "exact"
	HowContains How = "contains"
)

// Query asks for one record of a kind by ID or name.
type Query struct {
	Kind models.RecordType
	Text string
	// Parent is the ID of the pipeline that a stage is looked for in; empty for all pipelines.
	Parent string
	// ForWrite makes several hits an error instead of taking the best one.
	ForWrite bool
}

// Match is the record that a Query means.
type Match struct {
	Ref    models.Ref
	How    How
	Detail string
}

// Result is the answer to a Query that someone still chooses from. Match is nil when the text hit nothing, and
// for a write when it hit several; Message then says so. Candidates are all hits when there are several, at
// most MaxCandidates, or else the nearest names.
type Result struct {
	Match      *apperr.Candidate  `json:"match,omitempty"`
	How        How                `json:"how" enum:"none,id,email,exact,contains"`
	Candidates []apperr.Candidate `json:"candidates"`
	Message    string             `json:"message,omitempty"`
}

// Authorizer grants the rights to read; audit.Gate implements it.
type Authorizer interface {
	// Authorize returns the Grant of a permission, or records the refusal and returns it.
	Authorize(ctx context.Context, actor models.Actor, p rbac.Permission) (rbac.Grant, error)
	// Try returns the zero Grant of a permission that the actor does not hold.
	Try(ctx context.Context, actor models.Actor, p rbac.Permission) (rbac.Grant, error)
}

// Resolver finds records by ID or name. It is safe for concurrent use.
type Resolver struct {
	runner store.Runner
	gate   Authorizer
}

// New returns a Resolver that reads through runner and authorizes through gate.
func New(runner store.Runner, gate Authorizer) *Resolver {
	return &Resolver{runner: runner, gate: gate}
}

// Resolve returns the one record that a Query means. It needs the right to read records of the kind. Messages
// are in the actor's language. Errors: Invalid for a text that is empty or too long and for a kind without names;
// NotFound, and for a write Ambiguous, both with candidates; those of Authorizer. A record outside the
// actor's scope is not found, in the same words as one that never was.
func (r *Resolver) Resolve(ctx context.Context, actor models.Actor, q Query) (Match, error) {
	s, err := r.search(ctx, actor, q)
	if err != nil {
		return Match{}, err
	}
	if hit := s.decide(); hit != nil {
		return Match{Ref: models.Ref{Type: q.Kind, ID: hit.RecordID, Name: hit.Name}, How: s.how, Detail: hit.Detail}, nil
	}
	candidates, err := r.candidates(ctx, actor, s)
	if err != nil {
		return Match{}, err
	}
	refusal := apperr.New(apperr.NotFound, "NOT_FOUND", s.message(candidates))
	if s.how != HowNone {
		refusal = apperr.New(apperr.Ambiguous, CodeAmbiguous, s.message(candidates))
	}
	refusal.Candidates = candidates
	return Match{}, refusal
}

// Lookup is Resolve for someone who chooses: finding nothing or several records is an answer and no error.
// Its other errors are those of Resolve.
func (r *Resolver) Lookup(ctx context.Context, actor models.Actor, q Query) (Result, error) {
	s, err := r.search(ctx, actor, q)
	if err != nil {
		return Result{}, err
	}
	result := Result{How: s.how, Candidates: []apperr.Candidate{}}
	hit := s.decide()
	if hit != nil {
		result.Match = &apperr.Candidate{Type: string(q.Kind), ID: hit.RecordID, Name: hit.Name, Detail: hit.Detail}
	}
	if len(s.hits) == 1 {
		return result, nil
	}
	if result.Candidates, err = r.candidates(ctx, actor, s); err != nil {
		return Result{}, err
	}
	if hit == nil {
		result.Message = s.message(result.Candidates)
	}
	return result, nil
}
