package crm

import (
	"context"
	"slices"
	"time"

	"countersign/apperr"
	"countersign/audit"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// Search finds records of all kinds by name.
type Search struct{ base }

// NewSearch returns the service.
func NewSearch(runner store.Runner, gate *audit.Gate, now func() time.Time) *Search {
	return &Search{newBase(runner, gate, now)}
}

// searchKinds are the kinds that a search covers, in the order in which their hits come.
var searchKinds = []struct {
	kind       models.RecordType
	permission rbac.Permission
}{
	{models.TypeCompany, rbac.CompanyRead},
	{models.TypeContact, rbac.ContactRead},
	{models.TypeDeal, rbac.DealRead},
	{models.TypeQuotation, rbac.QuotationRead},
	{models.TypeProduct, rbac.ProductRead},
	{models.TypePerson, rbac.UserRead},
}

// SearchResult holds the best hits of each kind, and how many records match in all.
type SearchResult struct {
	Hits  []store.NameHit
	Total int64
}

// Find returns up to limit hits per kind among the records that the actor sees. kinds narrows the kinds;
// empty means all. A limit that is not positive means [store.DefaultLimit], and [store.MaxLimit] is the
// highest. It needs a text that is not blank. Hits carry no e-mail addresses.
func (s *Search) Find(ctx context.Context, actor models.Actor, text string, kinds []models.RecordType, limit int) (*SearchResult, error) {
	key := models.FoldName(text)
	if key == "" {
		return nil, apperr.InvalidField("q", "Give a name, or a part of one, to search for.")
	}
	if limit <= 0 {
		limit = store.DefaultLimit
	}
	result := &SearchResult{}
	for _, k := range searchKinds {
		grant, err := s.gate.Try(ctx, actor, k.permission)
		if err != nil {
			return nil, err
		}
		if grant.Scope() == rbac.ScopeNone || len(kinds) > 0 && !slices.Contains(kinds, k.kind) {
			continue
		}
		q := store.NameQuery{Kind: k.kind, Key: key, Match: store.MatchContains, Limit: min(limit, store.MaxLimit)}
		if err := s.find(ctx, grant, q, result); err != nil {
			return nil, err
		}
	}
	return result, nil
}

func (s *Search) find(ctx context.Context, grant rbac.Grant, q store.NameQuery, into *SearchResult) error {
	return s.runner.View(ctx, func(r *store.Reader) error {
		hits, err := r.ByName(ctx, grant, q)
		if err != nil {
			return err
		}
		total := int64(len(hits))
		if len(hits) == q.Limit {
			if total, err = r.CountByName(ctx, grant, q); err != nil {
				return err
			}
		}
		for i := range hits {
			hits[i].Email = ""
		}
		into.Hits, into.Total = append(into.Hits, hits...), into.Total+total
		return nil
	})
}
