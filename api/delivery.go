package api

import (
	"context"
	"time"

	"countersign/deliveries"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// Delivery is an e-mail with a quotation that a confirmed proposal sends, and how far it has come.
type Delivery struct {
	ID            string     `json:"id"`
	ProposalID    string     `json:"proposalId"`
	QuotationID   string     `json:"quotationId"`
	QuotationName string     `json:"quotationName"`
	To            string     `json:"to" doc:"Masked."`
	Subject       string     `json:"subject"`
	Status        string     `json:"status" enum:"queued,sending,sent,failed,unknown" doc:"Of an unknown one nobody knows whether it has arrived. It is never sent again by itself."`
	Message       string     `json:"message,omitempty" doc:"What there is to know or to do about it."`
	Attempts      int64      `json:"attempts" doc:"How often it was handed to the mail server."`
	MarkedBy      *string    `json:"markedBy,omitempty" doc:"Who said of an unknown one that it has arrived."`
	CreatedAt     time.Time  `json:"createdAt"`
	UpdatedAt     time.Time  `json:"updatedAt"`
	SentAt        *time.Time `json:"sentAt,omitempty"`
}

// DeliveryList narrows a list of deliveries.
type DeliveryList struct {
	Paged
	Status      string `query:"status" enum:"queued,sending,sent,failed,unknown"`
	QuotationID string `query:"quotationId" maxLength:"100"`
}

func (s *server) deliveryRoutes() {
	handle(s, get("/api/deliveries", "listDeliveries", "List e-mails with quotations, those that last moved first").needs(rbac.QuotationRead), s.listDeliveries)
	handle(s, post("/api/deliveries/{id}/sent", "markDeliverySent", "Say of an unknown one that it has arrived").needs(rbac.QuotationSend).replays(), s.markDeliverySent)
}

func (s *server) listDeliveries(ctx context.Context, actor models.Actor, in *DeliveryList) (*one[Page[Delivery]], error) {
	list, err := s.Deliveries.List(ctx, actor, store.DeliveryFilter{Status: models.DeliveryStatus(in.Status), QuotationID: in.QuotationID}, in.page())
	return pageOf(list, err, deliveryOf(actor.Lang))
}

func (s *server) markDeliverySent(ctx context.Context, actor models.Actor, in *ByID) (*one[Delivery], error) {
	delivery, err := s.Deliveries.MarkSent(ctx, actor, in.id())
	return answer(shownOne(deliveryOf(actor.Lang))(delivery, err))
}

// deliveryOf shows deliveries in a language.
func deliveryOf(lang string) func(*store.DeliveryView) Delivery {
	return func(v *store.DeliveryView) Delivery {
		return Delivery{
			ID: v.ID, ProposalID: v.ProposalID, QuotationID: v.QuotationID, QuotationName: v.QuotationName, To: v.Recipient, Subject: v.Subject,
			Status: string(v.Status), Message: deliveries.Message(lang, &v.Delivery), Attempts: v.Attempts, MarkedBy: v.MarkedBy,
			CreatedAt: v.CreatedAt, UpdatedAt: v.UpdatedAt, SentAt: v.SentAt,
		}
	}
}
