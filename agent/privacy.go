package agent

import (
	"context"

	"countersign/audit"
	"countersign/llm"
	"countersign/models"
	"countersign/rbac"
)

// forgetPersonal hides personal data in what was found and said before, where the person may not see any now: they
// may have had the right then. Their own words stay.
func (s *Service) forgetPersonal(ctx context.Context, actor models.Actor, messages []llm.Message) error {
	grant, err := s.Gate.Try(ctx, actor, rbac.ContactPII)
	if err != nil || grant.Scope() != rbac.ScopeNone {
		return err
	}
	for i := range messages {
		switch m := &messages[i]; m.Role {
		case llm.RoleTool:
			m.Text = string(audit.MaskResult(models.JSON(m.Text)))
		case llm.RoleAssistant:
			m.Text = audit.MaskText(m.Text)
		}
	}
	return nil
}
