package proposals

import (
	"bytes"
	"context"
	"time"

	"countersign/apperr"
	"countersign/i18n"
	"countersign/models"
	"countersign/store"
)

// UndoTime is for how long after its execution a change can be undone.
const UndoTime = 10 * time.Minute

// CodeCannotUndo is the code of what was not carried out or has no way back.
const CodeCannotUndo = "CANNOT_UNDO"

// CannotUndo is the refusal to undo something. why is the text of a sentence for a person, args are its values.
func CannotUndo(lang, why string, args ...any) *apperr.Error {
	return apperr.New(apperr.Conflict, CodeCannotUndo, i18n.T(lang, why, args...))
}

// Undo proposes to put back what an executed proposal of the actor has changed. What comes back is an ordinary
// proposal, the same one as long as it is open. Errors: NotFound for anybody else's proposal, Conflict with
// CodeCannotUndo for one that was not executed, was undone or has no exact inverse, Gone with CodeExpired after
// UndoTime, Forbidden when the right was lost, Stale with CodeStale and the member "changedSince" when the record has
// changed since. Refusals are on record.
func (s *Service) Undo(ctx context.Context, actor models.Actor, id string, perform Performer) (*models.Proposal, error) {
	undo, err := s.undo(ctx, actor, id, perform)
	if err != nil {
		return nil, s.refused(ctx, actor, "proposal:undo", id, err)
	}
	return undo, nil
}

func (s *Service) undo(ctx context.Context, actor models.Actor, id string, perform Performer) (*models.Proposal, error) {
	done, err := s.undoable(ctx, actor, id, perform)
	if err != nil {
		return nil, err
	}
	draft, err := inverse(ctx, actor, done, perform)
	if err != nil {
		return nil, err
	}
	origin := originOf(done)
	origin.Channel, origin.UndoesID = actor.Via, done.ID
	return s.make(ctx, actor, draft, origin, true)
}

// undoable returns a proposal that may be undone now: by its state and the time, by the actor's rights, and because the
// record is still as it left it.
func (s *Service) undoable(ctx context.Context, actor models.Actor, id string, perform Performer) (done *models.Proposal, err error) {
	err = s.runner.InTx(ctx, func(tx *store.Tx) error {
		if done, err = tx.Proposal(ctx, s.own(actor), id); err != nil {
			return err
		}
		if err := s.offersUndo(actor.Lang, done); err != nil {
			return err
		}
		target, err := perform.Authorize(ctx, tx, actor, done.Tool, done.Target())
		if err != nil {
			return err
		}
		return asLeft(ctx, tx, actor.Lang, done, target)
	})
	return done, err
}

// offersUndo tells why a proposal offers no undo.
func (s *Service) offersUndo(lang string, p *models.Proposal) error {
	var outcome models.Outcome
	if err := p.Outcome.Into(&outcome); err != nil {
		return err
	}
	switch {
	case p.Status != models.ProposalExecuted:
		return CannotUndo(lang, "undo.not_executed")
	case p.UndoneByID != nil:
		return CannotUndo(lang, "undo.already")
	case outcome.NoUndo != "":
		return apperr.New(apperr.Conflict, CodeCannotUndo, outcome.NoUndo)
	case p.UndoUntil == nil:
		return CannotUndo(lang, "undo.no_inverse")
	case !p.UndoUntil.After(s.now()):
		return apperr.New(apperr.Gone, CodeExpired, i18n.T(lang, "undo.over", "minutes", int(UndoTime.Minutes())))
	}
	return nil
}

// versionLeft is that of the record after an execution, which is one write of it.
func versionLeft(done *models.Proposal) int64 { return done.TargetVersion + 1 }

// asLeft answers Stale unless the record is as an execution left it.
func asLeft(ctx context.Context, tx *store.Tx, lang string, done *models.Proposal, target store.Standing) error {
	if isCurrent(target, done, versionLeft(done)) {
		return nil
	}
	since, err := changedSince(ctx, tx, done, versionLeft(done))
	if err != nil {
		return err
	}
	return apperr.New(apperr.Stale, CodeStale, i18n.T(lang, "undo.stale", "name", done.TargetName)).WithExtra("changedSince", since)
}

// inverse prepares what puts back exactly what an executed proposal has changed. It is of the version that the
// execution left, so that whatever happens to the record meanwhile makes it stale.
func inverse(ctx context.Context, actor models.Actor, done *models.Proposal, perform Performer) (Draft, error) {
	done = done.Final()
	args, err := perform.Inverse(actor, done)
	if err != nil {
		return Draft{}, err
	}
	draft, err := perform.Prepare(ctx, actor, done.Tool, args)
	if err != nil {
		return Draft{}, cannotPrepare(actor.Lang, err)
	}
	exact, err := mirrors(draft, done)
	if err != nil {
		return Draft{}, err
	}
	if !exact {
		return Draft{}, CannotUndo(actor.Lang, "undo.no_inverse")
	}
	draft.Title = i18n.T(actor.Lang, "undo.title", "title", draft.Title)
	draft.TargetVersion, draft.Editable = versionLeft(done), nil
	return draft, nil
}

// cannotPrepare puts into words that the former values are no longer possible, such as an owner who has left.
func cannotPrepare(lang string, err error) error {
	switch e := apperr.As(err); e.Kind {
	case apperr.Invalid, apperr.NotFound, apperr.Ambiguous, apperr.Conflict:
		return CannotUndo(lang, "undo.impossible", "reason", e.Message)
	default:
		return err
	}
}

// mirrors reports whether a draft changes exactly the fields that a proposal has changed, each the other way round.
func mirrors(draft Draft, done *models.Proposal) (bool, error) {
	var changes []models.Change
	if err := done.Changes.Into(&changes); err != nil {
		return false, err
	}
	was, becomes := map[string][2]any{}, map[string][2]any{}
	for _, c := range changes {
		was[c.Field] = [2]any{c.After, c.Before}
	}
	for _, c := range draft.Changes {
		becomes[c.Field] = [2]any{c.Before, c.After}
	}
	want, err := canonical(was)
	if err != nil {
		return false, err
	}
	got, err := canonical(becomes)
	return bytes.Equal(want, got), err
}
