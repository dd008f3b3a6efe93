package api

import (
	"context"

	"countersign/agent"
	"countersign/models"
	"countersign/rbac"
)

func (s *server) aiStatusRoutes() {
	handle(s, get("/api/ai/status", "getAIStatus", "Whether the assistant's model can be asked").needs(rbac.AssistantUse).plain(), s.getAIStatus)
}

func (s *server) getAIStatus(ctx context.Context, actor models.Actor, _ *struct{}) (*one[agent.ModelStatus], error) {
	return answer(s.Agent.Status(ctx, actor))
}
