package api

import (
	"context"

	"countersign/confirm"
	"countersign/models"
	"countersign/proposals"
)

// ProposalList narrows a list of proposals.
type ProposalList struct {
	Paged
	Status string `query:"status" enum:"pending,executed,failed,cancelled,expired,stale,superseded"`
}

// Confirmation confirms the change that a card shows. Digest is the card's, Edits are other values of its editable
// arguments.
type Confirmation struct {
	Digest string         `json:"digest" maxLength:"1000"`
	Items  []string       `json:"items,omitempty" maxItems:"100" doc:"The ids of the records that are kept, of a change of several; all when left out."`
	Edits  map[string]any `json:"edits,omitempty" doc:"Other values of editable arguments, by their names."`
}

// Cancellation ends a proposal without effect.
type Cancellation struct {
	Reason string `json:"reason,omitempty" maxLength:"1000" doc:"Why; the assistant reads it."`
}

// DecidedProposal is a proposal after a decision. AlreadyDecided says that it had been decided before, and that
// nothing happened now.
type DecidedProposal struct {
	proposals.View
	AlreadyDecided bool `json:"alreadyDecided"`
}

// confirmation and cancellation are decisions about one proposal.
type (
	confirmation struct {
		ByID
		Body Confirmation
	}
	cancellation struct {
		ByID
		Body *Cancellation
	}
)

func (s *server) proposalRoutes() {
	const path = "/api/proposals/{id}"
	handle(s, get("/api/proposals", "listProposals", "List your proposals"), s.listProposals)
	handle(s, get(path, "getProposal", "Read one"), s.getProposal)
	handle(s, post(path+"/confirm", "confirmProposal", "Carry it out, once").replays(), s.confirmProposal)
	handle(s, post(path+"/cancel", "cancelProposal", "End it without effect").replays(), s.cancelProposal)
	handle(s, post(path+"/undo", "undoProposal", "Propose to put back what it has changed").replays(), s.undoProposal)
}

func (s *server) listProposals(ctx context.Context, actor models.Actor, in *ProposalList) (*one[Page[proposals.View]], error) {
	list, err := s.Proposals.List(ctx, actor, models.ProposalStatus(in.Status), in.page())
	if err != nil {
		return nil, err
	}
	items := make([]proposals.View, len(list.Items))
	for i := range list.Items {
		if items[i], err = proposals.ViewOf(&list.Items[i]); err != nil {
			return nil, err
		}
	}
	return answer(Page[proposals.View]{Items: items, NextCursor: list.Next, Total: list.Total}, nil)
}

func (s *server) getProposal(ctx context.Context, actor models.Actor, in *ByID) (*one[proposals.View], error) {
	p, err := s.Proposals.Get(ctx, actor, in.id())
	if err != nil {
		return nil, err
	}
	return answer(proposals.ViewOf(p))
}

func (s *server) confirmProposal(ctx context.Context, actor models.Actor, in *confirmation) (*one[DecidedProposal], error) {
	choice := confirm.Choice{Edits: in.Body.Edits, Items: in.Body.Items}
	return decided(s.Confirm.ConfirmChoice(ctx, actor, in.id(), in.Body.Digest, choice))
}

func (s *server) cancelProposal(ctx context.Context, actor models.Actor, in *cancellation) (*one[DecidedProposal], error) {
	reason := ""
	if in.Body != nil {
		reason = in.Body.Reason
	}
	return decided(s.Confirm.Cancel(ctx, actor, in.id(), reason))
}

func (s *server) undoProposal(ctx context.Context, actor models.Actor, in *ByID) (*one[proposals.View], error) {
	p, err := s.Confirm.Undo(ctx, actor, in.id())
	if err != nil {
		return nil, err
	}
	return answer(proposals.ViewOf(p))
}

func decided(v *proposals.Verdict, err error) (*one[DecidedProposal], error) {
	if err != nil {
		return nil, err
	}
	view, err := proposals.ViewOf(v.Proposal)
	return answer(DecidedProposal{View: view, AlreadyDecided: v.Repeated}, err)
}
