package proposals

import (
	"context"
	"time"

	"countersign/apperr"
	"countersign/audit"
	"countersign/models"
	"countersign/store"
)

// FieldSince is a field that somebody changed after a proposal was made. Record tells of which record, in a proposal about
// several.
type FieldSince struct {
	Record *models.Ref `json:"record,omitempty"`
	Field  string      `json:"field"`
	Before models.JSON `json:"before"`
	After  models.JSON `json:"after"`
	By     string      `json:"by"`
	At     time.Time   `json:"at"`
}

// changedSince tells what changed of the target after a version of it. Values are told only of the fields
// that the card showed, and not of personal data, which the requester may not see; of others, that they changed.
func changedSince(ctx context.Context, tx *store.Tx, p *models.Proposal, version int64) ([]FieldSince, error) {
	changes, err := tx.FieldChangesSince(ctx, p.TargetType, p.TargetID, version)
	if err != nil {
		return nil, err
	}
	var shown []models.Change
	if err := p.Changes.Into(&shown); err != nil {
		return nil, err
	}
	visible := map[string]bool{}
	for _, c := range shown {
		visible[c.Field] = true
	}
	since := make([]FieldSince, 0, len(changes))
	for _, c := range changes {
		f := FieldSince{Field: c.Field, By: c.ActorName, At: c.At}
		if visible[c.Field] && !audit.IsPersonal(c.Field) {
			f.Before, f.After = c.BeforeValue, c.AfterValue
		}
		since = append(since, f)
	}
	return since, nil
}

// staleAnswer is the error for a stale proposal: what changed, and a fresh proposal of the same change
// where it still makes sense. Asked again, it gives the same fresh one.
func (s *Service) staleAnswer(ctx context.Context, d *decision) error {
	p := d.proposal
	fresh, err := s.fresh(ctx, d)
	if err != nil {
		return err
	}
	message := "The record has changed since this was proposed, so nothing was done."
	if fresh != nil {
		message += " Look at the fresh proposal."
	}
	answer := apperr.New(apperr.Stale, CodeStale, message).WithExtra("changedSince", p.ChangedSince).WithExtra("proposal", p)
	if fresh != nil {
		return answer.WithExtra("fresh", fresh)
	}
	return answer
}

// fresh returns the proposal that takes the place of a stale one, made on the first call. It is nil when
// the change no longer makes sense: the record is gone, is already as was asked, or, when an old card is
// clicked again, another change of it waits by now.
func (s *Service) fresh(ctx context.Context, d *decision) (*models.Proposal, error) {
	actor, p := d.requester, d.proposal
	if p.FreshID != nil {
		return s.Get(ctx, actor, *p.FreshID)
	}
	draft, err := d.perform.Prepare(ctx, actor, p.Tool, p.Args)
	if err != nil {
		if apperr.Is(err, apperr.Internal) {
			return nil, err
		}
		return nil, nil
	}
	if err := compare(draft.Changes, p); err != nil {
		return nil, err
	}
	draft.Reason = p.Reason
	if err := s.warnOfOutside(ctx, actor, p, &draft); err != nil {
		return nil, err
	}
	actor.Via, actor.Model, actor.Client = p.Via, p.Model, p.Client
	fresh, err := s.make(ctx, actor, draft, originOf(p), !d.repeated)
	if err != nil || fresh == nil {
		return nil, err
	}
	return s.link(ctx, actor, p, fresh)
}

// warnOfOutside gives a fresh card the warning that its conversation has read text which its person did not write. What
// a person typed as a command has none.
func (s *Service) warnOfOutside(ctx context.Context, actor models.Actor, p *models.Proposal, draft *Draft) error {
	if p.ConversationID == nil || p.Via == models.ViaCommand {
		return nil
	}
	var record *models.Ref
	err := s.runner.View(ctx, func(r *store.Reader) error {
		outside, err := r.Outside(ctx, *p.ConversationID)
		if err != nil {
			return err
		}
		return outside.Into(&record)
	})
	if err != nil || record == nil {
		return err
	}
	draft.Warnings = append(draft.Warnings, OutsideWarning(actor.Lang, *record))
	return nil
}

// compare tells of each change what a stale card showed as before, where it showed the field: it was, is now, would become.
func compare(changes []models.Change, stale *models.Proposal) error {
	var shown []models.Change
	if err := stale.Changes.Into(&shown); err != nil {
		return err
	}
	for i := range changes {
		for _, c := range shown {
			if c.Field == changes[i].Field {
				changes[i].Was, changes[i].WasDisplay = c.Before, c.BeforeDisplay
			}
		}
	}
	return nil
}

// link stores the fresh proposal of a stale one. Of two that were made at once the first stays.
func (s *Service) link(ctx context.Context, actor models.Actor, p, fresh *models.Proposal) (*models.Proposal, error) {
	linked := false
	err := s.runner.InTx(ctx, func(tx *store.Tx) (err error) {
		linked, err = tx.LinkFresh(ctx, p.ID, fresh.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	if linked {
		p.FreshID = &fresh.ID
		return fresh, nil
	}
	stored, err := s.Get(ctx, actor, p.ID)
	if err != nil || stored.FreshID == nil {
		return fresh, err
	}
	p.FreshID = stored.FreshID
	return s.Get(ctx, actor, *stored.FreshID)
}

func originOf(p *models.Proposal) Origin {
	return Origin{Tool: p.Tool, CallID: p.CallID, Channel: p.Channel, ConversationID: valueOf(p.ConversationID), TurnID: valueOf(p.TurnID)}
}
