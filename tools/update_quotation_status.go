package tools

import (
	"context"

	"countersign/apperr"
	"countersign/crm"
	"countersign/i18n"
	"countersign/models"
	"countersign/proposals"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
)

type updateQuotationStatusArgs struct {
	Quotation string `json:"quotation" kind:"quotation" jsonschema:"The quotation: its ID or number, such as Q-2026-0001."`
	Status    string `json:"status" enum:"SENT,ACCEPTED,REJECTED,EXPIRED" jsonschema:"A draft can become SENT; one that was sent ACCEPTED, REJECTED or EXPIRED."`
	Reason    string `json:"reason,omitempty" jsonschema:"Why you propose this, in one sentence for the user."`
}

// quotationMover is the tool update_quotation_status. No status leads back to one before it, so nothing of it is undone.
type quotationMover struct {
	quotations *crm.Quotations
	resolver   *resolve.Resolver
}

func newUpdateQuotationStatus(quotations *crm.Quotations, resolver *resolve.Resolver) *Tool {
	m := quotationMover{quotations, resolver}
	tool := newProposingTool(Definition{
		Name: "update_quotation_status", After: Finish, Permission: rbac.QuotationUpdate,
		Main: "quotation", Example: `/update_quotation_status Q-2026-0001 status=SENT`,
	}, rbac.QuotationUpdate, m.prepare, m.execute)
	tool.propose.noUndo = "undo.quotation_status"
	return tool
}

func (m quotationMover) prepare(ctx context.Context, actor models.Actor, in updateQuotationStatusArgs) (proposals.Draft, error) {
	ref, err := namedForWrite(ctx, m.resolver, actor, models.TypeQuotation, in.Quotation)
	if err != nil {
		return proposals.Draft{}, err
	}
	before, err := m.quotations.ForUpdate(ctx, actor, ref.ID)
	if err != nil {
		return proposals.Draft{}, err
	}
	status := models.QuotationStatus(in.Status)
	if before.Status == status {
		return proposals.Draft{}, apperr.InvalidField("status", i18n.T(actor.Lang, "quotation.already", "name", before.Label(), "status", statusText(actor.Lang, status)))
	}
	after, err := m.quotations.Preview(ctx, actor, before, crm.QuotationPatch{Status: models.Some(status)})
	if err != nil {
		return proposals.Draft{}, err
	}
	d := proposals.Draft{
		Title: i18n.T(actor.Lang, "proposal.update_quotation_status"), Target: quotationRefOf(*before), TargetVersion: before.Version, Reason: in.Reason,
		Args:    updateQuotationStatusArgs{Quotation: before.ID, Status: in.Status},
		Changes: changesOf(actor.Lang, crm.QuotationDifferences(before, after)),
	}
	if status == models.QuotationSent {
		d.Warnings = append(d.Warnings, i18n.T(actor.Lang, "quotation.will_freeze"))
	}
	return d, nil
}

func (m quotationMover) execute(ctx context.Context, tx *store.Tx, actor models.Actor, in updateQuotationStatusArgs, p *models.Proposal) (models.Outcome, error) {
	patch := crm.QuotationPatch{Status: models.Some(models.QuotationStatus(in.Status))}
	v, err := m.quotations.With(tx).Update(ctx, actor, in.Quotation, p.TargetVersion, patch)
	if err != nil {
		return models.Outcome{}, err
	}
	return models.Outcome{
		Summary: i18n.T(actor.Lang, "quotation.moved", "name", v.Label(), "status", statusText(actor.Lang, v.Status)),
		Records: []models.Ref{quotationRefOf(*v)},
	}, nil
}
