package openai

import (
	"context"
	"net/http"

	"countersign/llm"
)

var _ llm.Lister = (*Model)(nil)

// Models implements llm.Lister.
func (m *Model) Models(ctx context.Context) ([]string, error) {
	header := http.Header{}
	if m.o.Key != "" {
		header.Set("Authorization", "Bearer "+m.o.Key)
	}
	return llm.FetchModels(ctx, m.o, "/models", header)
}
