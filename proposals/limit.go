package proposals

import (
	"context"
	"strings"

	"countersign/apperr"
	"countersign/i18n"
	"countersign/models"
	"countersign/store"
)

// MaxOpen is how many proposals of one conversation may wait at the same time.
const MaxOpen = 3

// CodeTooManyOpen is the code of a Conflict with the proposals that wait in the same conversation already.
const CodeTooManyOpen = "TOO_MANY_OPEN"

// checkRoom refuses a new proposal with which more than MaxOpen would wait in its conversation, and names those.
func (s *Service) checkRoom(ctx context.Context, tx *store.Tx, actor models.Actor, next *models.Proposal) error {
	if next.ConversationID == nil {
		return nil
	}
	waiting, err := tx.WaitingProposals(ctx, actor.UserID, *next.ConversationID, s.now())
	if err != nil || len(waiting) <= MaxOpen {
		return err
	}
	var names []string
	for _, p := range waiting {
		if p.ID != next.ID {
			names = append(names, p.Title+" · "+p.TargetName)
		}
	}
	return apperr.New(apperr.Conflict, CodeTooManyOpen,
		i18n.T(actor.Lang, "proposal.too_many", "count", len(names), "names", strings.Join(names, i18n.T(actor.Lang, "resolve.separator"))))
}
