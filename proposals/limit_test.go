package proposals_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/crm"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/proposals"
	"countersign/store"
)

// talk begins a conversation of somebody.
func (h *house) talk(t testing.TB, actor models.Actor) string {
	t.Helper()
	c := models.Conversation{ID: models.NewID(), UserID: actor.UserID, Channel: models.ViaWeb, CreatedAt: h.Clock.Now(), UpdatedAt: h.Clock.Now()}
	h.InTx(t, func(tx *store.Tx) { require.NoError(t, tx.InsertConversation(t.Context(), &c)) })
	return c.ID
}

// newDeals are deals of Sales1.
func (h *house) newDeals(t testing.TB, n int) []models.Deal {
	t.Helper()
	list := make([]models.Deal, n)
	for i := range list {
		view, err := h.deals.Create(t.Context(), h.Sales1, crm.DealInput{Title: fmt.Sprintf("Shipment %d", i)})
		require.NoError(t, err)
		list[i] = view.Deal
	}
	return list
}

// ask has the assistant of Sales1 propose the move of a deal in a conversation.
func (h *house) ask(t testing.TB, conversation string, deal models.Deal, stage models.Stage) (*models.Proposal, error) {
	t.Helper()
	return h.Create(t.Context(), h.Sales1.As(models.ViaAssistant), h.draft(t, h.Sales1, deal, stage), proposals.Origin{Tool: tool, ConversationID: conversation})
}

func (h *house) asked(t testing.TB, conversation string, deal models.Deal, stage models.Stage) *models.Proposal {
	t.Helper()
	p, err := h.ask(t, conversation, deal, stage)
	require.NoError(t, err)
	return p
}

func TestAFourthOpenProposalOfAConversationIsRefused(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		here, deals := h.talk(t, h.Sales1), h.newDeals(t, 5)
		var cards []*models.Proposal
		for _, deal := range deals[:proposals.MaxOpen] {
			cards = append(cards, h.asked(t, here, deal, h.Won))
		}
		full := func(deal models.Deal) {
			p, err := h.ask(t, here, deal, h.Won)
			require.Nil(t, p)
			require.True(t, apperr.HasCode(err, proposals.CodeTooManyOpen), "%v", err)
			require.Empty(t, h.entries(t, "proposal:create", deal.ID), "nothing is left of it")
		}
		full(deals[3])
		_, err := h.ask(t, here, deals[3], h.Won)
		require.Contains(t, apperr.As(err).Message, "Change stage · Shipment 0, Change stage · Shipment 1, Change stage · Shipment 2")

		require.Equal(t, cards[0].ID, h.asked(t, here, deals[0], h.Won).ID, "the same open change is there already")
		cards[0] = h.asked(t, here, deals[0], h.Lost)
		full(deals[3])
		h.asked(t, h.talk(t, h.Sales1), deals[4], h.Won)
		_, err = h.ask(t, here, deals[4], h.Lost)
		require.True(t, apperr.HasCode(err, proposals.CodeTooManyOpen), "a move from another conversation counts here: %v", err)

		h.executed(t, h.Sales1, cards[0])
		h.asked(t, here, deals[3], h.Won)
		h.Clock.Advance(proposals.TTL)
		for _, deal := range deals[2:] {
			h.asked(t, here, deal, h.Lost)
		}
	})
}

// A fresh proposal takes the place of a stale one, and is no more than that.
func TestAFreshProposalHasItsPlace(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		here, deals := h.talk(t, h.Sales1), h.newDeals(t, proposals.MaxOpen+1)
		first := h.asked(t, here, deals[0], h.Won)
		for _, deal := range deals[1:proposals.MaxOpen] {
			h.asked(t, here, deal, h.Won)
		}
		h.rename(t, deals[0], "Shipment of another name")
		v, err := h.confirm(h.Sales1, first)
		fresh, _ := stale(t, v, err)
		require.NotNil(t, fresh)
		_, err = h.ask(t, here, deals[proposals.MaxOpen], h.Won)
		require.True(t, apperr.HasCode(err, proposals.CodeTooManyOpen), "%v", err)
	})
}

func TestProposalsAtOnceKeepToTheLimit(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		here, deals := h.talk(t, h.Sales1), h.newDeals(t, 8)
		replica := proposals.NewService(dbtest.Again(t, h.DB), h.Gate, h.Clock.Now)
		var drafts []proposals.Draft
		for _, deal := range deals {
			drafts = append(drafts, h.draft(t, h.Sales1, deal, h.Won))
		}
		errs := make([]error, len(drafts))
		var all sync.WaitGroup
		for i := range drafts {
			all.Go(func() {
				service := []*proposals.Service{h.Service, replica}[i%2]
				_, errs[i] = service.Create(t.Context(), h.Sales1, drafts[i], proposals.Origin{Tool: tool, ConversationID: here})
			})
		}
		all.Wait()
		made := 0
		for _, err := range errs {
			if err == nil {
				made++
				continue
			}
			require.True(t, apperr.HasCode(err, proposals.CodeTooManyOpen), "%v", err)
		}
		require.Equal(t, proposals.MaxOpen, made)
	})
}

// says stores a message of the person, a moment later.
func (h *house) says(t testing.TB, conversation, text string) {
	t.Helper()
	h.Clock.Advance(time.Second)
	m := models.Message{
		ID: models.NewID(), ConversationID: conversation, Role: models.RoleUser, Content: text, Status: models.MessageComplete,
		CreatedAt: h.Clock.Now(), UpdatedAt: h.Clock.Now(),
	}
	h.InTx(t, func(tx *store.Tx) { require.NoError(t, tx.InsertMessages(t.Context(), &m)) })
}

// BAT-05: a no stands in its conversation until the person speaks of the record again.
func TestBAT05WhatWasDeclinedIsNotProposedAgain(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		here := h.talk(t, h.Sales1)
		h.says(t, here, "Please move Acme renewal to Won")
		p := h.asked(t, here, h.AcmeRenewal, h.Won)
		_, err := h.cancel(h.Sales1, p)
		require.NoError(t, err)
		declined := func(message string) {
			h.says(t, here, message)
			again, err := h.ask(t, here, h.AcmeRenewal, h.Won)
			require.Nil(t, again)
			require.True(t, apperr.HasCode(err, proposals.CodeDeclined), "%v", err)
			require.Contains(t, apperr.As(err).Message, `ask for it by the name "Acme renewal"`)
		}
		declined("Go on")
		declined("What about Globex?")
		require.Len(t, h.entries(t, "proposal:create", h.AcmeRenewal.ID), 1, "no new card")

		other := h.asked(t, here, h.AcmeRenewal, h.Lost)
		_, err = h.cancel(h.Sales1, other)
		require.NoError(t, err, "another change is another question")
		_, err = h.cancel(h.Sales1, h.asked(t, h.talk(t, h.Sales1), h.AcmeRenewal, h.Won))
		require.NoError(t, err, "so it is in another conversation")
		declined("Go on")
		command := proposals.Origin{Tool: tool, ConversationID: here}
		typed, err := h.Create(t.Context(), h.Sales1.As(models.ViaCommand), h.draft(t, h.Sales1, h.AcmeRenewal, h.Won), command)
		require.NoError(t, err, "a command is the person's own")
		h.Clock.Advance(time.Second)
		_, err = h.cancel(h.Sales1, typed)
		require.NoError(t, err)

		for _, message := range []string{"Do move ＡＣＭＥ  Renewal after all", "I mean " + h.AcmeRenewal.ID} {
			declined("Go on")
			h.says(t, here, message)
			_, err = h.cancel(h.Sales1, h.asked(t, here, h.AcmeRenewal, h.Won))
			require.NoError(t, err)
		}
	})
}
