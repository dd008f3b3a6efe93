package seed

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"countersign/accounts"
	"countersign/audit"
	"countersign/models"
	"countersign/store"
)

// Options are what a loader works with. Runner, Gate, Accounts and Now are needed.
type Options struct {
	Runner   store.Runner
	Gate     *audit.Gate
	Accounts *accounts.Service
	Now      func() time.Time
	// Dir is the folder that [Maven] reads.
	Dir string
	// Password is the first password of everybody whom [Maven] adds. Without one they cannot sign in until one is set.
	Password string
}

func (o Options) validate() error {
	if o.Runner == nil || o.Gate == nil || o.Accounts == nil || o.Now == nil {
		return errors.New("seed: Runner, Gate, Accounts and Now are needed")
	}
	return nil
}

// importer is in whose name records are made.
func importer() models.Actor { return models.System("importer") }

// Report says what a loader has added and what was there already. Notes are sentences about how it read its files.
type Report struct {
	Teams, Users, Products, Companies, Contacts, Pipelines, Deals, Activities, Tasks, Quotations Count

	Notes []string
}

// Count counts records of one kind.
type Count struct{ New, Known int }

// Changed reports whether anything was added.
func (r Report) Changed() bool {
	for _, part := range r.parts() {
		if part.New > 0 {
			return true
		}
	}
	return false
}

// String is the report for the person at the console, a line for each kind of record and each note.
func (r Report) String() string {
	var b strings.Builder
	for _, part := range r.parts() {
		if part.New+part.Known > 0 {
			fmt.Fprintf(&b, "%s: %d new, %d there already\n", part.name, part.New, part.Known)
		}
	}
	for _, note := range r.Notes {
		b.WriteString(note + "\n")
	}
	return b.String()
}

// detail is the report for the audit record.
func (r Report) detail() map[string]int {
	added := map[string]int{}
	for _, part := range r.parts() {
		added[part.name] = part.New
	}
	return added
}

type part struct {
	name string
	Count
}

func (r Report) parts() []part {
	return []part{
		{"teams", r.Teams},
		{"users", r.Users},
		{"products", r.Products},
		{"companies", r.Companies},
		{"contacts", r.Contacts},
		{"pipelines", r.Pipelines},
		{"deals", r.Deals},
		{"activities", r.Activities},
		{"tasks", r.Tasks},
		{"quotations", r.Quotations},
	}
}
