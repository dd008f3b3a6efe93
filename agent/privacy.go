package agent

import (
	"countersign/audit"
	"countersign/llm"
	"countersign/models"
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
