package proposals

import (
	"context"
	"crypto/subtle"
	"log/slog"
	"time"

	"countersign/apperr"
	"countersign/audit"
	"countersign/i18n"
	"countersign/models"
	"countersign/store"
)

// The codes of decisions that were refused because of the proposal's state.
const (
	CodeStale            = "STALE"
	CodeExpired          = "EXPIRED"
	CodeDigestMismatch   = "DIGEST_MISMATCH"
	CodeAlreadyCancelled = "ALREADY_CANCELLED"
	CodeAlreadyExecuted  = "ALREADY_EXECUTED"
	CodeSuperseded       = "ALREADY_SUPERSEDED"
)

// Decision is what a person answered to a proposal. Digest is that of the card that they saw, Edits are the other values
// that they have given to arguments of what they confirm. Items are the ids of the records that they have kept of a change
// of several; nil means all.
type Decision struct {
	ProposalID string
	Digest     string
	Confirm    bool
	Edits      map[string]any
	Items      []string
	Reason     string
}

// Hook writes what belongs to a decision that has become final, in its transaction.
type Hook func(ctx context.Context, tx *store.Tx, p *models.Proposal) error

// Verdict is a decided proposal. Repeated says that it had been decided before, and nothing happened now.
type Verdict struct {
	Proposal *models.Proposal
	Repeated bool
}

// decideTimeout bounds a decision, which goes on when its caller goes away.
const decideTimeout = 20 * time.Second

// Decide carries out a person's decision exactly once: the requester's or, where an approval rule demands one, an
// approver's. The checks come in this order: requester, digest, status, expiry, approval, right, version. Errors: NotFound
// for a proposal that is neither theirs nor theirs to approve, Conflict with
// CodeDigestMismatch, CodeAlreadyCancelled, CodeAlreadyExecuted or CodeStale (a cancel that came too late) or
// CodeSuperseded, Gone with CodeExpired, Forbidden with CodeNeedsApproval and the member "proposal" when it takes
// somebody else to confirm, Forbidden when an approver has no right to such a change themself (the proposal waits on) or
// when the requester lost theirs (it ends failed),
// Stale with CodeStale when the record has changed, with the members "fresh" (a new *models.Proposal, where
// the change still makes sense) and "changedSince". A repeated confirm of an executed or failed proposal
// gives the stored outcome, whatever its edits and items. Edits that cannot be made, and items that are not the card's,
// answer Invalid, and the proposal stays pending. Of several records each is done, or not, by its own right and version:
// the proposal is executed when one was done, and otherwise ends as if it were about one.
func (s *Service) Decide(ctx context.Context, actor models.Actor, d Decision, perform Performer, hook Hook) (*Verdict, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), decideTimeout)
	defer cancel()
	run := &decision{service: s, actor: actor, Decision: d, perform: perform, hook: hook}
	run.edit(ctx)
	decide := func() error { return s.runner.InTx(ctx, func(tx *store.Tx) error { return run.in(ctx, tx) }) }
	err := decide()
	// A failure has undone that transaction, and is stored by another. While the database is busy or away, the same click may
	// succeed later: the proposal stays pending.
	if run.cause != nil && !apperr.HasCode(run.cause, store.CodeBusy) {
		err = decide()
	}
	switch {
	case err != nil:
		err = s.refused(ctx, actor, d.action(), d.ProposalID, err)
	case run.proposal.Status == models.ProposalStale:
		err = s.staleAnswer(ctx, run)
	default:
		err = run.refusal
	}
	if err != nil {
		return nil, s.shownError(ctx, actor, err)
	}
	theirs, err := s.shown(ctx, actor, run.proposal)
	return &Verdict{Proposal: theirs, Repeated: run.repeated}, err
}

// refused records an action on a proposal that was refused before anything could happen, such as one on somebody
// else's, and returns the refusal. What went wrong by itself is no refusal.
func (s *Service) refused(ctx context.Context, actor models.Actor, action, id string, refusal error) error {
	e := apperr.As(refusal)
	if e.Kind == apperr.Internal || e.Kind == apperr.Unavailable {
		return refusal
	}
	err := s.runner.InTx(ctx, func(tx *store.Tx) error {
		return audit.Write(ctx, tx, actor, s.now(), audit.Entry{
			Action: action, Target: models.Ref{Type: models.TypeProposal, ID: id}, Decision: models.DecisionDenied, Reason: e.Code,
		})
	})
	if err != nil {
		return err
	}
	return refusal
}

func (d Decision) action() string {
	if d.Confirm {
		return "proposal:confirm"
	}
	return "proposal:cancel"
}

// decision is one run of Decide. refusal is an answer that is an error to the caller although its
// transaction commits, now the moment at which the proposal was taken. edited is what the edits make of the proposal, unless editErr says
// why they cannot be made. results are what came of the items. cause is why a change of one record failed.
type decision struct {
	Decision
	service *Service
	actor   models.Actor
	// requester is the actor, or who asked for what the actor may approve.
	requester models.Actor
	perform   Performer
	hook      Hook
	now       time.Time
	proposal  *models.Proposal
	repeated  bool
	refusal   error
	edited    Draft
	editErr   error
	results   []models.ItemResult
	cause     error
}

func (d *decision) in(ctx context.Context, tx *store.Tx) error {
	if err := d.load(ctx, tx); err != nil {
		return err
	}
	if err := d.checkDigest(); err != nil {
		return err
	}
	if d.proposal.Status != models.ProposalPending {
		return d.repeat()
	}
	// The time counts from here: loading may have waited for others.
	d.now = d.service.now()
	if !d.proposal.ExpiresAt.After(d.now) {
		return d.expire(ctx, tx)
	}
	if d.Confirm {
		if err := d.approve(ctx, tx); err != nil || d.refusal != nil {
			return err
		}
	}
	d.proposal.DecidedBy, d.proposal.DeciderName, d.proposal.DecidedAt = &d.actor.UserID, d.actor.Name, &d.now
	if d.Confirm {
		return d.execute(ctx, tx)
	}
	d.proposal.DecisionReason = models.CleanLine(d.Reason)
	return d.finish(ctx, tx, models.ProposalCancelled, models.DecisionAllowed, "")
}

func (d *decision) load(ctx context.Context, tx *store.Tx) (err error) {
	d.proposal, err = d.service.with(tx).find(ctx, d.actor, func(who store.Party) (*models.Proposal, error) {
		return tx.ProposalToDecide(ctx, who, d.ProposalID)
	})
	if err != nil {
		return err
	}
	d.requester, err = requesterOf(ctx, tx.Reader, d.actor, d.proposal)
	return err
}

// requesterOf is who asked for a proposal: the actor, or somebody whom they decide for.
func requesterOf(ctx context.Context, r *store.Reader, actor models.Actor, p *models.Proposal) (models.Actor, error) {
	if p.RequestedBy == actor.UserID {
		return actor, nil
	}
	user, err := r.UserByID(ctx, p.RequestedBy)
	if err != nil {
		return models.Actor{}, err
	}
	return models.Actor{UserID: user.ID, Name: user.Name, Lang: p.Lang, Via: p.Channel, RequestID: actor.RequestID}, nil
}

// approves reports whether the actor decides what somebody else asked for.
func (d *decision) approves() bool { return d.actor.UserID != d.requester.UserID }

// checkDigest compares what the person saw, what is stored, and what the stored row gives now. A cancel
// without a digest is fine: it changes nothing.
func (d *decision) checkDigest() error {
	if !d.Confirm && d.Digest == "" {
		return nil
	}
	actual, err := digestOf(d.proposal)
	if err != nil {
		return err
	}
	if subtle.ConstantTimeCompare([]byte(d.Digest), []byte(actual)) != 1 || actual != d.proposal.Digest {
		return apperr.New(apperr.Conflict, CodeDigestMismatch, "This is not the change that was shown. Look at the card again, then decide.")
	}
	return nil
}

// expire ends a proposal whose time is over.
func (d *decision) expire(ctx context.Context, tx *store.Tx) error {
	_, err := d.service.expire(ctx, tx, d.actor, d.proposal, models.DecisionDenied)
	d.refusal = expiredError()
	return err
}

// repeat answers for a proposal in a final state. A stale one is answered by the caller, with its fresh one.
func (d *decision) repeat() error {
	d.repeated = true
	switch d.proposal.Status {
	case models.ProposalExecuted, models.ProposalFailed:
		if !d.Confirm {
			return apperr.New(apperr.Conflict, CodeAlreadyExecuted, "This was confirmed already. Look at the card for what came of it.")
		}
	case models.ProposalCancelled:
		if d.Confirm {
			return apperr.New(apperr.Conflict, CodeAlreadyCancelled, "This was cancelled already. Ask for the change again if you still want it.")
		}
	case models.ProposalSuperseded:
		return apperr.New(apperr.Conflict, CodeSuperseded, "A newer proposal for the same record has taken the place of this one.")
	case models.ProposalExpired:
		return expiredError()
	case models.ProposalStale:
		if !d.Confirm {
			return apperr.New(apperr.Conflict, CodeStale, "The record has changed since this was proposed, so it has ended by itself. Nothing was done.")
		}
	}
	return nil
}

func expiredError() error {
	return apperr.New(apperr.Gone, CodeExpired, "The time to confirm this is over. Ask for the change again if you still want it.")
}

// execute runs the stored arguments of a proposal. A failure undoes the transaction, and is stored when the decision is run
// again; whatever happens, the proposal is in a final state then.
func (d *decision) execute(ctx context.Context, tx *store.Tx) error {
	p := d.proposal
	if p.Several() {
		return d.executeItems(ctx, tx)
	}
	if d.Items != nil {
		return invalidItems("This proposal is about one record: leave items out.")
	}
	if err := d.check(ctx, tx, p); err != nil {
		return d.ended(ctx, tx, err)
	}
	if err := d.applyEdits(); err != nil {
		return err
	}
	if d.cause != nil {
		return d.ended(ctx, tx, d.cause)
	}
	outcome, err := d.perform.Execute(ctx, tx, d.executor(), p.Final())
	if err != nil {
		d.cause = err
		return err
	}
	return d.executed(ctx, tx, outcome)
}

// check asks for the right, then for the version. Stale when the record has changed.
func (d *decision) check(ctx context.Context, tx *store.Tx, p *models.Proposal) error {
	target, err := d.perform.Authorize(ctx, tx, d.executor(), p.Tool, p.Target())
	if err == nil && !isCurrent(target, p, p.TargetVersion) {
		return apperr.New(apperr.Stale, CodeStale, i18n.T(d.requester.Lang, "outcome.item_stale"))
	}
	return err
}

// executed stores that a proposal was carried out.
func (d *decision) executed(ctx context.Context, tx *store.Tx, outcome models.Outcome) error {
	p := d.proposal
	p.Outcome = models.ToJSON(outcome)
	if outcome.NoUndo == "" {
		until := d.now.Add(UndoTime)
		p.UndoUntil = &until
	}
	if p.UndoesID != nil {
		if err := tx.MarkUndone(ctx, *p.UndoesID, p.ID); err != nil {
			return err
		}
	}
	return d.finish(ctx, tx, models.ProposalExecuted, models.DecisionAllowed, "")
}

// ended stores why nothing of a proposal was done.
func (d *decision) ended(ctx context.Context, tx *store.Tx, cause error) error {
	if apperr.Is(cause, apperr.Stale) {
		return d.stale(ctx, tx)
	}
	return d.failed(ctx, tx, cause)
}

// isCurrent reports whether the target is still at a version. What is only to be created cannot have changed.
func isCurrent(target store.Standing, p *models.Proposal, at int64) bool {
	return p.Creates() || !target.Deleted && target.Version == at
}

// executor is the person who asked, by way of what proposed the change, and who approved it.
func (d *decision) executor() models.Actor {
	actor := d.requester
	if d.approves() {
		actor.ApproverID, actor.ApproverName = d.actor.UserID, d.actor.Name
	}
	actor.Via, actor.Model, actor.Client = d.proposal.Via, d.proposal.Model, d.proposal.Client
	actor.ProposalID = d.proposal.ID
	if d.proposal.ConversationID != nil {
		actor.ConversationID = *d.proposal.ConversationID
	}
	return actor
}

func (d *decision) failed(ctx context.Context, tx *store.Tx, cause error) error {
	e := apperr.As(cause)
	d.proposal.Outcome = models.ToJSON(models.Outcome{Records: []models.Ref{}, Error: d.failure(ctx, cause), Items: d.results})
	decision := models.DecisionFailed
	if e.Kind == apperr.Forbidden || e.Kind == apperr.Unauthenticated {
		decision, d.refusal = models.DecisionDenied, d.lostRight(e)
	}
	return d.finish(ctx, tx, models.ProposalFailed, decision, e.Code)
}

// lostRight is the refusal of what its requester may not do any more, in words for who decides.
func (d *decision) lostRight(e *apperr.Error) error {
	if !d.approves() {
		return e
	}
	return apperr.New(apperr.Forbidden, "FORBIDDEN", "The person who asked for this has no right to do it any more, so nothing was done.")
}

// failure is why something was not done, for the person. What went wrong by itself is logged.
func (d *decision) failure(ctx context.Context, cause error) *models.OutcomeFailure {
	e := apperr.As(cause)
	if e.Kind == apperr.Internal {
		slog.ErrorContext(ctx, "confirmed change failed", "proposal_id", d.proposal.ID, "tool", d.proposal.Tool, "request_id", d.actor.RequestID, "error", cause)
	}
	return &models.OutcomeFailure{Code: e.Code, Message: e.Message}
}

func (d *decision) stale(ctx context.Context, tx *store.Tx) error {
	parts, err := d.proposal.Parts()
	if err != nil {
		return err
	}
	var all []FieldSince
	for _, part := range parts {
		since, err := changedSince(ctx, tx, part, part.TargetVersion)
		if err != nil {
			return err
		}
		for i := range since {
			if target := part.Target(); d.proposal.Several() {
				since[i].Record = &target
			}
		}
		all = append(all, since...)
	}
	d.proposal.ChangedSince = models.ToJSON(append([]FieldSince{}, all...))
	return d.finish(ctx, tx, models.ProposalStale, models.DecisionFailed, CodeStale)
}

// finish stores the final state of the proposal with its audit entry, and what the hook adds.
func (d *decision) finish(ctx context.Context, tx *store.Tx, status models.ProposalStatus, decision models.Decision, reason string) error {
	d.proposal.Status = status
	if err := d.service.record(ctx, tx, d.actor, d.proposal, d.action(), decision, reason); err != nil {
		return err
	}
	if err := tx.DecideProposal(ctx, d.proposal); err != nil {
		return err
	}
	return d.hook(ctx, tx, d.proposal)
}
