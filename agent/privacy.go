package agent

import (
	"context"

	"countersign/audit"
	"countersign/llm"
	"countersign/models"
	"countersign/rbac"
)

// forgetPersonal hides personal data in what was found and said before: the person may have had the right then. Their own
// words stay.
func forgetPersonal(messages []llm.Message) {
	for i := range messages {
		switch m := &messages[i]; m.Role {
		case llm.RoleTool:
			m.Text = string(audit.MaskResult(models.JSON(m.Text)))
		case llm.RoleAssistant:
			m.Text = audit.MaskText(m.Text)
		}
	}
}

// seesPersonal reports whether an actor may see the personal data of at least some records.
func (s *Service) seesPersonal(ctx context.Context, actor models.Actor) (bool, error) {
	grant, err := s.Gate.Try(ctx, actor, rbac.ContactPII)
	return grant.Scope() != rbac.ScopeNone, err
}
