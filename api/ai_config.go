package api

import (
	"context"
	"net/http"

	"countersign/models"
	"countersign/rbac"
	"countersign/settings"
)

// AIConfigInput replaces the configuration of the model.
type AIConfigInput struct {
	Provider     string          `json:"provider" enum:"openai,anthropic"`
	EndpointURL  string          `json:"endpointUrl"`
	Model        string          `json:"model"`
	APIKey       settings.APIKey `json:"apiKey,omitempty" doc:"Left out or empty keeps the present one. It is never given back." writeOnly:"true"`
	RemoveKey    bool            `json:"removeKey,omitempty" doc:"Take the present key away."`
	SystemPrompt string          `json:"systemPrompt,omitempty"`
	MaxRounds    *int            `json:"maxRounds,omitempty" doc:"1 to 20; 8 if left out."`
}

func (s *server) aiConfigRoutes() {
	const tag, path = "ai-config", "/api/ai/config"
	handle(s, Route{Method: http.MethodGet, Path: path, Permission: rbac.AIConfigRead, id: "getAIConfig", tag: tag, Summary: "Read the model's configuration"}, s.getAIConfig)
	handle(s, Route{Method: http.MethodPut, Path: path, Permission: rbac.AIConfigUpdate, id: "putAIConfig", tag: tag, Summary: "Create or replace it"}, s.putAIConfig)
	handle(s, Route{Method: http.MethodDelete, Path: path, Permission: rbac.AIConfigUpdate, id: "deleteAIConfig", tag: tag, Summary: "Remove it, key included", status: http.StatusNoContent}, s.deleteAIConfig)
}

func (s *server) getAIConfig(ctx context.Context, actor models.Actor, _ *struct{}) (*one[settings.AIConfigView], error) {
	return answer(s.AIConfig.Get(ctx, actor))
}

func (s *server) putAIConfig(ctx context.Context, actor models.Actor, in *one[AIConfigInput]) (*one[settings.AIConfigView], error) {
	return answer(s.AIConfig.Put(ctx, actor, settings.AIConfigInput(in.Body)))
}

func (s *server) deleteAIConfig(ctx context.Context, actor models.Actor, _ *struct{}) (*none, error) {
	return &none{}, s.AIConfig.Delete(ctx, actor)
}
