package openai

import (
	"context"
	"net/http"
	"strings"

	"countersign/llm"
)

var _ llm.Lister = (*Model)(nil)

// Models implements llm.Lister.
func (m *Model) Models(ctx context.Context) ([]string, error) {
	base, query, _ := strings.Cut(m.o.BaseURL, "?")
	address := strings.TrimRight(base, "/") + "/models"
	if query != "" {
		address += "?" + query
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	if m.o.Key != "" {
		req.Header.Set("Authorization", "Bearer "+m.o.Key)
	}
	return llm.FetchModels(m.o.Client, req, m.o.Key)
}
