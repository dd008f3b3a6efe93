package tools

import (
	"context"
	"errors"
	"slices"
	"strings"

	"countersign/apperr"
	"countersign/crm"
	"countersign/i18n"
	"countersign/models"
	"countersign/proposals"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
)

// maxBulk is how many deals one card can change.
const maxBulk = 25

// dealsPage is where a person works with many deals.
const dealsPage = "/deals"

type bulkUpdateDealsArgs struct {
	Deals []string `json:"deals,omitempty" kind:"deal" items:"100" jsonschema:"The deals, each by its ID, external id or title. Give these, or narrow by the other arguments."`
	dealFilterArgs
	NewStage             string `json:"new_stage,omitempty" field:"stageId" kind:"stage" jsonschema:"The stage to move all of them to, in their own pipeline: ID or name."`
	LostReason           string `json:"lost_reason,omitempty" field:"lostReason" jsonschema:"Why they were lost, when they move to a lost stage."`
	NewOwner             string `json:"new_owner,omitempty" field:"ownerId" kind:"person" jsonschema:"Who is to own all of them: ID, e-mail, name, or \"me\"."`
	NewExpectedCloseDate string `json:"new_expected_close_date,omitempty" field:"expectedCloseDate" input:"date" jsonschema:"The day on which all of them are expected to close, as 2026-01-31."`
	Reason               string `json:"reason,omitempty" jsonschema:"Why you propose this, in one sentence for the user."`
}

// dealsEditor is the tool bulk_update_deals.
type dealsEditor struct {
	deals    *crm.Deals
	resolver *resolve.Resolver
}

func newBulkUpdateDeals(deals *crm.Deals, resolver *resolve.Resolver) *Tool {
	e := dealsEditor{deals, resolver}
	tool := newProposingTool(Definition{
		Name: "bulk_update_deals", After: Finish, Permission: rbac.DealBulk,
		Main: "deals", Example: `/bulk_update_deals owner=me status=open new_expected_close_date=2026-12-31`,
	}, rbac.DealUpdate, e.prepare, e.execute)
	tool.propose.noUndo = "undo.several"
	return tool
}

func (e dealsEditor) prepare(ctx context.Context, actor models.Actor, in bulkUpdateDealsArgs) (proposals.Draft, error) {
	if in.NewStage == "" && in.NewOwner == "" && in.NewExpectedCloseDate == "" {
		return proposals.Draft{}, apperr.New(apperr.Invalid, "NOTHING_TO_CHANGE", i18n.T(actor.Lang, "bulk.no_change"))
	}
	refs, err := e.chosen(ctx, actor, in)
	if err != nil {
		return proposals.Draft{}, err
	}
	deals := make([]*store.DealView, len(refs))
	for i, ref := range refs {
		if deals[i], err = e.deals.ForUpdate(ctx, actor, ref.ID); err != nil {
			return proposals.Draft{}, err
		}
	}
	owner, err := e.fix(ctx, actor, &in, deals)
	if err != nil {
		return proposals.Draft{}, err
	}
	return e.draft(ctx, actor, in, deals, owner)
}

// chosen are the deals that the arguments name or narrow down to, each once.
func (e dealsEditor) chosen(ctx context.Context, actor models.Actor, in bulkUpdateDealsArgs) (refs []models.Ref, err error) {
	narrowed := in.dealFilterArgs != (dealFilterArgs{})
	if narrowed == (len(in.Deals) > 0) {
		return nil, apperr.InvalidField("deals", i18n.T(actor.Lang, "bulk.which"))
	}
	if narrowed {
		return e.matching(ctx, actor, in.dealFilterArgs)
	}
	if refs, err = e.named(ctx, actor, in.Deals); err != nil {
		return nil, err
	}
	return refs, refuseTooMany(actor.Lang, int64(len(refs)))
}

func (e dealsEditor) matching(ctx context.Context, actor models.Actor, in dealFilterArgs) ([]models.Ref, error) {
	filter, err := in.filter(ctx, e.resolver, actor)
	if err != nil {
		return nil, err
	}
	page, err := e.deals.List(ctx, actor, filter, store.Page{Limit: maxBulk, Sort: "title"})
	if err != nil {
		return nil, err
	}
	if page.Total == 0 {
		return nil, apperr.New(apperr.NotFound, "NOT_FOUND", i18n.T(actor.Lang, "bulk.none"))
	}
	refs := make([]models.Ref, len(page.Items))
	for i, deal := range page.Items {
		refs[i] = dealRefOf(deal)
	}
	return refs, refuseTooMany(actor.Lang, page.Total)
}

// named resolves a list of names. All that fit no deal, or several, are told at once.
func (e dealsEditor) named(ctx context.Context, actor models.Actor, texts []string) (refs []models.Ref, err error) {
	var unclear *apperr.Error
	for _, text := range texts {
		ref, err := namedForWrite(ctx, e.resolver, actor, models.TypeDeal, text)
		var one *apperr.Error
		switch {
		case errors.As(err, &one) && (one.Kind == apperr.Ambiguous || one.Kind == apperr.NotFound):
			unclear = both(unclear, one)
		case err != nil:
			return nil, err
		case !slices.ContainsFunc(refs, func(r models.Ref) bool { return r.ID == ref.ID }):
			refs = append(refs, ref)
		}
	}
	if unclear != nil {
		return nil, unclear
	}
	return refs, nil
}

// both are two refusals in one, with the candidates of both, each once.
func both(a, b *apperr.Error) *apperr.Error {
	if a == nil {
		return b
	}
	joined := *a
	joined.Message += " " + b.Message
	joined.Candidates = slices.Clone(a.Candidates)
	for _, c := range b.Candidates {
		if !slices.Contains(joined.Candidates, c) {
			joined.Candidates = append(joined.Candidates, c)
		}
	}
	return &joined
}

func refuseTooMany(lang string, n int64) error {
	if n <= maxBulk {
		return nil
	}
	return apperr.New(apperr.Invalid, "TOO_MANY_RECORDS", i18n.T(lang, "bulk.too_many", "deals", n, "max", maxBulk, "link", dealsPage))
}

// fix puts ids in place of names, and returns the owner to be. All deals must be of one pipeline to move to a stage.
func (e dealsEditor) fix(ctx context.Context, actor models.Actor, in *bulkUpdateDealsArgs, deals []*store.DealView) (owner models.Ref, err error) {
	in.dealFilterArgs, in.Deals = dealFilterArgs{}, make([]string, len(deals))
	for i, deal := range deals {
		in.Deals[i] = deal.ID
	}
	if in.NewStage != "" {
		pipeline := deals[0].PipelineID
		if slices.ContainsFunc(deals, func(d *store.DealView) bool { return d.PipelineID != pipeline }) {
			return owner, apperr.InvalidField("new_stage", i18n.T(actor.Lang, "bulk.pipelines"))
		}
		match, err := e.resolver.Resolve(ctx, actor, resolve.Query{Kind: models.TypeStage, Text: in.NewStage, Parent: pipeline, ForWrite: true})
		if err != nil {
			return owner, err
		}
		in.NewStage = match.Ref.ID
	}
	if in.NewOwner != "" {
		owner, err = namedForWrite(ctx, e.resolver, actor, models.TypePerson, in.NewOwner)
		in.NewOwner = owner.ID
	}
	return owner, err
}

// draft has a row for each deal that would change. The others are left out, and the card says so.
func (e dealsEditor) draft(ctx context.Context, actor models.Actor, in bulkUpdateDealsArgs, deals []*store.DealView, owner models.Ref) (proposals.Draft, error) {
	lang := actor.Lang
	patch, err := in.patch(lang)
	if err != nil {
		return proposals.Draft{}, err
	}
	d := proposals.Draft{Title: i18n.T(lang, "proposal.bulk_update_deals"), Reason: in.Reason}
	var same []string
	var closing dealClosing
	for _, deal := range deals {
		after, err := e.deals.Preview(ctx, actor, deal, patch)
		if err != nil {
			return proposals.Draft{}, outOfReach(err, lang, dealRefOf(*deal), owner)
		}
		if after.OwnerID == owner.ID {
			after.OwnerName = owner.Name
		}
		changes := changesOf(lang, slices.DeleteFunc(crm.DealDifferences(deal, after), isClosing))
		if len(changes) == 0 {
			same = append(same, deal.Title)
			continue
		}
		closing.note(deal, after)
		d.Items = append(d.Items, models.Item{Target: dealRefOf(*deal), Version: deal.Version, Changes: changes})
	}
	if len(d.Items) == 0 {
		return d, apperr.New(apperr.Invalid, "NOTHING_TO_CHANGE", i18n.T(lang, "bulk.unchanged"))
	}
	if len(same) > 0 {
		d.Warnings = append(d.Warnings, i18n.T(lang, "bulk.left_out", "names", strings.Join(same, i18n.T(lang, "resolve.separator"))))
	}
	d.Warnings = append(d.Warnings, closing.warnings(lang)...)
	if closing.unexplained > 0 {
		d.Asks = []string{"lost_reason"}
	}
	d.Target = models.Ref{Type: models.TypeDeal, Name: i18n.T(lang, "deals.found", "count", len(d.Items))}
	in.Reason = ""
	d.Args = in
	return d, nil
}

// dealClosing counts how many deals a change closes or opens again, and how many it loses without a reason.
type dealClosing struct{ closed, opened, unexplained int }

func (c *dealClosing) note(before, after *store.DealView) {
	switch {
	case before.ClosedAt == nil && after.ClosedAt != nil:
		c.closed++
	case before.ClosedAt != nil && after.ClosedAt == nil:
		c.opened++
	}
	if after.StageKind == models.StageLost && after.LostReason == "" {
		c.unexplained++
	}
}

func (c *dealClosing) warnings(lang string) (list []string) {
	for _, w := range []struct {
		count int
		text  string
	}{{c.closed, "bulk.will_close"}, {c.opened, "bulk.will_reopen"}} {
		if w.count > 0 {
			list = append(list, i18n.T(lang, w.text, "count", w.count))
		}
	}
	if c.unexplained > 0 {
		list = append(list, i18n.T(lang, "deal.no_lost_reason"))
	}
	return list
}

// patch is the change of each deal that resolved arguments ask for.
func (in bulkUpdateDealsArgs) patch(lang string) (patch crm.DealPatch, err error) {
	given := clearing{lang: lang}
	patch.StageID = given.text("new_stage", in.NewStage)
	patch.LostReason = given.text("lost_reason", in.LostReason)
	patch.OwnerID = given.text("new_owner", in.NewOwner)
	patch.ExpectedCloseDate.Value, err = dateArg("new_expected_close_date", in.NewExpectedCloseDate, lang)
	patch.ExpectedCloseDate.Set = in.NewExpectedCloseDate != ""
	return patch, err
}

// execute changes one of the deals: p is the proposal as if it were about that one alone.
func (e dealsEditor) execute(ctx context.Context, tx *store.Tx, actor models.Actor, in bulkUpdateDealsArgs, p *models.Proposal) (models.Outcome, error) {
	patch, err := in.patch(actor.Lang)
	if err != nil {
		return models.Outcome{}, err
	}
	deal, err := e.deals.With(tx).Update(ctx, actor, p.TargetID, p.TargetVersion, patch)
	if err != nil {
		return models.Outcome{}, err
	}
	return updated(actor.Lang, dealRefOf(*deal)), nil
}
