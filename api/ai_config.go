package api

import (
	"context"

	"countersign/models"
	"countersign/rbac"
	"countersign/settings"
)

// AIConfigInput replaces the configuration of the model.
type AIConfigInput struct {
	Provider           string          `json:"provider" enum:"openai,anthropic"`
	EndpointURL        string          `json:"endpointUrl"`
	Model              string          `json:"model"`
	APIKey             settings.APIKey `json:"apiKey,omitempty" doc:"Left out or empty keeps the present one. It is never given back." writeOnly:"true"`
	RemoveKey          bool            `json:"removeKey,omitempty" doc:"Take the present key away."`
	SystemPrompt       string          `json:"systemPrompt,omitempty"`
	MaxRounds          *int            `json:"maxRounds,omitempty" doc:"1 to 20; 8 if left out."`
	HoldBack           *int            `json:"holdBack,omitempty" doc:"How many chunks of an answer, 0 to 20, are held back until it is clear that no tool call follows. If left out, 3 for a model that was seen to speak before its calls, and 0 for others."`
	ConversationTokens *int64          `json:"conversationTokens,omitempty" doc:"After how many tokens a conversation takes no more questions; 0 is never. Left out it stays, 50,000 at first."`
	ShowCost           *bool           `json:"showCost,omitempty" doc:"Let everybody see what answers cost. Left out it stays, off at first."`
}

func (s *server) aiConfigRoutes() {
	const path = "/api/ai/config"
	handle(s, get(path, "getAIConfig", "Read the model's configuration").needs(rbac.AIConfigRead).plain(), s.getAIConfig)
	handle(s, put(path, "putAIConfig", "Create or replace it").needs(rbac.AIConfigUpdate).plain(), s.putAIConfig)
	handle(s, del(path, "deleteAIConfig", "Remove it, key included").needs(rbac.AIConfigUpdate).empty(), s.deleteAIConfig)
	handle(s, post(path+"/test", "testAIConfig", "Try a configuration, step by step, without saving it").needs(rbac.AIConfigUpdate).streams(), s.testAIConfig)
	handle(s, get("/api/ai/models", "listModels", "List the models of the stored endpoint").needs(rbac.AIConfigRead).plain(), s.listModels)
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
