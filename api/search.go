package api

import (
	"context"

	"countersign/apperr"
	"countersign/models"
	"countersign/resolve"
	"countersign/store"
	"countersign/tools"
)

// Search looks for records by a part of their names.
type Search struct {
	Q     string   `query:"q" required:"true" maxLength:"300"`
	Kind  []string `query:"kind" enum:"company,contact,deal,quotation,product,person" doc:"One kind or several, separated by commas; all if left out."`
	Limit int      `query:"limit" minimum:"1" maximum:"50" doc:"How many hits of each kind; 10 if left out."`
}

const defaultHits = 10

// Lookup looks for the one record that a text means.
type Lookup struct {
	Kind     string `path:"kind" enum:"company,contact,deal,quotation,task,person,stage,pipeline,product"`
	Q        string `query:"q" doc:"An id, a name or a part of one; for people and contacts also an e-mail address."`
	Deal     string `query:"deal" maxLength:"300" doc:"For stages: the deal whose pipeline they belong to, by id or name."`
	Pipeline string `query:"pipeline" maxLength:"300" doc:"For stages: the pipeline that they belong to, by id or name."`
}

// Tool is a tool that the person may use, as slash commands offer it.
type Tool struct {
	Name        string   `json:"name"`
	Label       string   `json:"label"`
	Description string   `json:"description"`
	Effect      string   `json:"effect" enum:"read,create,sensitive,destructive"`
	Main        string   `json:"main,omitempty" doc:"The argument that a positional value goes to."`
	Example     string   `json:"example"`
	ShortForms  []string `json:"shortForms"`
	Parameters  any      `json:"parameters" doc:"The JSON Schema of its arguments."`
}

func (s *server) searchRoutes() {
	handle(s, get("/api/search", "search", "Find records of all kinds by name"), s.search)
	handle(s, get("/api/resolve/{kind}", "resolve", "Name or id to one record, with candidates"), s.resolve)
	handle(s, get("/api/tools", "listTools", "The tools that you may use").plain(), s.listTools)
}

func (s *server) search(ctx context.Context, actor models.Actor, in *Search) (*one[Page[apperr.Candidate]], error) {
	kinds := make([]models.RecordType, len(in.Kind))
	for i, k := range in.Kind {
		kinds[i] = models.RecordType(k)
	}
	limit := in.Limit
	if limit == 0 {
		limit = defaultHits
	}
	result, err := s.Search.Find(ctx, actor, in.Q, kinds, limit)
	if err != nil {
		return nil, err
	}
	return pageOf(store.List[store.NameHit]{Items: result.Hits, Total: result.Total}, nil, func(h *store.NameHit) apperr.Candidate {
		return apperr.Candidate{Type: string(h.Kind), ID: h.RecordID, Name: h.Name, Detail: h.Detail}
	})
}

func (s *server) resolve(ctx context.Context, actor models.Actor, in *Lookup) (*one[resolve.Result], error) {
	parent, err := s.stageParent(ctx, actor, in)
	if err != nil {
		return nil, err
	}
	return answer(s.Resolver.Lookup(ctx, actor, resolve.Query{Kind: models.RecordType(in.Kind), Text: in.Q, Parent: parent}))
}

// stageParent is the id of the pipeline in which a stage is looked for; empty for all.
func (s *server) stageParent(ctx context.Context, actor models.Actor, in *Lookup) (string, error) {
	switch {
	case in.Kind != string(models.TypeStage):
		return "", nil
	case in.Deal != "":
		match, err := s.Resolver.Resolve(ctx, actor, resolve.Query{Kind: models.TypeDeal, Text: in.Deal})
		if err != nil {
			return "", err
		}
		deal, err := s.Deals.Get(ctx, actor, match.Ref.ID)
		if err != nil {
			return "", err
		}
		return deal.PipelineID, nil
	case in.Pipeline != "":
		match, err := s.Resolver.Resolve(ctx, actor, resolve.Query{Kind: models.TypePipeline, Text: in.Pipeline})
		return match.Ref.ID, err
	}
	return "", nil
}

func (s *server) listTools(ctx context.Context, actor models.Actor, _ *struct{}) (*one[Page[Tool]], error) {
	offers, err := s.Tools.Offered(ctx, s.Gate, actor)
	return allOf(offers, err, func(o *tools.Offer) Tool {
		return Tool{
			Name: o.Name, Label: o.Label, Description: o.Description, Effect: string(o.Effect), Main: o.Main, Example: o.Example,
			ShortForms: append([]string{}, o.Short...), Parameters: o.Parameters,
		}
	})
}
