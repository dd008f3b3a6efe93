package proposals

import (
	"context"

	"countersign/apperr"
	"countersign/i18n"
	"countersign/models"
	"countersign/store"
)

// CodeDeclined is the code of a Conflict with the person's own no to the same change.
const CodeDeclined = "DECLINED"

// checkDeclined refuses what the assistant proposes although the person has declined the same change in the same
// conversation. The no stands until they write about the record, by its name or id: docs/adr/0034-standing.md.
func (s *Service) checkDeclined(ctx context.Context, tx *store.Tx, actor models.Actor, next *models.Proposal) error {
	if next.ConversationID == nil || next.Via != models.ViaAssistant {
		return nil
	}
	declined, err := tx.DeclinedProposal(ctx, next)
	if err != nil || declined == nil {
		return err
	}
	named, err := namesOf(next)
	if err != nil {
		return err
	}
	asked, err := tx.SaidSince(ctx, *next.ConversationID, *declined.DecidedAt, named...)
	if err != nil || asked {
		return err
	}
	return apperr.New(apperr.Conflict, CodeDeclined, i18n.T(actor.Lang, "proposal.declined", "title", next.Title, "name", next.TargetName))
}

// namesOf are the names and ids by which a person speaks of what a proposal is about.
func namesOf(p *models.Proposal) ([]string, error) {
	if p.Creates() {
		return []string{p.TargetName}, nil
	}
	parts, err := p.Parts()
	var names []string
	for _, part := range parts {
		names = append(names, part.TargetName, part.TargetID)
	}
	return names, err
}
