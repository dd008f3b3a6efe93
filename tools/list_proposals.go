package tools

import (
	"context"
	"slices"
	"time"

	"countersign/i18n"
	"countersign/models"
	"countersign/proposals"
	"countersign/rbac"
	"countersign/store"
)

type listProposalsArgs struct {
	Status string `json:"status,omitempty" enum:"pending,executed,failed,cancelled,expired,stale,superseded" jsonschema:"Only proposals of this status."`
	Limit  int    `json:"limit,omitempty" max:"50" jsonschema:"How many to show; 20 when left out."`
}

// ProposalRow is a proposal in a result, as a model may read it. What it takes to confirm it is not part of it. Reason
// is why the person declined it, FreshID the proposal that took the place of a stale one.
type ProposalRow struct {
	ID        string                `json:"id"`
	Status    models.ProposalStatus `json:"status"`
	Tool      string                `json:"tool"`
	Title     string                `json:"title"`
	Target    models.Ref            `json:"target"`
	Changes   []briefChange         `json:"changes"`
	Items     []briefItem           `json:"items,omitempty"`
	CreatedAt time.Time             `json:"createdAt"`
	ExpiresAt *time.Time            `json:"expiresAt,omitempty"`
	DecidedAt *time.Time            `json:"decidedAt,omitempty"`
	Reason    string                `json:"reason,omitempty"`
	Outcome   string                `json:"outcome,omitempty"`
	FreshID   *string               `json:"freshId,omitempty"`
	// ApproverRole is whose approval it needs, why the reason for a person, RequestedBy whose it is where it is not the actor's.
	ApproverRole string `json:"approverRole,omitempty"`
	RequestedBy  string `json:"requestedBy,omitempty"`
	why          string
}

func newListProposals(service *proposals.Service) *Tool {
	return newTool(Definition{
		Name: "list_proposals", Effect: Read, After: Finish, Permission: rbac.AssistantUse,
		Main: "status", Example: `/list_proposals status=pending`,
	}, func(ctx context.Context, actor models.Actor, in listProposalsArgs) (Result, error) {
		page, err := service.List(ctx, actor, models.ProposalStatus(in.Status), store.Page{Limit: rowLimit(in.Limit)})
		if err != nil {
			return Result{}, err
		}
		list := make([]ProposalRow, len(page.Items))
		lines := make([]string, len(page.Items))
		var refs []models.Ref
		var outside *models.Ref
		for i := range page.Items {
			p := &page.Items[i]
			if list[i], err = ProposalRowOf(p); err != nil {
				return Result{}, err
			}
			if p.RequestedBy != actor.UserID {
				target := p.Target()
				list[i].RequestedBy, outside = p.RequesterName, &target
			}
			lines[i] = proposalText(actor.Lang, list[i])
			if target := list[i].Target; target.ID != "" && !slices.Contains(refs, target) {
				refs = append(refs, target)
			}
		}
		summary := shownOf(actor.Lang, "proposals.found", len(list), page.Total)
		return Result{Data: rowsOf(list, page.Total), Summary: summary, Text: listText(summary, lines), Refs: refs, Outside: outside}, nil
	})
}

// ProposalRowOf makes the row of a stored proposal. The error means that its row is damaged.
func ProposalRowOf(p *models.Proposal) (ProposalRow, error) {
	v, err := proposals.ViewOf(p)
	if err != nil {
		return ProposalRow{}, err
	}
	row := ProposalRow{
		ID: v.ID, Status: v.Status, Tool: v.Tool, Title: v.Title, Target: v.Target, Changes: briefly(v.Changes), Items: briefItems(v.Items),
		CreatedAt: v.CreatedAt, DecidedAt: v.DecidedAt, Reason: brief(v.DecisionReason), FreshID: v.FreshID,
	}
	if v.Status == models.ProposalPending {
		row.ExpiresAt = &v.ExpiresAt
		row.ApproverRole, row.why = p.ApproverRole, p.ApprovalReason
	}
	if o := v.Outcome; o != nil {
		row.Outcome = o.Summary
		if o.Error != nil {
			row.Outcome = o.Error.Message
		}
	}
	return row, nil
}

// proposalText is one proposal for a person: where it stands, what it is about and each change.
func proposalText(lang string, row ProposalRow) string {
	parts := []string{i18n.T(lang, "proposal_status."+string(row.Status)), row.Title, row.Target.Name}
	for _, c := range row.Changes {
		parts = append(parts, i18n.T(lang, "proposal.change", "label", c.Label, "before", c.Before, "after", c.After))
	}
	return dots(append(parts, row.RequestedBy, row.why)...)
}
