package api

import (
	"context"
	"time"

	"countersign/conversations"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// TurnQuery narrows the list of turns.
type TurnQuery struct {
	Paged
	UserID string    `query:"userId" maxLength:"100"`
	Status string    `query:"status" enum:"running,done,failed,stopped"`
	Model  string    `query:"model" maxLength:"300" doc:"As provider/model."`
	From   time.Time `query:"from" doc:"Inclusive."`
	To     time.Time `query:"to" doc:"Exclusive."`
}

func (s *server) turnRoutes() {
	handle(s, get("/api/turns", "listTurns", "Everybody's turns with what they took, newest first").needs(rbac.AuditRead), s.listTurns)
	handle(s, get("/api/turns/{id}", "inspectTurn", "All that was said and done in a turn; opening it is recorded").needs(rbac.AuditRead), s.inspectTurn)
}

func (s *server) listTurns(ctx context.Context, actor models.Actor, in *TurnQuery) (*one[Page[conversations.TurnLine]], error) {
	f := store.TurnFilter{
		UserID: in.UserID, Status: models.TurnStatus(in.Status), Model: in.Model, From: given(in.From), To: given(in.To),
	}
	list, err := s.Ledger.Turns(ctx, actor, f, in.page())
	return pageOf(list, err, func(t *conversations.TurnLine) conversations.TurnLine { return *t })
}

func (s *server) inspectTurn(ctx context.Context, actor models.Actor, in *ByID) (*one[*conversations.Inspection], error) {
	return answer(s.Ledger.Inspect(ctx, actor, in.id()))
}
