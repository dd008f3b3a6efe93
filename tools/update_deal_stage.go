package tools

import (
	"context"
	"slices"

	"countersign/apperr"
	"countersign/crm"
	"countersign/i18n"
	"countersign/models"
	"countersign/proposals"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
)

type updateDealStageArgs struct {
	Deal       string `json:"deal" kind:"deal" jsonschema:"The deal: its ID, external id or title."`
	Stage      string `json:"stage" field:"stageId" kind:"stage" jsonschema:"The stage to move it to, in the deal's own pipeline: ID or name."`
	LostReason string `json:"lost_reason,omitempty" field:"lostReason" jsonschema:"Why the deal was lost, when it moves to a lost stage."`
	Reason     string `json:"reason,omitempty" jsonschema:"Why you propose this, in one sentence for the user."`
}

// stageMover is the tool update_deal_stage.
type stageMover struct {
	deals    *crm.Deals
	resolver *resolve.Resolver
}

func newUpdateDealStage(deals *crm.Deals, resolver *resolve.Resolver) *Tool {
	m := stageMover{deals, resolver}
	return newProposingTool(Definition{
		Name: "update_deal_stage", After: Finish, Permission: rbac.DealUpdate,
		Main: "deal", Example: `/update_deal_stage deal="Acme renewal" stage=Won`,
	}, rbac.DealUpdate, m.prepare, m.execute)
}

func (m stageMover) prepare(ctx context.Context, actor models.Actor, in updateDealStageArgs) (proposals.Draft, error) {
	ref, err := namedForWrite(ctx, m.resolver, actor, models.TypeDeal, in.Deal)
	if err != nil {
		return proposals.Draft{}, err
	}
	deal, err := m.deals.ForUpdate(ctx, actor, ref.ID)
	if err != nil {
		return proposals.Draft{}, err
	}
	match, err := m.resolver.Resolve(ctx, actor, resolve.Query{Kind: models.TypeStage, Text: in.Stage, Parent: deal.PipelineID, ForWrite: true})
	if err != nil {
		return proposals.Draft{}, err
	}
	after, err := m.deals.Preview(ctx, actor, deal, m.patch(match.Ref.ID, in.LostReason))
	if err != nil {
		return proposals.Draft{}, err
	}
	if after.StageID == deal.StageID {
		return proposals.Draft{}, apperr.InvalidField("stage", i18n.T(actor.Lang, "deal.already_there", "name", deal.Title, "stage", deal.StageName))
	}
	return m.draft(actor.Lang, in, deal, after), nil
}

func (m stageMover) draft(lang string, in updateDealStageArgs, deal, after *store.DealView) proposals.Draft {
	d := proposals.Draft{
		Title:  i18n.T(lang, "proposal.update_deal_stage"),
		Target: dealRefOf(*deal), TargetVersion: deal.Version, Reason: in.Reason,
		Args:    updateDealStageArgs{Deal: deal.ID, Stage: after.StageID, LostReason: after.LostReason},
		Changes: changesOf(lang, slices.DeleteFunc(crm.DealDifferences(deal, after), isClosing)),
	}
	switch {
	case deal.ClosedAt == nil && after.ClosedAt != nil:
		d.Warnings = append(d.Warnings, i18n.T(lang, "deal.will_close"))
	case deal.ClosedAt != nil && after.ClosedAt == nil:
		d.Warnings = append(d.Warnings, i18n.T(lang, "deal.will_reopen"))
	}
	if after.StageKind == models.StageLost && after.LostReason == "" {
		d.Warnings, d.Asks = append(d.Warnings, i18n.T(lang, "deal.no_lost_reason")), []string{"lost_reason"}
	}
	return d
}

// isClosing tells the closing time, which is that of the confirm: a warning stands for it.
func isClosing(d crm.Difference) bool { return d.Name == "closedAt" }

func (m stageMover) execute(ctx context.Context, tx *store.Tx, actor models.Actor, in updateDealStageArgs, p *models.Proposal) (models.Outcome, error) {
	deal, err := m.deals.With(tx).Update(ctx, actor, in.Deal, p.TargetVersion, m.patch(in.Stage, in.LostReason))
	if err != nil {
		return models.Outcome{}, err
	}
	return models.Outcome{
		Summary: i18n.T(actor.Lang, "deal.moved", "name", deal.Title, "stage", deal.StageName),
		Records: []models.Ref{dealRefOf(*deal)},
	}, nil
}

func (m stageMover) patch(stageID, lostReason string) crm.DealPatch {
	patch := crm.DealPatch{StageID: models.Some(stageID)}
	if lostReason != "" {
		patch.LostReason = models.Some(lostReason)
	}
	return patch
}
