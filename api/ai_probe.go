package api

import (
	"context"
	"iter"

	"github.com/danielgtaylor/huma/v2"

	"countersign/agent"
	"countersign/events"
	"countersign/models"
	"countersign/settings"
)

// AIConfigTrial is a configuration to try.
type AIConfigTrial struct {
	Provider    string          `json:"provider" enum:"openai,anthropic"`
	EndpointURL string          `json:"endpointUrl"`
	Model       string          `json:"model"`
	APIKey      settings.APIKey `json:"apiKey,omitempty" doc:"Left out or empty uses the stored one, at the host that it is stored for." writeOnly:"true"`
}

// ModelName is a model as its endpoint names it.
type ModelName struct {
	ID string `json:"id"`
}

// modelNames is a list without pages.
type modelNames struct {
	Items []ModelName `json:"items"`
}

// stepFrame is a step as the stream tells it.
type stepFrame struct {
	Type string `json:"type"`
	agent.Step
}

func (s *server) testAIConfig(ctx context.Context, actor models.Actor, in *one[AIConfigTrial]) (*huma.StreamResponse, error) {
	steps, err := s.Prober.Test(ctx, actor, settings.AIConfigInput{
		Provider: in.Body.Provider, EndpointURL: in.Body.EndpointURL, Model: in.Body.Model, APIKey: in.Body.APIKey,
	})
	if err != nil {
		return nil, err
	}
	return s.stream(ctx, "", stepFrames(steps)), nil
}

func stepFrames(steps iter.Seq2[agent.Step, error]) iter.Seq2[events.Frame, error] {
	const kind = "step"
	return func(yield func(events.Frame, error) bool) {
		var seq int64
		for step, err := range steps {
			seq++
			if !yield(events.Frame{Seq: seq, Type: kind, Data: models.ToJSON(stepFrame{kind, step})}, err) {
				return
			}
		}
	}
}

func (s *server) listModels(ctx context.Context, actor models.Actor, _ *struct{}) (*one[modelNames], error) {
	names, err := s.Prober.Models(ctx, actor)
	if err != nil {
		return nil, err
	}
	list := modelNames{Items: make([]ModelName, len(names))}
	for i, name := range names {
		list.Items[i].ID = name
	}
	return answer(list, nil)
}
