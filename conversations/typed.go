package conversations

import (
	"context"
	"strings"
	"unicode"

	"countersign/models"
	"countersign/store"
)

// HasTyped reports whether the actor has written an e-mail address, whole and in whatever case, in the conversation that
// they act in.
func (s *Service) HasTyped(ctx context.Context, actor models.Actor, address string) (typed bool, err error) {
	if actor.ConversationID == "" {
		return false, nil
	}
	err = s.runner.View(ctx, func(r *store.Reader) error {
		if _, err := r.Conversation(ctx, actor.UserID, actor.ConversationID); err != nil {
			return err
		}
		messages, err := r.Messages(ctx, actor.ConversationID)
		for _, m := range messages {
			typed = typed || m.Role == models.RoleUser && holdsAddress(m.Content, address)
		}
		return err
	})
	return typed, err
}

// holdsAddress reports whether an address stands in a text, between what cannot belong to one.
func holdsAddress(text, address string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("@.!#$%&'*+/=?^_`{|}~-", r)
	})
	for _, word := range words {
		if strings.EqualFold(strings.Trim(word, ".!?'"), address) {
			return true
		}
	}
	return false
}
