package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"countersign/apperr"
	"countersign/models"
)

// Proposals belong to the user who asked for them; every method takes that user's id or the [Party] of who looks, so
// that a proposal is found by nobody else.

var proposalSorts = map[string]sortKey{"updatedAt": {expr: "proposals.created_at", kind: sortTime}}

// Proposal returns a proposal that concerns somebody.
func (r *Reader) Proposal(ctx context.Context, who Party, id string) (*models.Proposal, error) {
	asked := and(condition{"id = ?", []any{id}}, concerning(who))
	p, err := findOne[models.Proposal](ctx, r, "SELECT * FROM proposals WHERE "+asked.sql, asked.args...)
	return mustFind(p, err, "proposal")
}

// decidable is a proposal with who is about to decide it.
type decidable struct {
	models.Proposal `gorm:"embedded"`
	Subject         subject `gorm:"embedded"`
}

// ProposalToDecide is [Reader.Proposal] that keeps others from deciding it until the transaction ends, and asks for the rights of
// its party on the way. A clock read afterwards has waited for them already: on SQLite the transaction did before it began.
func (tx *Tx) ProposalToDecide(ctx context.Context, who Party, id string) (*models.Proposal, error) {
	asked := and(condition{"users.id = ? AND proposals.id = ?", []any{who.UserID, id}}, concerning(who))
	statement := "SELECT proposals.*, " + subjectColumns + " FROM proposals, users WHERE " + asked.sql
	if tx.dialect == dialectPostgres {
		statement += " FOR NO KEY UPDATE OF proposals"
	}
	found, err := findOne[decidable](ctx, tx.Reader, statement, asked.args...)
	d, err := mustFind(found, err, "proposal")
	if err != nil {
		return nil, err
	}
	tx.keep(d.Subject)
	return &d.Proposal, nil
}

// OpenProposal returns the pending proposal of a user for a tool and target, or nil.
func (r *Reader) OpenProposal(ctx context.Context, userID, tool string, t models.RecordType, targetID string) (*models.Proposal, error) {
	return firstOf[models.Proposal](r.q.WithContext(ctx).
		Where("requested_by = ? AND tool = ? AND target_type = ? AND target_id = ? AND status = ?", userID, tool, t, targetID, models.ProposalPending))
}

// Proposals lists the proposals that concern somebody, newest first. Pending means open at the moment of the party: an
// expired one counts as expired, whether or not that has been written yet.
func (r *Reader) Proposals(ctx context.Context, who Party, status models.ProposalStatus, p Page) (List[models.Proposal], error) {
	keys, err := keysetOf(p, proposalSorts, "proposals.id")
	if err != nil {
		return List[models.Proposal]{}, err
	}
	q := where(r.q.WithContext(ctx).Model(&models.Proposal{}), concerning(who))
	switch status {
	case "":
	case models.ProposalPending:
		q = q.Where("status = ? AND expires_at > ?", status, who.Now)
	case models.ProposalExpired:
		q = q.Where("(status = ? OR (status = ? AND expires_at <= ?))", status, models.ProposalPending, who.Now)
	default:
		q = q.Where("status = ?", status)
	}
	return page(keys, q, q, func(v models.Proposal) (any, string) { return v.CreatedAt, v.ID })
}

// ConversationProposals are the proposals made in a user's conversation, oldest first.
func (r *Reader) ConversationProposals(ctx context.Context, userID, conversationID string) ([]models.Proposal, error) {
	return find[models.Proposal](ctx, r, "SELECT * FROM proposals WHERE requested_by = ? AND conversation_id = ? ORDER BY id", userID, conversationID)
}

// WaitingProposals are the pending proposals of a user's conversation that have not expired, oldest first.
func (r *Reader) WaitingProposals(ctx context.Context, userID, conversationID string, now time.Time) ([]models.Proposal, error) {
	var rows []models.Proposal
	err := r.q.WithContext(ctx).Where("requested_by = ? AND conversation_id = ? AND status = ? AND expires_at > ?",
		userID, conversationID, models.ProposalPending, now).Order("id").Find(&rows).Error
	return rows, translate(err)
}

// DeclinedProposal returns the proposal for the same change that the user of p cancelled last in its conversation, or nil.
func (r *Reader) DeclinedProposal(ctx context.Context, p *models.Proposal) (*models.Proposal, error) {
	return firstOf[models.Proposal](r.q.WithContext(ctx).
		Where("requested_by = ? AND conversation_id = ? AND status = ?", p.RequestedBy, p.ConversationID, models.ProposalCancelled).
		Where("tool = ? AND target_type = ? AND target_id = ? AND args = ?", p.Tool, p.TargetType, p.TargetID, p.Args).
		Order("decided_at DESC"))
}

// InsertProposal adds a pending proposal; Conflict when the user has one open for the same tool and target.
func (tx *Tx) InsertProposal(ctx context.Context, p *models.Proposal) error {
	return translate(tx.q.WithContext(ctx).Create(p).Error)
}

// DemandApproval stores that a pending proposal needs an approval, and until when it waits for that.
func (tx *Tx) DemandApproval(ctx context.Context, p *models.Proposal) error {
	return oneRow(tx.proposal(ctx, p.ID, models.ProposalPending).Updates(map[string]any{
		"approval_rule_id": p.ApprovalRuleID, "approver_role": p.ApproverRole, "approval_reason": p.ApprovalReason,
		"escalation_role": p.EscalationRole, "escalates_at": p.EscalatesAt, "expires_at": p.ExpiresAt,
	}))
}

// ExpireProposal moves a pending proposal whose time is over to "expired".
func (tx *Tx) ExpireProposal(ctx context.Context, id string, now time.Time) (bool, error) {
	q := tx.proposal(ctx, id, models.ProposalPending).Where("expires_at <= ?", now).
		Updates(map[string]any{"status": models.ProposalExpired})
	return q.RowsAffected == 1, translate(q.Error)
}

// OverdueProposals are pending proposals of all users whose time is over, the oldest first and at most limit.
func (r *Reader) OverdueProposals(ctx context.Context, now time.Time, limit int) ([]models.Proposal, error) {
	var rows []models.Proposal
	err := r.q.WithContext(ctx).Where("status = ? AND expires_at <= ?", models.ProposalPending, now).
		Order("expires_at, id").Limit(limit).Find(&rows).Error
	return rows, translate(err)
}

// SupersedeProposal moves a pending proposal to "superseded".
func (tx *Tx) SupersedeProposal(ctx context.Context, id string) (bool, error) {
	q := tx.proposal(ctx, id, models.ProposalPending).Updates(map[string]any{"status": models.ProposalSuperseded})
	return q.RowsAffected == 1, translate(q.Error)
}

// DecideProposal stores the decision of a person, which p carries with the final status that came of it, and the journal of
// its transaction. It is the only way out of "pending" by a person: Conflict when the proposal has a final state already or
// had expired when it was decided, and then nothing that its transaction has written may stay.
func (tx *Tx) DecideProposal(ctx context.Context, p *models.Proposal) error {
	n, err := tx.execJournaled(ctx, condition{"UPDATE proposals SET status = ?, decided_by = ?, decider_name = ?, decided_at = ?, " +
		"decision_reason = ?, outcome = ?, changed_since = ?, undo_until = ?, edited_args = ?, edited_changes = ? " +
		"WHERE id = ? AND status = 'pending' AND requested_by = ? AND expires_at > ?", []any{
		p.Status, p.DecidedBy, p.DeciderName, p.DecidedAt, p.DecisionReason, p.Outcome, p.ChangedSince, p.UndoUntil, p.EditedArgs, p.EditedChanges,
		p.ID, p.RequestedBy, p.DecidedAt,
	}})
	if err == nil && n != 1 {
		return errRaced
	}
	return err
}

// MarkUndone stores that an executed proposal was taken back by another, once.
func (tx *Tx) MarkUndone(ctx context.Context, id, byID string) error {
	return oneRow(tx.proposal(ctx, id, models.ProposalExecuted).Where("undone_by_id IS NULL").
		Updates(map[string]any{"undone_by_id": byID, "undo_until": nil}))
}

// LinkFresh stores which proposal took the place of a stale one, once.
func (tx *Tx) LinkFresh(ctx context.Context, id, freshID string) (bool, error) {
	q := tx.proposal(ctx, id, models.ProposalStale).Where("fresh_id IS NULL").Updates(map[string]any{"fresh_id": freshID})
	return q.RowsAffected == 1, translate(q.Error)
}

func (tx *Tx) proposal(ctx context.Context, id string, from models.ProposalStatus) *gorm.DB {
	return tx.q.WithContext(ctx).Model(&models.Proposal{}).Where("id = ? AND status = ?", id, from)
}

var errRaced = apperr.New(apperr.Conflict, "CONFLICT", "This was changed at the same moment. Look at it again.")

func oneRow(q *gorm.DB) error {
	if q.Error == nil && q.RowsAffected != 1 {
		return errRaced
	}
	return translate(q.Error)
}
