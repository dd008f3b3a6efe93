package proposals

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"countersign/audit"
	"countersign/i18n"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// TTL is how long a proposal waits for a decision.
const TTL = 15 * time.Minute

// Performer prepares, authorizes and executes the changes of tools. Package tools implements it.
type Performer interface {
	// Prepare works out the change anew from a stored proposal's arguments, for the actor and now. It writes nothing.
	Prepare(ctx context.Context, actor models.Actor, tool string, args models.JSON) (Draft, error)
	// Authorize answers Forbidden unless the actor may still do this to the target, deleted or not, and tells how that
	// stands; of what is only to be created, nothing.
	Authorize(ctx context.Context, tx *store.Tx, actor models.Actor, tool string, target models.Ref) (store.Standing, error)
	// Execute carries out stored arguments on the target at its version, inside tx, with one write of it. Its outcome
	// says when it cannot be undone.
	Execute(ctx context.Context, tx *store.Tx, actor models.Actor, p *models.Proposal) (models.Outcome, error)
	// Edit prepares a pending proposal anew with other values of some of its editable arguments, by their names, for the
	// actor and now. It writes nothing. Invalid, naming the arguments, for values that cannot be given.
	Edit(ctx context.Context, actor models.Actor, p *models.Proposal, edits map[string]any) (Draft, error)
	// Inverse are the arguments with which the same tool puts back what a proposal has changed. Conflict with
	// CodeCannotUndo, and a sentence that says why, where there are none.
	Inverse(actor models.Actor, p *models.Proposal) (models.JSON, error)
}

// Service keeps proposals.
type Service struct {
	runner store.Runner
	gate   *audit.Gate
	now    func() time.Time
}

// NewService returns a Service.
func NewService(runner store.Runner, gate *audit.Gate, now func() time.Time) *Service {
	return &Service{runner: runner, gate: gate, now: now}
}

// Origin says where a proposal was asked for, and which executed one it takes back, if any.
type Origin struct {
	Tool           string
	ConversationID string
	TurnID         string
	CallID         string
	Channel        models.Via
	UndoesID       string
}

// Create stores a draft as a pending proposal of the actor. The same open change gives the proposal that
// is there already; another open change of the same tool to the same target is superseded, in whichever
// conversation it was made. Conflict with CodeTooManyOpen when MaxOpen others of its conversation wait, and with
// CodeDeclined when the assistant asks again for what the person has declined there.
func (s *Service) Create(ctx context.Context, actor models.Actor, draft Draft, origin Origin) (p *models.Proposal, err error) {
	err = s.runner.InTx(ctx, func(tx *store.Tx) error {
		var made bool
		if p, made, err = s.create(ctx, tx, actor, draft, origin, true); err != nil || !made {
			return err
		}
		if err := s.checkDeclined(ctx, tx, actor, p); err != nil {
			return err
		}
		return s.checkRoom(ctx, tx, actor, p)
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// make stores a draft that a person's click asks for, of which any number may wait. Unless it may supersede, another
// open change stays, and there is no proposal.
func (s *Service) make(ctx context.Context, actor models.Actor, draft Draft, origin Origin, supersede bool) (p *models.Proposal, err error) {
	err = s.runner.InTx(ctx, func(tx *store.Tx) error {
		p, _, err = s.create(ctx, tx, actor, draft, origin, supersede)
		return err
	})
	return p, err
}

// create gives the proposal for a draft, and whether it was made now.
func (s *Service) create(ctx context.Context, tx *store.Tx, actor models.Actor, draft Draft, origin Origin, supersede bool) (p *models.Proposal, made bool, err error) {
	// Proposals of one person are made one after the other: of each tool and target one is open.
	if err := tx.LockUser(ctx, actor.UserID); err != nil {
		return nil, false, err
	}
	next, err := s.build(actor, draft, origin)
	if err != nil {
		return nil, false, err
	}
	if err := s.weigh(ctx, tx, next, actor.Lang); err != nil {
		return nil, false, err
	}
	open, err := tx.OpenProposal(ctx, actor.UserID, next.Tool, next.TargetType, next.TargetID)
	if err != nil {
		return nil, false, err
	}
	if open != nil {
		switch waiting := s.waits(open); {
		case waiting && same(open, next):
			return open, false, nil
		case waiting && !supersede:
			return nil, false, nil
		}
		if err := s.retire(ctx, tx, actor, open); err != nil {
			return nil, false, err
		}
	}
	if err := tx.InsertProposal(ctx, next); err != nil {
		return nil, false, err
	}
	return next, true, s.record(ctx, tx, actor, next, "proposal:create", models.DecisionProposed, "")
}

func (s *Service) build(actor models.Actor, draft Draft, origin Origin) (*models.Proposal, error) {
	now := s.now()
	args, err := canonical(draft.Args)
	if err != nil {
		return nil, err
	}
	p := &models.Proposal{
		ID: models.NewID(), Status: models.ProposalPending, Tool: origin.Tool, Title: draft.Title,
		TargetType: draft.Target.Type, TargetID: draft.Target.ID, TargetName: models.Marked(draft.Target.Name), TargetVersion: draft.TargetVersion,
		Args: args, Changes: models.ToJSON(append([]models.Change{}, draft.Changes...)), Warnings: models.ToJSON(append([]string{}, draft.Warnings...)),
		Reason: models.Marked(models.CleanLine(draft.Reason)), RequestedBy: actor.UserID, RequesterName: actor.Name, Lang: string(i18n.Match(actor.Lang)), CallID: models.CleanLine(origin.CallID),
		Channel: origin.Channel, Via: actor.Via, Model: actor.Model, Client: actor.Client,
		ConversationID: optional(origin.ConversationID), TurnID: optional(origin.TurnID), UndoesID: optional(origin.UndoesID),
		CreatedAt: now, ExpiresAt: now.Add(TTL),
	}
	if len(draft.Editable) > 0 {
		p.Editable = models.ToJSON(draft.Editable)
	}
	switch {
	case len(draft.Items) > 0:
		p.Items, p.TargetID = models.ToJSON(draft.Items), setOf(draft.Items)
	case p.Creates():
		// What has no id yet is told apart by what it would be: the same creation is the same open proposal.
		p.TargetID = hashOf(args)
	}
	p.Digest, err = digestOf(p)
	return p, err
}

// same reports whether two proposals of one tool and target ask for the same change to the same version, with the same
// approval, and take back the same one.
func same(open, next *models.Proposal) bool {
	return bytes.Equal(open.Args, next.Args) && open.TargetVersion == next.TargetVersion && bytes.Equal(open.Items, next.Items) &&
		open.Approval.SameAs(next.Approval) &&
		valueOf(open.UndoesID) == valueOf(next.UndoesID)
}

// waits reports whether a proposal can still be decided.
func (s *Service) waits(p *models.Proposal) bool {
	return p.Status == models.ProposalPending && p.ExpiresAt.After(s.now())
}

// retire ends an open proposal that a newer one takes the place of.
func (s *Service) retire(ctx context.Context, tx *store.Tx, actor models.Actor, open *models.Proposal) error {
	expired, err := s.expire(ctx, tx, actor, open, models.DecisionAllowed)
	if err != nil || expired {
		return err
	}
	superseded, err := tx.SupersedeProposal(ctx, open.ID)
	if err != nil || !superseded {
		return err
	}
	open.Status = models.ProposalSuperseded
	return s.record(ctx, tx, actor, open, "proposal:supersede", models.DecisionAllowed, "")
}

// Get returns a proposal of the actor, or one that they may approve; NotFound for any other.
func (s *Service) Get(ctx context.Context, actor models.Actor, id string) (p *models.Proposal, err error) {
	p, err = s.find(ctx, actor, func(who store.Party) (p *models.Proposal, err error) {
		err = s.runner.View(ctx, func(r *store.Reader) error {
			p, err = r.Proposal(ctx, who, id)
			return err
		})
		return p, err
	})
	if err != nil {
		return nil, err
	}
	return s.shown(ctx, actor, s.seen(p))
}

// List returns a page of the proposals of the actor and of those that they may approve, newest first; status "" means all.
func (s *Service) List(ctx context.Context, actor models.Actor, status models.ProposalStatus, page store.Page) (list store.List[models.Proposal], err error) {
	who, err := s.party(ctx, actor)
	if err != nil {
		return list, err
	}
	err = s.runner.View(ctx, func(r *store.Reader) error {
		list, err = r.Proposals(ctx, who, status, page)
		return err
	})
	ctx = rbac.AtOnce(ctx)
	for i := range list.Items {
		p, err := s.shown(ctx, actor, s.seen(&list.Items[i]))
		if err != nil {
			return list, err
		}
		list.Items[i] = *p
	}
	return list, err
}

// OfConversation returns the proposals made in a conversation of the actor, oldest first.
func (s *Service) OfConversation(ctx context.Context, actor models.Actor, conversationID string) (list []models.Proposal, err error) {
	err = s.runner.View(ctx, func(r *store.Reader) error {
		list, err = r.ConversationProposals(ctx, actor.UserID, conversationID)
		return err
	})
	for i := range list {
		s.seen(&list[i])
	}
	return list, err
}

// seen shows a proposal as of now: a pending one whose time is over as expired, before that is written, and an executed
// one without the time to undo it when that is over.
func (s *Service) seen(p *models.Proposal) *models.Proposal {
	if p.Status == models.ProposalPending && !s.waits(p) {
		p.Status = models.ProposalExpired
	}
	if p.UndoUntil != nil && !p.UndoUntil.After(s.now()) {
		p.UndoUntil = nil
	}
	return p
}

func (s *Service) record(ctx context.Context, tx *store.Tx, actor models.Actor, p *models.Proposal, action string, decision models.Decision, reason string) error {
	detail := map[string]any{"proposalId": p.ID, "tool": p.Tool, "digest": p.Digest, "status": p.Status, "targetVersion": p.TargetVersion}
	if p.UndoesID != nil {
		detail["undoes"] = *p.UndoesID
	}
	if p.EditedArgs != nil {
		detail["args"], detail["editedArgs"] = audit.Mask(json.RawMessage(p.Args)), audit.Mask(json.RawMessage(p.EditedArgs))
	}
	if p.Several() {
		items, err := itemViews(p)
		if err != nil {
			return err
		}
		detail["items"] = recorded(items)
	}
	return audit.Write(ctx, tx, actor, s.now(), audit.Entry{
		Action: action, Target: models.Ref{Type: p.TargetType, ID: p.TargetID}, Decision: decision, Reason: reason, Detail: detail,
	})
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func valueOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
