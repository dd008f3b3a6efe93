package tools

import (
	"context"

	"countersign/apperr"
	"countersign/crm"
	"countersign/i18n"
	"countersign/models"
	"countersign/rbac"
	"countersign/resolve"
)

type searchRecordsArgs struct {
	Query string   `json:"query" jsonschema:"A name, or a part of one, in any script. IDs and external ids of deals work too."`
	Types []string `json:"types,omitempty" enum:"company,contact,deal,quotation,product,person" jsonschema:"Only these kinds of records. Leave it out for all."`
	Limit int      `json:"limit,omitempty" max:"50" jsonschema:"How many per kind to show; 20 when left out."`
}

type recordRow struct {
	Type   models.RecordType `json:"type"`
	ID     string            `json:"id"`
	Name   string            `json:"name"`
	Detail string            `json:"detail,omitempty"`
}

func newSearchRecords(search *crm.Search, resolver *resolve.Resolver) *Tool {
	return newTool(Definition{
		Name: "search_records", Effect: Read, After: Continue, Permission: rbac.AssistantUse,
		Main: "query", Short: []string{"find"}, Example: `/find Harbour`,
	}, func(ctx context.Context, actor models.Actor, in searchRecordsArgs) (Result, error) {
		var kinds []models.RecordType
		for _, t := range in.Types {
			kinds = append(kinds, models.RecordType(t))
		}
		if _, isID := models.ParseID(in.Query); isID {
			list, err := recordsByID(ctx, resolver, actor, in.Query, kinds)
			return recordsResult(actor.Lang, list, int64(len(list))), err
		}
		found, err := search.Find(ctx, actor, in.Query, kinds, rowLimit(in.Limit))
		if err != nil {
			return Result{}, err
		}
		list := make([]recordRow, len(found.Hits))
		for i, hit := range found.Hits {
			list[i] = recordRow{Type: hit.Kind, ID: hit.RecordID, Name: hit.Name, Detail: hit.Detail}
		}
		return recordsResult(actor.Lang, list, found.Total), nil
	})
}

// recordsByID finds the record with an id among the kinds, which are all when there are none.
func recordsByID(ctx context.Context, r *resolve.Resolver, actor models.Actor, id string, kinds []models.RecordType) ([]recordRow, error) {
	if len(kinds) == 0 {
		kinds = []models.RecordType{models.TypeCompany, models.TypeContact, models.TypeDeal, models.TypeQuotation, models.TypeProduct, models.TypePerson}
	}
	list := []recordRow{}
	for _, kind := range kinds {
		found, err := r.Lookup(ctx, actor, resolve.Query{Kind: kind, Text: id})
		if apperr.Is(err, apperr.Forbidden) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if m := found.Match; m != nil {
			list = append(list, recordRow{Type: kind, ID: m.ID, Name: m.Name, Detail: m.Detail})
		}
	}
	return list, nil
}

func recordsResult(lang string, list []recordRow, total int64) Result {
	result := Result{Data: rowsOf(list, total), Summary: shownOf(lang, "search.found", len(list), total)}
	lines := make([]string, len(list))
	for i, row := range list {
		lines[i] = dots(row.Name, i18n.T(lang, "resolve.kind."+string(row.Type)), row.Detail)
		if row.Type != models.TypePerson { // people have no page
			result.Refs = append(result.Refs, models.Ref{Type: row.Type, ID: row.ID, Name: row.Name})
		}
	}
	result.Text = listText(result.Summary, lines)
	return result
}
