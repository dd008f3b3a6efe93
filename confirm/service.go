package confirm

import (
	"context"
	"errors"
	"slices"
	"strings"

	"countersign/conversations"
	"countersign/i18n"
	"countersign/models"
	"countersign/proposals"
	"countersign/store"
)

// Service decides proposals in the name of the person who asked for them, or of one who approves.
type Service struct {
	proposals     *proposals.Service
	performer     proposals.Performer
	conversations *conversations.Service
}

// NewService returns a Service.
func NewService(p *proposals.Service, performer proposals.Performer, c *conversations.Service) *Service {
	return &Service{proposals: p, performer: performer, conversations: c}
}

// Confirm carries a proposal out, once. digest is that of the card that the person saw. For errors and
// repeats see proposals.Service.Decide.
func (s *Service) Confirm(ctx context.Context, actor models.Actor, id, digest string) (*proposals.Verdict, error) {
	return s.decide(ctx, actor, proposals.Decision{ProposalID: id, Digest: digest, Confirm: true})
}

// Choice is what a person has made of a card before they confirm it: other values of some of its editable arguments, by
// their names, and the ids of the records that they have kept of a change of several; nil keeps all.
type Choice struct {
	Edits map[string]any
	Items []string
}

// ConfirmChoice is Confirm of what a person has made of the card.
func (s *Service) ConfirmChoice(ctx context.Context, actor models.Actor, id, digest string, c Choice) (*proposals.Verdict, error) {
	return s.decide(ctx, actor, proposals.Decision{ProposalID: id, Digest: digest, Confirm: true, Edits: c.Edits, Items: c.Items})
}

// Cancel ends a proposal without effect. The reason, which may be empty, is kept.
func (s *Service) Cancel(ctx context.Context, actor models.Actor, id, reason string) (*proposals.Verdict, error) {
	return s.decide(ctx, actor, proposals.Decision{ProposalID: id, Reason: reason})
}

// Undo proposes to put back what an executed proposal has changed. For errors see proposals.Service.Undo.
func (s *Service) Undo(ctx context.Context, actor models.Actor, id string) (*models.Proposal, error) {
	return s.proposals.Undo(ctx, actor, id, s.performer)
}

func (s *Service) decide(ctx context.Context, actor models.Actor, d proposals.Decision) (*proposals.Verdict, error) {
	return s.proposals.Decide(ctx, actor, d, s.performer, func(ctx context.Context, tx *store.Tx, p *models.Proposal) error {
		if p.ConversationID == nil {
			return nil
		}
		text, err := told(actor, p)
		if err != nil {
			return err
		}
		return s.conversations.Tell(ctx, tx, *p.ConversationID, text)
	})
}

// told is what the requester's conversation is told of a decision: in the language of who clicked, or in the one in which it
// was asked for, with the name of who decided for them.
func told(actor models.Actor, p *models.Proposal) (string, error) {
	if actor.UserID == p.RequestedBy {
		return outcomeText(actor.Lang, p)
	}
	switch lang := p.Lang; {
	case p.Status == models.ProposalCancelled && p.DecisionReason == "":
		return i18n.T(lang, "outcome.declined", "by", actor.Name, "title", p.Title, "name", p.TargetName), nil
	case p.Status == models.ProposalCancelled:
		return i18n.T(lang, "outcome.declined_because", "by", actor.Name, "title", p.Title, "name", p.TargetName, "reason", p.DecisionReason), nil
	case p.Status == models.ProposalExecuted:
		text, err := outcomeText(lang, p)
		return i18n.T(lang, "outcome.approved", "by", actor.Name, "outcome", text), err
	default:
		return outcomeText(lang, p)
	}
}

// outcomeText is the server's own sentence about a decision.
func outcomeText(lang string, p *models.Proposal) (string, error) {
	switch p.Status {
	case models.ProposalCancelled:
		return i18n.T(lang, "outcome.cancelled", "title", p.Title, "name", p.TargetName), nil
	case models.ProposalStale:
		return i18n.T(lang, "outcome.stale", "name", p.TargetName), nil
	}
	var outcome models.Outcome
	if err := p.Outcome.Into(&outcome); err != nil {
		return "", err
	}
	if outcome.Error != nil {
		return i18n.T(lang, "outcome.failed", "message", failureText(lang, *outcome.Error)), nil
	}
	return editedText(lang, p, outcome.Summary)
}

// editedText adds to a summary what of the proposal a person has made something else of.
func editedText(lang string, p *models.Proposal, summary string) (string, error) {
	if p.EditedArgs == nil {
		return summary, nil
	}
	var proposed, edited []models.Change
	if err := errors.Join(p.Changes.Into(&proposed), p.EditedChanges.Into(&edited)); err != nil {
		return "", err
	}
	var rows []string
	for _, c := range edited {
		same := slices.ContainsFunc(proposed, func(was models.Change) bool { return was.Field == c.Field && was.AfterDisplay == c.AfterDisplay })
		if !same {
			rows = append(rows, i18n.T(lang, "proposal.change", "label", c.Label, "before", c.BeforeDisplay, "after", c.AfterDisplay))
		}
	}
	return i18n.T(lang, "outcome.edited", "summary", summary, "changes", strings.Join(rows, i18n.T(lang, "proposal.separator"))), nil
}

// failureText says why nothing was done. Of the reasons that a tool gives, each is its own sentence.
func failureText(lang string, f models.OutcomeFailure) string {
	switch f.Code {
	case "FORBIDDEN", "ACCOUNT_DISABLED", "UNAUTHENTICATED":
		return i18n.T(lang, "outcome.no_right")
	case "INTERNAL":
		return i18n.T(lang, "error.internal")
	}
	return f.Message
}
