package settings

import (
	"context"

	"countersign/apperr"
	"countersign/models"
	"countersign/rbac"
)

// Draft gives the configuration that somebody is typing, for a try before it is saved; it writes nothing. It needs
// ai-config:update. Without an APIKey the stored one is used, but only where it was entered for: at the same scheme,
// host and port. RemoveKey uses none. Errors: Invalid, as of [AIConfig.Put].
func (s *AIConfig) Draft(ctx context.Context, actor models.Actor, in AIConfigInput) (ModelConfig, error) {
	if _, err := s.gate.Authorize(ctx, actor, rbac.AIConfigUpdate); err != nil {
		return ModelConfig{}, err
	}
	config, wrong := s.check(in)
	if refusal := in.APIKey.refusal(); refusal != "" {
		wrong = append(wrong, apperr.FieldError{Path: "apiKey", Message: refusal})
	}
	if err := apperr.InvalidFields(wrong); err != nil {
		return ModelConfig{}, err
	}
	if in.APIKey.IsSet() || in.RemoveKey {
		return modelConfig(config, in.APIKey), nil
	}
	key, err := s.keyFor(ctx, config.EndpointURL)
	return modelConfig(config, key), err
}

// keyFor is the stored key, if there is one, for use at an endpoint.
func (s *AIConfig) keyFor(ctx context.Context, endpoint string) (APIKey, error) {
	stored, err := s.load(ctx)
	if err != nil || stored == nil || stored.SealedKey == "" {
		return APIKey{}, err
	}
	if origin(stored.EndpointURL) != origin(endpoint) {
		return APIKey{}, errNewHost
	}
	key, err := s.open(stored)
	if err != nil {
		return APIKey{}, errOldKey.WithCause(err)
	}
	return key, nil
}
