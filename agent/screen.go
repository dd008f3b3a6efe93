package agent

import (
	"context"
	"fmt"
	"strings"

	"countersign/apperr"
	"countersign/models"
	"countersign/resolve"
)

// seen gives the record that a person says they are looking at, with its name as it is now. What is stale,
// forged or out of their sight is nil: it is no reason to refuse the message.
func (s *Service) seen(ctx context.Context, actor models.Actor, claimed *models.Ref) (*models.Ref, error) {
	if claimed == nil {
		return nil, nil
	}
	id, ok := models.ParseID(claimed.ID)
	if !ok {
		return nil, nil
	}
	match, err := s.Resolver.Resolve(ctx, actor, resolve.Query{Kind: claimed.Type, Text: id})
	switch {
	case apperr.Is(err, apperr.NotFound), apperr.Is(err, apperr.Invalid), apperr.Is(err, apperr.Forbidden):
		return nil, nil
	case err != nil || match.How != resolve.HowID:
		return nil, err
	}
	return &match.Ref, nil
}

// asked is a person's message as the model reads it: the words, and after them the record that was on the
// person's screen. Its name is data, and quoted as such.
func asked(m models.Message) string {
	var onScreen []models.Ref
	if m.Refs.Into(&onScreen) != nil || len(onScreen) == 0 {
		return m.Content
	}
	var b strings.Builder
	b.WriteString(m.Content)
	for _, ref := range onScreen {
		fmt.Fprintf(&b, "\n\n(On the person's screen: the %s %q, ID %s. It is meant by words such as \"this\", unless the message names another record.)",
			ref.Type, models.CleanLine(ref.Name), ref.ID)
	}
	return b.String()
}
